//! Sections: parts of an array, as ranges and positions along its axes.

use nestwise_ir::model::nest::Expr;
use nestwise_ir::{ArrayId, Span};

use crate::lowering::arrays::offsets::{difference, minus, plus, same, times};
use crate::lowering::value::view::View;

/// One axis of an array in a section of it.
#[derive(Clone, Debug)]
pub(crate) enum Axis {
    /// One position along the axis, neither negative nor beyond its end.
    At(Expr),
    /// The positions `start`, `start + step`, ..., `len` of them; none if `len` is not positive.
    Range { start: Expr, len: Expr, step: i64 },
    /// A new axis of one element, which the array does not have.
    New,
}

/// A part of an array, with as many axes as it has ranges and new axes.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    /// The flat index of the array's capture.
    pub capture: u32,
    pub array: ArrayId,
    /// The axes of the array, and the new ones between them.
    pub axes: Vec<Axis>,
}

/// Whether there is one element along an axis, whatever is repeated along it.
pub(crate) fn is_one(len: &Expr) -> bool {
    len.as_int() == Some(1)
}

impl Section {
    /// The number of elements along each axis.
    pub fn shape(&self) -> Vec<Expr> {
        let len = |axis: &Axis| match axis {
            Axis::Range { len, .. } => Some(len.clone()),
            Axis::New => Some(Expr::int(1, Span::default())),
            Axis::At(_) => None,
        };
        self.axes.iter().filter_map(len).collect()
    }

    /// Whether the section has axes that the array does not have.
    pub fn has_new_axes(&self) -> bool {
        self.axes.iter().any(|axis| matches!(axis, Axis::New))
    }

    /// The axes of the array.
    fn own_axes(&self) -> impl Iterator<Item = &Axis> {
        self.axes.iter().filter(|axis| !matches!(axis, Axis::New))
    }

    /// The subscripts, into the array, of the element at these positions along the section's axes; an axis of one
    /// element has one position.
    pub fn element_at(&self, counters: &[Expr]) -> Vec<Expr> {
        let mut counters = counters.iter();
        let at = |axis: &Axis| match axis {
            Axis::At(e) => Some(e.clone()),
            Axis::Range { start, len, step } => {
                let counter = counters.next().filter(|_| !is_one(len)).cloned();
                let counter = counter.unwrap_or_else(|| Expr::int(0, start.span));
                Some(plus(start, times(counter, *step)))
            }
            Axis::New => {
                counters.next();
                None
            }
        };
        self.axes.iter().filter_map(at).collect()
    }

    /// The part of the section at a position along one of its axes, none of which is new.
    pub fn at(&self, axis: usize, place: Expr) -> Section {
        let mut part = self.clone();
        let ranges = part.axes.iter_mut();
        let mut ranges = ranges.filter(|a| matches!(a, Axis::Range { .. }));
        if let Some(axis) = ranges.nth(axis)
            && let Axis::Range { start, step, .. } = axis
        {
            *axis = Axis::At(plus(start, times(place, *step)));
        }
        part
    }

    /// The line along one of the section's axes, at positions along the others.
    pub fn line(&self, axis: usize, places: &[Expr]) -> Section {
        let mut line = self.clone();
        for (k, place) in places.iter().enumerate() {
            // Each one that is taken leaves one axis fewer.
            line = line.at(usize::from(k >= axis), place.clone());
        }
        line
    }

    /// The part of the section with `many` positions along one of its axes, from `place` on; none of its axes is new.
    pub fn narrowed(&self, axis: usize, place: Expr, many: Expr) -> Section {
        let mut part = self.clone();
        let mut ranges = part.axes.iter_mut();
        let mut ranges = ranges.by_ref().filter(|a| matches!(a, Axis::Range { .. }));
        if let Some(Axis::Range { start, len, step }) = ranges.nth(axis) {
            *start = plus(start, times(place, *step));
            *len = many;
        }
        part
    }

    /// The elements of a section of one axis, backwards.
    pub fn reversed(&self) -> Section {
        let mut back = self.clone();
        for axis in &mut back.axes {
            if let Axis::Range { start, len, step } = axis {
                let one = Expr::int(1, start.span);
                *start = plus(start, times(minus(len, &one), *step));
                *step = -*step;
            }
        }
        back
    }

