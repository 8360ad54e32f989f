//! The program that a run is called from, as the run sees it.

use nestwise_codegen::link::host::Fragments;

use crate::device::Owner;
use crate::launch::Launch;
use crate::memory::overlap::ArrayView;
use crate::reason::Reason;

/// What a run needs of the program that called it.
pub trait Host {
    /// The views of the nest's slots, in order; sequences are converted now.
    fn arrays(&mut self) -> Result<Vec<ArrayView>, Reason>;
    /// Hands over, between chunks, what nobody in the nest looks at any more. False: there is no memory for it.
    fn hand_over(&mut self, _launch: &mut Launch) -> bool {
        true
    }
    /// Handles signals, and lets other threads run, between chunks; true: the launch has to stop here.
    fn poll(&mut self, launch: &Launch) -> bool;
    /// Whether nobody's code runs between chunks, whatever signals come, unless the launch ends there.
    fn is_alone(&self) -> bool;
    /// Whether the site is an expression, whose one iteration nobody can look into.
    fn is_value(&self) -> bool {
        false
    }
    /// Whether CPython can be stopped between two iterations, for native code to go on.
    fn can_stop(&self) -> bool {
        true
    }
    /// What keeps the memory of a slot in place for as long as it lives, if the program cannot look at the slot's array
    /// before it asks us: a device's copy may outlive the launch then ([`kept`](crate::device::residency)).
    fn owner(&self, slot: usize) -> Option<Owner>;
    /// Whether NumPy is told to say nothing about overflows, invalid operations and divisions by zero.
    fn silent(&self) -> bool;
    /// Whether a warning of NumPy's may run anybody's code or become an exception, so that it matters how far the
    /// arrays are by then.
    fn warnings_stop(&self) -> bool;
    /// Whether the interpreter lock may be released at all.
    fn may_unlock(&self) -> bool;
    /// Whether nobody but Python code of this thread can write the memory of a slot while the interpreter lock is held.
    fn is_quiet(&self, slot: usize) -> bool;
    /// What evaluates the nest's fragments, for a nest that has any.
    fn fragments(&mut self) -> Option<&mut dyn Fragments> {
        None
    }
    /// Notes that the iterations of the last call of the kernel will not be rolled back: results recorded for them are
    /// not needed any more.
    fn committed(&mut self) {}
    /// Notes that the iterations since the last commit were rolled back: the results recorded for them stand for the
    /// fragments that are evaluated next.
    fn rolled_back(&mut self) {}
    /// Runs `work` with the interpreter lock released.
    fn unlocked(&mut self, work: &mut (dyn FnMut() + Send));
}
