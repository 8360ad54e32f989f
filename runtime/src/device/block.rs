//! Threads of a block of an emulated device that wait for each other: each has a stack of its own, and runs until it comes to a
//! barrier, or to its end.

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use std::cell::Cell;

/// Bytes of a stack.
const STACK: usize = 1 << 17;

thread_local! {
    /// How the thread of a device that runs here goes back to whoever steps it.
    static CURRENT: Cell<*const Yielder<(), ()>> = const { Cell::new(std::ptr::null()) };
}

/// Stacks that nobody runs on now.
#[derive(Default)]
pub struct Stacks(Vec<DefaultStack>);

/// Why a block did not run to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stuck {
    /// No memory for stacks.
    Stack,
    /// Some threads were at their end while others waited for them.
    Diverged,
}

impl Stacks {
    /// Runs threads, each as often as it takes from barrier to barrier; `around` has the chance to do something about the one
    /// that is run next, and `order` says who is when.
    pub fn run(
        &mut self,
        threads: Vec<impl FnOnce() + 'static>,
        order: &[usize],
        mut around: impl FnMut(usize, &mut dyn FnMut()),
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
        let mut diverged = false;
        loop {
            let (mut waiting, mut ended) = (0, 0);
            for k in order.iter().copied() {
                let Some(coroutine) = coroutines.get_mut(k).filter(|c| !c.done()) else {
                    continue;
                };
                around(k, &mut || match coroutine.resume(()) {
                    CoroutineResult::Yield(()) => waiting += 1,
                    CoroutineResult::Return(()) => ended += 1,
                });
            }
            diverged |= waiting > 0 && ended > 0;
            if waiting == 0 {
                break;
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
pub unsafe extern "C" fn barrier() {
    let mine = CURRENT.get();
    // SAFETY: only threads that `run` steps come here, from the stack that its yielder is on.
    if let Some(yielder) = unsafe { mine.as_ref() } {
        yielder.suspend(());
        CURRENT.set(mine);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    fn told(count: usize, barriers: impl Fn(usize) -> usize) -> (Result<(), Stuck>, Vec<usize>) {
        let log: Rc<Cell<Vec<usize>>> = Rc::default();
        let thread = |k: usize| {
            let (log, barriers) = (log.clone(), barriers(k));
            move || {
                for _ in 0..=barriers {
                    let mut all = log.take();
                    all.push(k);
                    log.set(all);
                    if barriers > 0 {
                        unsafe { barrier() };
                    }
                }
            }
        };
        let order: Vec<usize> = (0..count).rev().collect();
        let threads = (0..count).map(thread).collect();
        let done = Stacks::default().run(threads, &order, |_, step| step());
        (done, log.take())
    }

    #[test]
    fn all_come_to_a_barrier_before_any_goes_on() {
        assert_eq!(told(3, |_| 1), (Ok(()), vec![2, 1, 0, 2, 1, 0]));
        assert_eq!(told(2, |_| 0), (Ok(()), vec![1, 0]));
        assert_eq!(told(0, |_| 0), (Ok(()), vec![]));
    }

    #[test]
    fn threads_that_do_not_come_to_a_barrier_are_told() {
        assert_eq!(told(2, |k| k).0, Err(Stuck::Diverged));
    }
}
