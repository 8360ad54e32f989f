//! The live-outs under construction.

use std::collections::{BTreeMap, HashMap};

use nestwise_ir::{ArrayId, VarId};

use crate::lowering::hir::LocalId;
use crate::lowering::types::kinds::Kind;
use crate::lowering::types::live_ranges::LiveRangeId;

/// One way in which an access path may be written back.
#[derive(Clone, Debug)]
pub(crate) struct Facet {
    pub live: LiveRangeId,
    pub form: Form,
    /// The variable that is true when this way applies; `None` if it is the only way.
    pub flag: Option<VarId>,
    /// The variable of a [`Form::Side`].
    pub var: Option<VarId>,
}

/// What a facet writes back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// The live range's variable.
    Main,
    /// A variable of its own, for a type that the live range's variable holds in another representation.
    Side(Kind),
    /// A view; where arrays change places, also which object the slot held.
    View { capture: u32, swapped: Option<bool> },
    /// A part of an array, or an array that is made.
    Part,
    /// None.
    None,
}

/// The columns of values that are appended to one list.
#[derive(Debug)]
pub(crate) struct Appended {
    /// One array for each item of the tuples that are appended, or a single one.
    pub columns: Vec<ArrayId>,
    /// The variable that counts what was appended.
    pub count: VarId,
    /// Whether tuples are appended.
    pub tuple: bool,
}

/// The live-outs found so far in this round.
#[derive(Debug, Default)]
pub(crate) struct LiveOuts {
    /// The ways in which locals may be written back.
    pub facets: HashMap<LocalId, Vec<Facet>>,
    /// The variables that `return` sets, each with the one that says whether it is NumPy's.
    pub returns: Vec<(VarId, Option<VarId>)>,
    /// Which object two swapped slots hold, as a bool that each swap flips; by swap group.
    pub parity: HashMap<usize, VarId>,
    /// What is appended to lists, by the capture of the method.
    pub appended: BTreeMap<u32, Appended>,
}
