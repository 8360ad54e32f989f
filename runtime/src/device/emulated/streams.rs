//! The work that the streams of an emulated device have yet to do: nothing is done before somebody waits for it, and
//! then in an order of chance, of those that streams allow.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::device::streams::{COUNT, Streams};
use crate::testing::forced_schedules::scattered;

/// The work that streams were given, and have not done.
pub(crate) struct Later<T> {
    streams: Streams,
    queues: [VecDeque<Waiting<T>>; COUNT],
    given: [u64; COUNT],
    done: [u64; COUNT],
}

/// Work that waits until each stream has done as much as `behind` says.
struct Waiting<T> {
    behind: [u64; COUNT],
    what: T,
}

impl<T> Default for Later<T> {
    fn default() -> Later<T> {
        Later {
            streams: Streams::default(),
            queues: std::array::from_fn(|_| VecDeque::new()),
            given: [0; COUNT],
            done: [0; COUNT],
        }
    }
}

impl<T> Later<T> {
    /// Gives a stream work that looks at blocks, each with whether it is written.
    pub(crate) fn add(&mut self, uses: &[(u64, bool)], what: T) {
        let turn = self.streams.take(uses);
        let mut behind = [0; COUNT];
        for other in (0..COUNT).filter(|k| turn.waits[*k]) {
            behind[other] = self.given[other];
        }
        self.given[turn.stream] += 1;
        self.queues[turn.stream].push_back(Waiting { behind, what });
    }

    /// Notes that a block is no more.
    pub(crate) fn forget(&mut self, block: u64) {
        self.streams.forget(block);
    }

    /// Takes one of the works that may be done now; none: all are done.
    pub(crate) fn next(&mut self) -> Option<T> {
        static DRAWN: AtomicU64 = AtomicU64::new(0);
        let ready = |k: &usize| {
            let first = self.queues[*k].front();
            first.is_some_and(|w| w.behind.iter().zip(&self.done).all(|(b, d)| b <= d))
        };
        let ready: Vec<usize> = (0..COUNT).filter(ready).collect();
        let drawn = scattered(DRAWN.fetch_add(1, Ordering::Relaxed)) as usize;
        let stream = *ready.get(drawn.checked_rem(ready.len())?)?;
        self.done[stream] += 1;
        self.queues[stream].pop_front().map(|w| w.what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_independent_comes_in_any_order_and_the_rest_in_its_own() {
        let mut firsts = [false; 2];
        for _ in 0..64 {
            let mut later = Later::default();
            later.add(&[(1, true)], 0);
            later.add(&[(2, true)], 1);
            later.add(&[(1, false), (2, false), (3, true)], 2);
            later.add(&[(3, true)], 3);
            let all: Vec<usize> = std::iter::from_fn(|| later.next()).collect();
            firsts[all[0]] = true;
            assert_eq!(all[2..], [2, 3]);
        }
        assert_eq!(firsts, [true; 2]);
    }
}