    /// The part of the section at a position along its first axis.
    pub fn row(&self, at: Expr) -> Section {
        let mut row = self.clone();
        let first = row.axes.iter().position(|a| !matches!(a, Axis::At(_)));
        let Some(first) = first else { return row };
        match &row.axes[first] {
            Axis::Range { start, step, .. } => {
                row.axes[first] = Axis::At(plus(start, times(at, *step)));
            }
            _ => _ = row.axes.remove(first),
        }
        row
    }
}

/// Whether storing the elements of `target` one by one, each after those of `source` at the same positions were read,
/// has the same result as storing all of them after all were read. Both are parts of one array, of which no two
/// subscripts name the same element.
pub(crate) fn is_clobber_free(target: &Section, source: &Section) -> bool {
    let mut alike = !target.has_new_axes() && !source.has_new_axes();
    let rank = |s: &Section| s.shape().len();
    // Axes are aligned at their ends.
    let (mut t, mut s) = (0, 0);
    let shift = rank(target) as isize - rank(source) as isize;
    for (a, b) in target.own_axes().zip(source.own_axes()) {
        match (a, b) {
            // One place: the other one's elements are all there, or none is.
            (Axis::At(x), Axis::At(y)) => {
                if difference(x, y).is_some_and(|d| d != 0) {
                    return true;
                }
            }
            (
                Axis::Range { start, len, step },
                Axis::Range {
                    start: start2,
                    len: len2,
                    step: step2,
                },
            ) => {
                let end = |start: &Expr, len: &Expr| plus(start, len.clone());
                let behind = |x: &Expr, y: &Expr| difference(x, y).is_some_and(|d| d >= 0);
                let forward = *step == 1 && *step2 == 1;
                if forward
                    && (behind(start, &end(start2, len2)) || behind(start2, &end(start, len)))
                {
                    return true;
                }
                let interleaved =
                    difference(start, start2).is_some_and(|d| d % i128::from(*step) != 0);
                if step == step2 && interleaved {
                    return true;
                }
                let repeated = is_one(len) != is_one(len2);
                alike &= same(start, start2) && step == step2 && t - s == shift && !repeated;
            }
            (
                Axis::Range {
                    start,
                    len,
                    step: 1,
                },
                Axis::At(x),
            )
            | (
                Axis::At(x),
                Axis::Range {
                    start,
                    len,
                    step: 1,
                },
            ) => {
                let before = difference(start, x).is_some_and(|d| d > 0);
                let after = difference(x, &plus(start, len.clone())).is_some_and(|d| d >= 0);
                if before || after {
                    return true;
                }
                alike = false;
            }
            _ => alike = false,
        }
        t += isize::from(matches!(a, Axis::Range { .. }));
        s += isize::from(matches!(b, Axis::Range { .. }));
    }
    alike
}

/// Whether NumPy's copy of one part of an array to another, with nothing computed, has the same result as a copy by way
/// of other memory. Along one axis NumPy copies element by element, forward or backward as is right for equal strides;
/// for strides of different signs, and for several axes, it makes a copy first.
pub(crate) fn copies_like_memmove(target: &Section, source: &Section) -> bool {
    let ranges = |s: &Section| -> Vec<(usize, i64)> {
        let step = |(k, axis): (usize, &Axis)| match axis {
            Axis::Range { step, .. } => Some((k, *step)),
            Axis::At(_) | Axis::New => None,
        };
        s.own_axes().enumerate().filter_map(step).collect()
    };
    if target.has_new_axes() || source.has_new_axes() {
        return false;
    }
    match (ranges(target).as_slice(), ranges(source).as_slice()) {
        ([(a, p)], [(b, q)]) => a == b && (p == q || p.signum() != q.signum()),
        _ => true,
    }
}

/// The view of a part of a list that the nest makes: all of it, or a row.
pub(crate) fn view_of_list(section: &Section) -> View {
    let at = section.axes.iter().map_while(|axis| match axis {
        Axis::At(e) => Some(e.clone()),
        _ => None,
    });
    let index: Vec<Expr> = at.collect();
    View {
        capture: section.capture,
        array: section.array,
        checked: vec![true; index.len()],
        index,
    }
}
