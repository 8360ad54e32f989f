//! Threads of an emulated device that wait for each other: each has a stack of its own, and runs until it comes to a
//! barrier, to something that its warp does together, or to its end.

use std::cell::Cell;
use std::ops::Range;

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use nestwise_codegen::EMULATED_WARP;

/// Bytes of a thread's stack.
const STACK: usize = 1 << 17;

thread_local! {
    /// How the thread of a device that runs here goes back to whoever steps it.
    static CURRENT: Cell<*const Yielder<i64, Waits>> = const { Cell::new(std::ptr::null()) };
}

/// What a thread waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Waits {
    /// The thread waits for the other threads of its block.
    Block,
    /// The thread waits for the threads of all blocks.
    All,
    /// The thread waits for its warp, to which it gives `word`; it wants the word of the thread `distance` places
    /// behind it or, below zero, of the warp's first.
    Warp { word: i64, distance: i64 },
}

impl Waits {
    /// Whether two threads wait for the same.
    fn is_like(self, other: Waits) -> bool {
        match (self, other) {
            (Waits::Warp { distance: a, .. }, Waits::Warp { distance: b, .. }) => a == b,
            _ => self == other,
        }
    }
}

/// The stacks on which no thread runs now.
#[derive(Default)]
pub struct Stacks(Vec<DefaultStack>);

/// Why threads did not run to their end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stuck {
    /// There was no memory for stacks.
    Stack,
    /// Some threads were at their end, or at another barrier, while others waited for them.
    Diverged,
}

/// Somebody who watches threads that run together.
pub trait Watch {
    /// Runs `step`, which runs the thread of that number for a while.
    fn step(&mut self, thread: usize, step: &mut dyn FnMut());
    /// Is called when all threads have waited for all others.
    fn all_met(&mut self);
}

impl Stacks {
    /// Runs threads, `block` of which form a block, each from barrier to barrier until all are at their end; `order` is
    /// the order in which they get their turns. Fails where they do not all come to their end.
    pub fn run(
        &mut self,
        threads: Vec<impl FnOnce() + 'static>,
        block: usize,
        order: &[usize],
        watch: &mut dyn Watch,
    ) -> Result<(), Stuck> {
        let mut coroutines = Vec::with_capacity(threads.len());
        for thread in threads {
            let stack = match self.0.pop() {
                Some(stack) => stack,
                None => DefaultStack::new(STACK).map_err(|_| Stuck::Stack)?,
            };
            coroutines.push(Coroutine::with_stack(stack, move |yielder, _: i64| {
                CURRENT.set(yielder);
                thread();
            }));
        }
        let mut turns = Turns::of(coroutines.len(), block);
        while turns.ready.contains(&true) {
            for k in order.iter().copied().filter(|k| turns.ready[*k]) {
                let Some(coroutine) = coroutines.get_mut(k).filter(|c| !c.done()) else {
                    continue;
                };
                watch.step(k, &mut || {
                    turns.waits[k] = match coroutine.resume(turns.words[k]) {
                        CoroutineResult::Yield(whom) => Some(whom),
                        CoroutineResult::Return(()) => None,
                    };
                });
            }
            if turns.next() {
                watch.all_met();
            }
        }
        let diverged = turns.diverged || turns.waits.iter().any(Option::is_some);
        for coroutine in &mut coroutines {
            // Nothing in them is to be dropped: they are code of ours, in which nobody has anything.
            if !coroutine.done() {
                // SAFETY: as above.
                unsafe { coroutine.force_reset() };
            }
        }
        self.0
            .extend(coroutines.into_iter().map(Coroutine::into_stack));
        match diverged {
            true => Err(Stuck::Diverged),
            false => Ok(()),
        }
    }
}

/// Which threads may go on.
struct Turns {
    /// The number of threads of a block.
    block: usize,
    /// What each thread waits for; none at its end.
    waits: Vec<Option<Waits>>,
    /// The word that each thread has got from its warp.
    words: Vec<i64>,
    ready: Vec<bool>,
    diverged: bool,
}

