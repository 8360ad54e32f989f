//! Threads of an emulated device that wait for each other: each has a stack of its own, and runs until it comes to a barrier, or
//! to its end.

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use std::cell::Cell;

/// Bytes of a stack.
const STACK: usize = 1 << 17;

thread_local! {
    /// How the thread of a device that runs here goes back to whoever steps it.
    static CURRENT: Cell<*const Yielder<(), Waits>> = const { Cell::new(std::ptr::null()) };
}

/// For whom a thread waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Waits {
    /// The other threads of its block.
    Block,
    /// Those of all blocks.
    All,
}

/// Stacks that nobody runs on now.
#[derive(Default)]
pub struct Stacks(Vec<DefaultStack>);

/// Why threads did not run to their end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stuck {
    /// No memory for stacks.
    Stack,
    /// Some threads were at their end, or at another barrier, while others waited for them.
    Diverged,
}

/// Who is told of threads that run together.
pub trait Watch {
    /// Has the chance to do something about the thread of that number, which `step` runs.
    fn step(&mut self, thread: usize, step: &mut dyn FnMut());
    /// All of them have waited for all.
    fn all_met(&mut self);
}

impl Stacks {
    /// Runs threads, so many of them being a block, each as often as it takes from barrier to barrier; `order` says who is when.
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
            coroutines.push(Coroutine::with_stack(stack, move |yielder, ()| {
                CURRENT.set(yielder);
                thread();
            }));
        }
        // For whom each waits; at its end for nobody.
        let mut waits = vec![Some(Waits::Block); coroutines.len()];
        let mut diverged = false;
        let blocks = coroutines.len().div_ceil(block.max(1));
        let mut ready = vec![true; blocks];
        let block = block.max(1);
        while ready.contains(&true) {
            for k in order.iter().copied().filter(|k| ready[k / block]) {
                let Some(coroutine) = coroutines.get_mut(k).filter(|c| !c.done()) else {
                    continue;
                };
                watch.step(k, &mut || {
                    waits[k] = match coroutine.resume(()) {
                        CoroutineResult::Yield(whom) => Some(whom),
                        CoroutineResult::Return(()) => None,
                    };
                });
            }
            // Those of a block wait alike, or none can go on that does.
            let alike = |own: &[Option<Waits>]| {
                let same = own.iter().all(|w| *w == own[0]);
                diverged |= !same;
                own[0].filter(|_| same)
            };
            let at: Vec<Option<Waits>> = waits.chunks(block).map(alike).collect();
            let met = at.iter().all(|w| *w == Some(Waits::All));
            ready.clear();
            ready.extend(at.iter().map(|w| met || *w == Some(Waits::Block)));
            if met {
                watch.all_met();
            }
        }
        diverged |= waits.iter().any(Option::is_some);
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

/// What `nw_barrier` calls.
pub unsafe extern "C" fn barrier(all: i64) {
    let mine = CURRENT.get();
    // SAFETY: only threads that `run` steps come here, from the stack that its yielder is on.
    if let Some(yielder) = unsafe { mine.as_ref() } {
        yielder.suspend(match all {
            0 => Waits::Block,
            _ => Waits::All,
        });
        CURRENT.set(mine);
    }
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

    /// Threads, `block` of them being one, that come to barriers of those kinds; the order in which they came to each.
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

    #[test]
    fn threads_that_do_not_come_to_a_barrier_are_told() {
        let diverged = Err(Stuck::Diverged);
        assert_eq!(told(2, 2, |k| vec![0; k]).0, diverged);
        assert_eq!(told(2, 2, |k| vec![k as i64]).0, diverged);
        // A block that is at its end, while another waits for all.
        assert_eq!(told(2, 1, |k| vec![1; k]).0, diverged);
    }
}
