//! Strides: how far apart in memory the elements are that consecutive iterations of a loop touch.

use nestwise_ir::LoopId;

use crate::launch_info::LaunchInfo;
use crate::parallelism::verdict::Analysis;
use crate::values::affine::{Affine, Ix};
use crate::values::forms::{AccessForm, Forms};

/// How the accesses in a loop move with its counter: how many of them have which stride, in elements.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Strides {
    /// The number of accesses of stride 1.
    pub unit: u32,
    /// The number of accesses of stride 0, which access the same element in every iteration.
    pub fixed: u32,
    /// The number of loads of a larger or unknown stride.
    pub far_loads: u32,
    /// The number of stores of a larger or unknown stride.
    pub far_stores: u32,
}

impl Strides {
    /// Whether some accesses go to adjacent elements, and no store goes farther.
    pub(crate) fn streams(self) -> bool {
        self.unit > 0 && self.far_stores == 0
    }
    /// Whether a vector of iterations mostly touches adjacent elements.
    pub(crate) fn smooth(self) -> bool {
        self.unit > 0 && self.far_stores == 0 && self.far_loads <= self.unit
    }
}

/// The strides of the accesses in loop `id`.
pub(crate) fn strides(analysis: &Analysis, info: &LaunchInfo, id: LoopId) -> Strides {
    let mut out = Strides::default();
    let inside = analysis
        .forms
        .accesses
        .iter()
        .flatten()
        .filter(|a| a.loops.contains(&id));
    for a in inside {
        match movement(&analysis.forms, info, a, id) {
            Some(0) => out.fixed += 1,
            Some(1) => out.unit += 1,
            _ if a.store => out.far_stores += 1,
            _ => out.far_loads += 1,
        }
    }
    out
}

/// The distance in elements by which an access moves per iteration of a loop: 0, 1, or 2 for farther; `None` if it is
/// not known.
fn movement(forms: &Forms, info: &LaunchInfo, a: &AccessForm, id: LoopId) -> Option<u32> {
    let mut moved = 0;
    for (axis, f) in a.index.iter().enumerate() {
        let f = f.affine()?;
        if depends(forms, f, id)? {
            let by = f.const_coef(Ix::Counter(id));
            let one = by == Some(1) && info.unit(a.array, axis);
            moved += if one { 1 } else { 2 };
        }
    }
    Some(moved)
}

/// Whether a form changes with a loop's counter; `None` if through something that is not affine.
fn depends(forms: &Forms, a: &Affine, id: LoopId) -> Option<bool> {
    let mut found = false;
    for ix in a.ixs() {
        match ix {
            Ix::Counter(l) if l == id => found = true,
            Ix::Counter(_) => {}
            Ix::Def(_) => {
                // A definition inside the loop may follow its counter.
                let home = forms.home(ix)?;
                let outside = forms.loop_form(id)?.seq > forms.loop_form(home)?.seq;
                if home == id || !outside {
                    return None;
                }
            }
        }
    }
    Some(found)
}
