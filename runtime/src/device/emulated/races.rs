//! Finds the threads of a kernel that race: two touch an element, and one of them writes it, or updates it atomically
//! while the other does not.
//!
//! Kernels for an emulated device tell of each access (`nw_touched`). Between launches everything is in order, as long
//! as they look at nothing but what they were said to, which is checked, too; within a launch only accesses on both
//! sides of a barrier of the whole grid are. Arrays of more than 16 MB are not watched.

use std::cell::Cell;

use nestwise_codegen::abi::Access;

/// The last launch in which an element was touched, and the thread that did.
#[derive(Clone, Copy, Default, PartialEq)]
struct Stamp {
    launch: u32,
    thread: u32,
}

/// The number of a thread that stands for several threads.
const SEVERAL: u32 = u32::MAX;
/// Bytes of the largest blocks that are watched: what is kept of one takes 24 times as much.
const MOST_BYTES: usize = 1 << 24;

/// The launches and threads that wrote, read and updated an element last.
#[derive(Clone, Copy, Default)]
struct Touched {
    written: Stamp,
    read: Stamp,
    updated: Stamp,
}

/// The accesses to a device's memory, as far as they are kept.
#[derive(Default)]
pub struct Shadow {
    /// The address of each block, and, for each of its bytes, the accesses that begin there.
    blocks: Vec<(u64, Vec<Touched>)>,
    now: Stamp,
    /// The blocks that the kernel may look at, each with whether it may write there.
    uses: Vec<(u64, bool)>,
    raced: bool,
    strayed: bool,
}

thread_local! {
    /// The shadow of the device whose kernel runs on this thread.
    static CURRENT: Cell<*mut Shadow> = const { Cell::new(std::ptr::null_mut()) };
}

impl Shadow {
    /// Notes that a block of `bytes` bytes begins at an address.
    pub fn add(&mut self, at: u64, bytes: usize) {
        if bytes > MOST_BYTES {
            return;
        }
        self.blocks.push((at, vec![Touched::default(); bytes]));
    }

    /// Notes that the block which begins at an address is no more.
    pub fn remove(&mut self, at: u64) {
        self.blocks.retain(|(first, _)| *first != at);
    }

    /// Notes that a kernel is launched, which may look at these blocks, each with whether it may write there.
    pub fn launch(&mut self, uses: &[(u64, bool)]) {
        self.now.launch += 1;
        self.uses = uses.to_vec();
    }

    /// Runs a thread of the kernel.
    pub fn run(&mut self, thread: usize, work: impl FnOnce()) {
        self.now.thread = thread as u32;
        let before = CURRENT.replace(self);
        work();
        CURRENT.set(before);
    }

    /// Notes that all threads of the kernel have waited for all others: what each did before is in order with what
    /// comes.
    pub fn all_met(&mut self) {
        self.now.launch += 1;
    }

    /// What went wrong so far, in words; none if nothing did.
    pub fn wrong(&self) -> Option<&'static str> {
        match (self.raced, self.strayed) {
            (true, _) => Some("threads of a kernel raced"),
            (_, true) => Some("a kernel looked at an array that it was not said to"),
            _ => None,
        }
    }

    fn touched(&mut self, at: u64, access: Access) {
        let now = self.now;
        let holds = |(first, cells): &&mut (u64, Vec<Touched>)| {
            (*first..*first + cells.len() as u64).contains(&at)
        };
        let Some((first, cells)) = self.blocks.iter_mut().find(holds) else {
            return;
        };
        let may =
            |(block, written): &(u64, bool)| block == first && (*written || access == Access::Read);
        self.strayed |= !self.uses.iter().any(may);
        let cell = &mut cells[(at - *first) as usize];
        let by_another = |stamp: Stamp| stamp.launch == now.launch && stamp.thread != now.thread;
        let (looks, updates) = (access == Access::Read, access == Access::Update);
        self.raced |= by_another(cell.written)
            || !looks && by_another(cell.read)
            || !updates && by_another(cell.updated);
        let stamp = match access {
            Access::Read => &mut cell.read,
            Access::Write => &mut cell.written,
            Access::Update => &mut cell.updated,
        };
        // If several threads touch it, `SEVERAL` stands for them; if they write it, they have raced already.
        if by_another(*stamp) {
            stamp.thread = SEVERAL;
        } else {
            *stamp = now;
        }
    }
}

