//! Copies that stay on a device from one launch to the next.
//!
//! Copies outlive a launch where the program cannot look at the arrays before it asks us: in the gaps of a *region*,
//! between nests of a loop that itself is not one ([`Host::owner`](crate::Host::owner)). Each thread has its own such
//! copies, and none wherever other threads may run.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::device::memory::{ANY, LOST, Memory, Owner, Transfers};
use crate::memory::overlap::ArrayView;
use crate::reason::Reason;

#[derive(Default)]
struct Residency {
    memory: Option<Memory>,
    /// Objects that must live as long as the copies do, each with its address.
    held: Vec<(usize, Owner)>,
    /// Transfers that no launch has reported.
    transfers: Transfers,
}

thread_local! {
    static RESIDENCY: RefCell<Residency> = RefCell::default();
}

/// Whether this thread has copies on a device, which the host's arrays may be older than.
pub fn any() -> bool {
    ANY.get()
}

/// Takes this thread's copies for a launch, which gives them back or gives them up.
pub(crate) fn take() -> Option<Memory> {
    if !any() {
        return None;
    }
    ANY.set(false);
    RESIDENCY.with_borrow_mut(|resident| resident.memory.take())
}

/// Keeps copies until they are taken or [`release`]d.
pub(crate) fn put(memory: Memory) {
    ANY.set(true);
    RESIDENCY.with_borrow_mut(|resident| resident.memory = Some(memory));
}

/// Keeps the object at the address `what` as long as any copy: it may be an array that nobody else has any more.
/// Returns whether it is kept, which it is not if it has no owner.
pub fn hold(what: usize, owner: impl FnOnce() -> Option<Owner>) -> bool {
    RESIDENCY.with_borrow_mut(|resident| {
        if resident.held.iter().any(|held| held.0 == what) {
            return true;
        }
        let owner = owner();
        let has_one = owner.is_some();
        resident.held.extend(owner.map(|owner| (what, owner)));
        has_one
    })
}

/// Notes that an array was just made, and holds zeros or whatever it happens to: if there are copies of others, it gets
/// one, too.
pub fn made(view: &ArrayView, owner: Owner) -> Result<(), Reason> {
    bury();
    with(|memory| memory.fresh(view, owner)).map(drop)
}

/// Notes that an array `to` was just made that is to hold what `from` does: if that has a copy, `to` gets one, too.
/// Returns whether it does.
pub fn duplicated(from: &ArrayView, to: &ArrayView, owner: Owner) -> Result<bool, Reason> {
    bury();
    let duplicated = with(|memory| memory.duplicate(from, to, owner))?;
    Ok(duplicated.unwrap_or(false))
}

/// Notes that an array `to` is to hold what `from` does: if that has a copy, `to` gets one, too. Returns whether it
/// does.
pub fn assigned(from: &ArrayView, to: &ArrayView, owner: Owner) -> Result<bool, Reason> {
    let assigned = with(|memory| memory.assign(from, to, owner))?;
    Ok(assigned.unwrap_or(false))
}

/// Whether a device has a copy of an array.
pub fn has_copy(view: &ArrayView) -> bool {
    is_newer(view).is_some()
}

/// Gives up the objects that nobody but us keeps any more, and the copies of them: nobody will ask what they hold.
fn bury() {
    let buried = RESIDENCY.with_borrow_mut(|resident| {
        let copies = resident.memory.iter().flat_map(Memory::owners);
        let mut ours: HashMap<usize, (usize, usize)> = HashMap::new();
        for owner in copies.chain(resident.held.iter().map(|held| &held.1)) {
            if let Some((array, all)) = owner.holders() {
                let (own, holders) = ours.entry(array).or_default();
                (*own, *holders) = (*own + 1, all);
            }
        }
        let is_dead = |owner: &Owner| {
            let array = owner.holders().map(|(array, _)| array);
            array
                .and_then(|array| ours.get(&array))
                .is_some_and(|(own, all)| own == all)
        };
        let all = std::mem::take(&mut resident.held).into_iter();
        let (dead, held): (Vec<_>, Vec<_>) = all.partition(|held| is_dead(&held.1));
        resident.held = held;
        let copies = resident.memory.as_mut().map(|memory| memory.bury(is_dead));
        (dead, copies)
    });
    // Last, with nothing of ours borrowed.
    drop(buried);
}

fn with<T>(work: impl FnOnce(&mut Memory) -> Result<T, Reason>) -> Result<Option<T>, Reason> {
    if !any() {
        return Ok(None);
    }
    RESIDENCY.with_borrow_mut(|resident| {
        let Some(memory) = &mut resident.memory else {
            return Ok(None);
        };
        let done = work(memory);
        resident.transfers.add(memory.take_transfers());
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

/// Downloads the copies that are newer than the host's arrays, in a part of the host's memory or anywhere.
pub fn settle(range: Option<(i64, i64)>) -> Result<(), Reason> {
    let settle = |memory: &mut Memory| match range {
        Some(range) => memory.settle_in(range),
        None => memory.settle_all(),
    };
    with(settle).map(drop)
}

/// Downloads one element of an array, which is at the host's address `at`, if a copy is newer.
pub fn settle_element(view: &ArrayView, at: i64) -> Result<(), Reason> {
    with(|memory| memory.settle_element(view, at)).map(drop)
}

/// Downloads the copies of a part of the host's memory, and drops them: somebody else writes there.
pub fn give_up(range: (i64, i64)) -> Result<(), Reason> {
    let give_up = |memory: &mut Memory| {
        memory.settle_in(range)?;
        memory.forget_in(range);
        Ok(())
    };
    with(give_up).map(drop)
}

/// Downloads all copies, and drops them. Fails where the device does not give them back: what launches computed that
/// had ended is lost then.
pub fn release() -> Result<(), Reason> {
    if !any() {
        return Ok(());
    }
    bury();
    // Once more, if the device has failed: it may have been that copy alone.
    let settled = settle(None).or_else(|_| settle(None));
    ANY.set(false);
    let (memory, held) = RESIDENCY
        .with_borrow_mut(|resident| (resident.memory.take(), std::mem::take(&mut resident.held)));
    let lost = LOST.take();
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

/// Counts transfers that were in no launch.
pub(crate) fn count(transfers: Transfers) {
    RESIDENCY.with_borrow_mut(|resident| resident.transfers.add(transfers));
}

/// The transfers since this was last asked that were in no launch.
pub fn take_transfers() -> Transfers {
    RESIDENCY.with_borrow_mut(|resident| std::mem::take(&mut resident.transfers))
}
