//! Which stream of a device takes which work, and what that waits for.
//!
//! Streams do their work in order, and know nothing of each other. Work tells which blocks of the device's memory it
//! reads and writes; from that follows what it has to come behind: the work that wrote a block which it reads or
//! writes, and the work that read one which it writes. It goes to the stream in which the latest of these stands last,
//! or, where there is none such, to the stream that was given something the longest time ago; for the others that
//! stream waits. To wait for a stream is to wait for all that it has been given by then, and for all that it had waited
//! for itself: what is in order already is not waited for again.

use std::collections::HashMap;

/// The most streams: as many kernels, if each is too small for the device, may run at once.
pub const COUNT: usize = 4;

/// A piece of work that reads or writes a block: its stream, and how many that stream had been given with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Point {
    stream: usize,
    at: u64,
}

/// The work that wrote a block last, and the work that read it since.
#[derive(Default)]
struct Block {
    written: Option<Point>,
    read: Vec<Point>,
}

/// For each stream, how much work it had been given.
type Clock = [u64; COUNT];

/// The work that was given to the streams of a device, as far as it counts.
#[derive(Default)]
pub struct Streams {
    given: Clock,
    /// For each stream, how much of each other's work it has waited for.
    seen: [Clock; COUNT],
    blocks: HashMap<u64, Block>,
    /// For each stream, when it was given work last.
    latest: Clock,
    now: u64,
}

/// The stream that work goes to, and what it waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turn {
    pub stream: usize,
    /// The streams that this one has to wait for: for all that they have been given so far.
    pub waits: [bool; COUNT],
}

impl Streams {
    /// Gives a stream work that looks at blocks, each with whether it is written.
    pub fn take(&mut self, uses: &[(u64, bool)]) -> Turn {
        let behind = self.behind(uses);
        let last = |p: &&Point| self.given[p.stream] == p.at;
        let newest = behind.iter().filter(last);
        let newest = newest.max_by_key(|p| self.latest[p.stream]);
        let idle = || (0..COUNT).min_by_key(|k| self.latest[*k]).unwrap_or(0);
        let stream = newest.map_or_else(idle, |p| p.stream);
        self.on(stream, uses, &behind)
    }

    /// Gives a stream of the caller's choice work that looks at blocks, each with whether it is written.
    pub fn take_on(&mut self, stream: usize, uses: &[(u64, bool)]) -> Turn {
        let behind = self.behind(uses);
        self.on(stream, uses, &behind)
    }

    /// Has the stream that was given something last wait for all that any stream was given.
    pub fn join(&mut self) -> Turn {
        let latest = (0..COUNT).max_by_key(|k| self.latest[*k]).unwrap_or(0);
        self.join_on(latest)
    }

    fn join_on(&mut self, stream: usize) -> Turn {
        let tails = self.given;
        let all = (0..COUNT).map(|k| Point {
            stream: k,
            at: tails[k],
        });
        self.on(stream, &[], &all.collect::<Vec<_>>())
    }

    /// Notes that all work that was given to any stream has been waited for.
    pub fn waited(&mut self) {
        self.seen = [self.given; COUNT];
    }

    /// Notes that a block is no more, once the work on it has been done.
    pub fn forget(&mut self, block: u64) {
        self.blocks.remove(&block);
    }

    fn behind(&self, uses: &[(u64, bool)]) -> Vec<Point> {
        let mut behind = Vec::new();
        for (block, written) in uses {
            if let Some(block) = self.blocks.get(block) {
                behind.extend(block.written);
                behind.extend(block.read.iter().filter(|_| *written));
            }
        }
        behind
    }