impl Turns {
    fn of(threads: usize, block: usize) -> Turns {
        Turns {
            block: block.max(1),
            waits: vec![Some(Waits::Block); threads],
            words: vec![0; threads],
            ready: vec![true; threads],
            diverged: false,
        }
    }

    /// Lets the threads go on that wait for nobody any more; returns whether all threads have waited for all others.
    fn next(&mut self) -> bool {
        self.ready.fill(false);
        let blocks = (0..self.waits.len()).step_by(self.block);
        let blocks: Vec<_> = blocks
            .map(|k| k..(k + self.block).min(self.waits.len()))
            .collect();
        let at: Vec<Option<Waits>> = blocks.iter().map(|b| self.of_block(b.clone())).collect();
        let met = !at.is_empty() && at.iter().all(|w| *w == Some(Waits::All));
        for (block, at) in blocks.into_iter().zip(at) {
            if met || at == Some(Waits::Block) {
                self.ready[block].fill(true);
            }
        }
        met
    }

    /// What all threads of a block wait for together, if they do. While warps of it do something together, only these
    /// go on.
    fn of_block(&mut self, block: Range<usize>) -> Option<Waits> {
        let mut together = false;
        for first in block.clone().step_by(EMULATED_WARP) {
            let warp = first..(first + EMULATED_WARP).min(block.end);
            together |= self.of_warp(warp);
        }
        let first = self.waits[block.start];
        let alike = self.waits[block].iter().all(|w| *w == first);
        self.diverged |= !alike && !together;
        first.filter(|_| alike)
    }

    /// Whether threads of a warp wait for each other; if all do, each gets its word, and may go on.
    fn of_warp(&mut self, warp: Range<usize>) -> bool {
        let waits = &self.waits[warp.clone()];
        let given = |w: &Option<Waits>| match w {
            Some(Waits::Warp { word, distance }) => Some((*word, *distance)),
            _ => None,
        };
        let any = waits.iter().any(|w| given(w).is_some());
        let like_first =
            |w: &Option<Waits>| matches!((waits[0], w), (Some(a), Some(b)) if a.is_like(*b));
        if any && waits.iter().all(like_first) {
            for (k, (own, distance)) in waits.iter().filter_map(given).enumerate() {
                // Where nobody is so far behind one it keeps its own.
                let other = usize::try_from(distance).map_or(0, |distance| k + distance);
                let other = waits.get(other).and_then(given);
                self.words[warp.start + k] = other.map_or(own, |w| w.0);
            }
            self.ready[warp].fill(true);
        } else {
            self.diverged |= any;
        }
        any
    }
}

/// The function behind `nw_barrier`.
pub unsafe extern "C" fn barrier(all: i64) {
    wait(match all {
        0 => Waits::Block,
        _ => Waits::All,
    });
}

/// The function behind `nw_shuffle`.
pub unsafe extern "C" fn shuffle(word: i64, distance: i64) -> i64 {
    wait(Waits::Warp { word, distance }).unwrap_or(word)
}

