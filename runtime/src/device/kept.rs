//! What stays on a device from one launch to the next.
//!
//! Copies outlive a launch where the program cannot look at the arrays before it asks us: in the gaps of a *region*, between
//! nests of a loop that itself is not one ([`Host::owner`](crate::Host::owner)). There is one such place for each thread, and it
//! is empty wherever other threads may run.

use super::memory::{Memory, Owner, Transfers};
use crate::overlap::ArrayView;
use crate::reason::Reason;
use std::cell::{Cell, RefCell};

#[derive(Default)]
struct Kept {
    memory: Option<Memory>,
    /// What must not go before the copies do, by where it is.
    held: Vec<(usize, Owner)>,
    /// Transfers that no launch has told of.
    transfers: Transfers,
    /// Copies that were newer than the host's arrays are gone.
    lost: bool,
}

thread_local! {
    static ANY: Cell<bool> = const { Cell::new(false) };
    static KEPT: RefCell<Kept> = RefCell::default();
}

/// Whether there is anything: the host's arrays may be older than copies.
pub fn any() -> bool {
    ANY.get()
}

/// What there is, for a launch, which gives it back or gives it up.
pub(crate) fn take() -> Option<Memory> {
    if !any() {
        return None;
    }
    ANY.set(false);
    KEPT.with_borrow_mut(|kept| kept.memory.take())
}

/// Keeps it until it is taken or [`release`]d.
pub(crate) fn put(memory: Memory) {
    ANY.set(true);
    KEPT.with_borrow_mut(|kept| kept.memory = Some(memory));
}

/// Copies that were newer than the host's arrays are gone, as [`release`] will tell.
pub(crate) fn lose() {
    ANY.set(true);
    KEPT.with_borrow_mut(|kept| kept.lost = true);
}

/// Keeps what is there as long as any copy: it may be an array that nobody else has any more. Whether it is kept, which it is not
/// if it has no owner.
pub fn hold(what: usize, owner: impl FnOnce() -> Option<Owner>) -> bool {
    KEPT.with_borrow_mut(|kept| {
        if kept.held.iter().any(|held| held.0 == what) {
            return true;
        }
        let owner = owner();
        let has_one = owner.is_some();
        kept.held.extend(owner.map(|owner| (what, owner)));
        has_one
    })
}

fn with<T>(work: impl FnOnce(&mut Memory) -> Result<T, Reason>) -> Result<Option<T>, Reason> {
    if !any() {
        return Ok(None);
    }
    KEPT.with_borrow_mut(|kept| {
        let Some(memory) = &mut kept.memory else {
            return Ok(None);
        };
        let done = work(memory);
        kept.transfers.add(memory.take_transfers());
        done.map(Some)
    })
}

/// Whether the copy of an array holds what the array does not; none where there is no copy.
pub(crate) fn is_newer(view: &ArrayView) -> Option<bool> {
    with(|memory| Ok(memory.is_newer(view)))
        .ok()
        .flatten()
        .flatten()
}

/// Has the host's arrays hold what copies do that are in that part of memory, or anywhere.
pub fn settle(range: Option<(i64, i64)>) -> Result<(), Reason> {
    let settle = |memory: &mut Memory| match range {
        Some(range) => memory.settle_in(range),
        None => memory.settle_all(),
    };
    with(settle).map(drop)
}

/// The same for one element of an array, which begins there.
pub fn settle_element(view: &ArrayView, at: i64) -> Result<(), Reason> {
    with(|memory| memory.settle_element(view, at)).map(drop)
}

/// The same, and the copies are no more: somebody else writes there.
pub fn give_up(range: (i64, i64)) -> Result<(), Reason> {
    let give_up = |memory: &mut Memory| {
        memory.settle_in(range)?;
        memory.forget_in(range);
        Ok(())
    };
    with(give_up).map(drop)
}

/// The same for all there is, which is gone then. Where the device does not give it back, what launches computed that had ended
/// is lost.
pub fn release() -> Result<(), Reason> {
    if !any() {
        return Ok(());
    }
    // Once more, if the device has failed: it may have been that copy alone.
    let settled = settle(None).or_else(|_| settle(None));
    ANY.set(false);
    let (memory, held, lost) = KEPT.with_borrow_mut(|kept| {
        (
            kept.memory.take(),
            std::mem::take(&mut kept.held),
            std::mem::take(&mut kept.lost),
        )
    });
    if let Some(memory) = memory {
        memory.give_up();
    }
    // Last: an owner's end may be somebody's code.
    drop(held);
    match lost {
        true => Err(Reason::Internal("a launch has failed".into())),
        false => settled,
    }
}

/// What came down since this was last asked, and was in no launch.
pub fn take_transfers() -> Transfers {
    KEPT.with_borrow_mut(|kept| std::mem::take(&mut kept.transfers))
}