    fn on(&mut self, stream: usize, uses: &[(u64, bool)], behind: &[Point]) -> Turn {
        let mut waits = [false; COUNT];
        // By way of the latest the others may have been waited for.
        let mut behind = behind.to_vec();
        behind.sort_by_key(|p| std::cmp::Reverse(self.latest[p.stream]));
        for point in behind {
            let other = point.stream;
            if other == stream || self.seen[stream][other] >= point.at {
                continue;
            }
            waits[other] = true;
            let theirs = self.seen[other];
            for (own, their) in self.seen[stream].iter_mut().zip(theirs) {
                *own = (*own).max(their);
            }
            self.seen[stream][other] = self.given[other];
        }
        self.given[stream] += 1;
        self.now += 1;
        self.latest[stream] = self.now;
        let point = Point {
            stream,
            at: self.given[stream],
        };
        for (block, written) in uses {
            let block = self.blocks.entry(*block).or_default();
            if *written {
                block.read.clear();
                block.written = Some(point);
            } else {
                // The last reader of a stream comes behind its other ones.
                block.read.retain(|p| p.stream != stream);
                block.read.push(point);
            }
        }
        Turn { stream, waits }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// For each of some turns, the turns that it comes behind, as the device has to see to it.
    #[derive(Default)]
    struct Order {
        /// For each turn, the turns before it.
        before: Vec<Vec<bool>>,
        /// The last turn of each stream.
        tails: [Option<usize>; COUNT],
    }

    impl Order {
        fn add(&mut self, turn: Turn) {
            let own = self.before.len();
            let mut before = vec![false; own + 1];
            let waits = (0..COUNT).filter(|k| turn.waits[*k] || *k == turn.stream);
            for tail in waits.filter_map(|k| self.tails[k]) {
                before[tail] = true;
                for (k, earlier) in self.before[tail].iter().enumerate() {
                    before[k] |= earlier;
                }
            }
            self.before.push(before);
            self.tails[turn.stream] = Some(own);
        }
    }

    fn waits(turn: Turn) -> usize {
        turn.waits.iter().filter(|w| **w).count()
    }

    proptest! {
        #[test]
        fn what_conflicts_is_in_order(
            all in prop::collection::vec(
                (prop::collection::vec((0u64..6, any::<bool>()), 0..4), any::<Option<u8>>()),
                1..60,
            )
        ) {
            let (mut streams, mut order) = (Streams::default(), Order::default());
            for (k, (uses, on)) in all.iter().enumerate() {
                let turn = match on {
                    Some(on) => streams.take_on(usize::from(*on) % COUNT, uses),
                    None => streams.take(uses),
                };
                order.add(turn);
                for (j, (earlier, _)) in all[..k].iter().enumerate() {
                    let conflict = uses.iter().any(|(block, written)| {
                        earlier.iter().any(|(b, w)| b == block && (*w || *written))
                    });
                    prop_assert!(!conflict || order.before[k][j], "{j} before {k}");
                }
            }
            order.add(streams.join());
            let last = all.len();
            prop_assert!(order.before[last][..last].iter().all(|b| *b));
        }
    }

    #[test]
    fn what_has_nothing_in_common_waits_for_nothing() {
        let mut streams = Streams::default();
        let turns = [1, 2, 3, 4].map(|block| streams.take(&[(9, false), (block, true)]));
        let mut taken = turns.map(|turn| turn.stream);
        taken.sort_unstable();
        assert_eq!(taken, [0, 1, 2, 3]);
        assert!(turns.iter().all(|turn| waits(*turn) == 0));
    }

    #[test]
    fn a_chain_stays_in_its_stream() {
        let mut streams = Streams::default();
        let chains = [(1, 2), (3, 4)];
        for step in 0..6 {
            for (k, (a, b)) in chains.into_iter().enumerate() {
                let (from, to) = if step % 2 == 0 { (a, b) } else { (b, a) };
                let turn = streams.take(&[(from, false), (to, true)]);
                assert_eq!((turn.stream, waits(turn)), (k, 0));
            }
        }
    }

    #[test]
    fn what_is_done_is_not_waited_for() {
        let mut streams = Streams::default();
        for block in 0..4 {
            streams.take(&[(block, true)]);
        }
        streams.join();
        streams.waited();
        let all = [0, 1, 2, 3].map(|block| (block, true));
        assert_eq!(waits(streams.take(&all)), 0);
    }

    #[test]
    fn what_is_in_order_is_not_waited_for_again() {
        let mut streams = Streams::default();
        streams.take_on(0, &[(1, true)]);
        assert_eq!(waits(streams.take_on(1, &[(1, false), (2, true)])), 1);
        // By way of the second one.
        assert_eq!(waits(streams.take_on(2, &[(2, false)])), 1);
        assert_eq!(waits(streams.take_on(2, &[(1, false)])), 0);
        assert_eq!(waits(streams.join_on(2)), 0);
        assert_eq!(waits(streams.join_on(3)), 1);
    }
}