fn wait(whom: Waits) -> Option<i64> {
    let mine = CURRENT.get();
    // SAFETY: only threads that `run` steps come here, from the stack that its yielder is on.
    let yielder = unsafe { mine.as_ref() }?;
    let word = yielder.suspend(whom);
    CURRENT.set(mine);
    Some(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    /// Counts how often all have met.
    #[derive(Default)]
    struct Meetings(usize);

    impl Watch for Meetings {
        fn step(&mut self, _: usize, step: &mut dyn FnMut()) {
            step();
        }
        fn all_met(&mut self) {
            self.0 += 1;
        }
    }

    type Told = (Result<(), Stuck>, Vec<usize>, usize);

    /// Runs `count` threads in blocks of `block`, which come to barriers of these kinds; returns the order in which
    /// they came to each.
    fn told(count: usize, block: usize, barriers: impl Fn(usize) -> Vec<i64>) -> Told {
        let log: Rc<Cell<Vec<usize>>> = Rc::default();
        let thread = |k: usize| {
            let (log, barriers) = (log.clone(), barriers(k));
            move || {
                let note = || {
                    let mut all = log.take();
                    all.push(k);
                    log.set(all);
                };
                note();
                for all in barriers {
                    unsafe { barrier(all) };
                    note();
                }
            }
        };
        let order: Vec<usize> = (0..count).rev().collect();
        let threads = (0..count).map(thread).collect();
        let mut meetings = Meetings::default();
        let done = Stacks::default().run(threads, block, &order, &mut meetings);
        (done, log.take(), meetings.0)
    }

    #[test]
    fn all_come_to_a_barrier_before_any_goes_on() {
        assert_eq!(told(3, 3, |_| vec![0]), (Ok(()), vec![2, 1, 0, 2, 1, 0], 0));
        assert_eq!(told(2, 2, |_| vec![]), (Ok(()), vec![1, 0], 0));
        assert_eq!(told(0, 1, |_| vec![]).1, Vec::<usize>::new());
    }

    #[test]
    fn blocks_wait_for_each_other_where_all_do() {
        // The first block comes to a barrier of its own before.
        let kinds = |k: usize| if k < 2 { vec![0, 1] } else { vec![1] };
        let all = vec![3, 2, 1, 0, 1, 0, 3, 2, 1, 0];
        assert_eq!(told(4, 2, kinds), (Ok(()), all, 1));
    }

    /// Runs threads of a block that each give their number to the threads before them; returns what they get.
    fn handed(count: usize, distance: impl Fn(usize) -> i64) -> (Result<(), Stuck>, Vec<i64>) {
        let got: Rc<Cell<Vec<i64>>> = Rc::default();
        got.set(vec![-1; count]);
        let thread = |k: usize| {
            let (got, distance) = (got.clone(), distance(k));
            move || {
                let word = unsafe { shuffle(k as i64, distance) };
                let mut all = got.take();
                all[k] = word;
                got.set(all);
                unsafe { barrier(0) };
            }
        };
        let order: Vec<usize> = (0..count).rev().collect();
        let threads = (0..count).map(thread).collect();
        let done = Stacks::default().run(threads, count, &order, &mut Meetings::default());
        (done, got.take())
    }

    #[test]
    fn threads_of_a_warp_hand_each_other_words() {
        let warp = EMULATED_WARP as i64;
        let (done, got) = handed(2 * EMULATED_WARP, |_| 2);
        assert_eq!(done, Ok(()));
        let of = |k: i64| if k % warp + 2 < warp { k + 2 } else { k };
        assert_eq!(got, (0..2 * warp).map(of).collect::<Vec<_>>());
        let (done, got) = handed(2 * EMULATED_WARP, |_| -1);
        assert_eq!(done, Ok(()));
        assert_eq!(
            got,
            (0..2 * warp).map(|k| k / warp * warp).collect::<Vec<_>>()
        );
        // All of a warp have to ask for the same, not all of a block.
        assert_eq!(
            handed(2 * EMULATED_WARP, |k| (k as i64) / warp + 1).0,
            Ok(())
        );
        assert_eq!(
            handed(EMULATED_WARP, |k| (k % 2) as i64).0,
            Err(Stuck::Diverged)
        );
    }

    #[test]
    fn threads_that_do_not_come_to_a_barrier_are_told() {
        let diverged = Err(Stuck::Diverged);
        assert_eq!(told(2, 2, |k| vec![0; k]).0, diverged);
        assert_eq!(told(2, 2, |k| vec![k as i64]).0, diverged);
        // A block that is at its end, while another waits for all.
        assert_eq!(told(2, 1, |k| vec![1; k]).0, diverged);
    }
}