/// The function behind `nw_touched`.
pub unsafe extern "C" fn touched(at: *const u8, access: i64) {
    let shadow = CURRENT.get();
    if !shadow.is_null()
        && let Some(access) = Access::from_code(access)
    {
        // SAFETY: `run` is on this thread's stack, and lends it.
        unsafe { (*shadow).touched(at as u64, access) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raced(accesses: &[(usize, u64, bool)]) -> bool {
        let code = |write: bool| match write {
            true => Access::Write,
            false => Access::Read,
        };
        let each = accesses.iter().map(|(t, at, w)| (*t, *at, code(*w)));
        raced_by(&each.collect::<Vec<_>>())
    }

    fn raced_by(accesses: &[(usize, u64, Access)]) -> bool {
        let mut shadow = Shadow::default();
        shadow.add(64, 64);
        shadow.launch(&[(64, true)]);
        // An earlier launch is in order with this one.
        shadow.run(9, || unsafe { touched(64 as *const u8, 1) });
        shadow.launch(&[(64, true)]);
        for (thread, at, access) in accesses {
            shadow.run(*thread, || unsafe {
                touched(*at as *const u8, *access as i64)
            });
        }
        shadow.wrong() == Some("threads of a kernel raced")
    }

    #[test]
    fn what_a_kernel_was_not_said_to_look_at_is_found() {
        let strayed = |uses: &[(u64, bool)], access: Access| {
            let mut shadow = Shadow::default();
            shadow.add(64, 64);
            shadow.launch(uses);
            shadow.run(0, || unsafe { touched(72 as *const u8, access as i64) });
            shadow.wrong().is_some()
        };
        assert!(!strayed(&[(64, false)], Access::Read));
        assert!(!strayed(&[(64, true)], Access::Write));
        assert!(strayed(&[(64, false)], Access::Write));
        assert!(strayed(&[(64, false)], Access::Update));
        assert!(strayed(&[(128, true)], Access::Read));
    }

    #[test]
    fn updates_race_with_all_but_updates() {
        use Access::{Read, Update, Write};
        assert!(!raced_by(&[
            (1, 64, Update),
            (2, 64, Update),
            (1, 64, Update)
        ]));
        assert!(!raced_by(&[(1, 64, Update), (1, 64, Read), (1, 64, Write)]));
        for other in [Read, Write] {
            assert!(raced_by(&[(1, 64, Update), (2, 64, other)]));
            assert!(raced_by(&[(1, 64, other), (2, 64, Update)]));
            // One of several threads that update the element may be the one that also does the other access.
            assert!(raced_by(&[
                (1, 64, Update),
                (2, 64, Update),
                (2, 64, other)
            ]));
        }
    }

    #[test]
    fn a_race_is_two_threads_of_which_one_writes() {
        assert!(!raced(&[(1, 64, true), (1, 64, false), (1, 64, true)]));
        assert!(!raced(&[
            (1, 64, false),
            (2, 64, false),
            (1, 72, true),
            (2, 80, true)
        ]));
        assert!(raced(&[(1, 64, true), (2, 64, true)]));
        assert!(raced(&[(1, 64, true), (2, 64, false)]));
        assert!(raced(&[(1, 64, false), (2, 64, true)]));
        // The writer may be one of several readers.
        assert!(raced(&[(1, 64, false), (2, 64, false), (2, 64, true)]));
        assert!(raced(&[(2, 64, false), (1, 64, false), (2, 64, true)]));
    }
}
