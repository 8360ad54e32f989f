//! The threads that help with parallel loops, and how long they look for the next one before they sleep.
//!
//! Waking a thread that sleeps takes some 70 us on a virtual machine, which is as long as many a loop. So a thread that
//! has nothing to do goes on looking for a while (the ski-rental problem: Karlin et al., "Competitive snoopy caching",
//! 1988), and lets others have its core whenever they want it.

use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::threads::affinity::{self, Seat};

/// How long a thread looks for what is to come before it sleeps: twice what waking up takes, since a core that looks
/// has nothing else to do, and what is lost is somebody's time.
pub const LOOKS_FOR: Duration = Duration::from_micros(200);
/// The number of looks between two of the clock, at which others may have the core.
const LOOKS: u32 = 1024;

/// Work that several threads can do together, each as long as there is something left.
pub trait Shared: Send + Sync {
    /// Takes part in the work; `thread` numbers the threads that do, from 1 on (0 is the thread that offers it).
    fn work(&self, thread: usize);
}

/// The workers: as many as there are threads but one.
pub struct WorkerPool {
    workers: ThreadPool,
    seats: Arc<[Seat]>,
    open: Mutex<Open>,
    /// The number of offers so far, so that whoever looks for one need not lock.
    offered: AtomicU64,
}

/// The work that is offered, and the workers that will come to do it.
#[derive(Default)]
struct Open {
    offers: Vec<Offer>,
    /// The number of workers that look, or have been called.
    ready: usize,
}

struct Offer {
    job: Arc<dyn Shared>,
    /// The number of the next worker, and the number of all threads.
    next: usize,
    threads: usize,
}

impl Open {
    /// The number of places that no worker has taken.
    fn places(&self) -> usize {
        self.offers.iter().map(|o| o.threads - o.next).sum()
    }

    /// Takes a place, for a worker that is ready; returns the job and the worker's number in it.
    fn take(&mut self) -> Option<(Arc<dyn Shared>, usize)> {
        let offer = self.offers.iter_mut().find(|o| o.next < o.threads)?;
        offer.next += 1;
        self.ready -= 1;
        Some((offer.job.clone(), offer.next - 1))
    }
}

impl WorkerPool {
    fn new(workers: usize) -> Option<WorkerPool> {
        let seats: Arc<[Seat]> = (0..workers).map(|_| Seat::new()).collect();
        let own = seats.clone();
        let workers = ThreadPoolBuilder::new()
            .num_threads(workers)
            .thread_name(|i| format!("nestwise-{i}"))
            .start_handler(move |i| own.get(i).into_iter().for_each(Seat::take))
            .build();
        Some(WorkerPool {
            workers: workers.ok()?,
            seats,
            open: Mutex::default(),
            offered: AtomicU64::new(0),
        })
    }

    /// The pool of this process with `workers` workers; none where no threads can be had.
    pub fn of_this_process(workers: usize) -> Option<Arc<WorkerPool>> {
        let mut slot = lock(&Owned::of_this_process().pool);
        if let Some((size, pool)) = slot.as_ref()
            && *size == workers
        {
            return Some(pool.clone());
        }
        let pool = Arc::new(WorkerPool::new(workers)?);
        *slot = Some((workers, pool.clone()));
        Some(pool)
    }

    /// Does a job on `threads` threads, this one among them; those that come too late are not waited for.
    pub fn share(self: &Arc<Self>, job: &Arc<impl Shared + 'static>, threads: usize) {
        let same: Arc<dyn Shared> = job.clone();
        affinity::keep_off(&self.seats);
        let missing = {
            let mut open = lock(&self.open);
            open.offers.push(Offer {
                job: same.clone(),
                next: 1,
                threads,
            });
            let missing = open.places().saturating_sub(open.ready);
            open.ready += missing;
            missing
        };
        self.offered.fetch_add(1, Ordering::Release);
        for _ in 0..missing {
            let pool = self.clone();
            self.workers.spawn(move || pool.serve());
        }
        job.work(0);
        lock(&self.open)
            .offers
            .retain(|o| !Arc::ptr_eq(&o.job, &same));
    }

    /// Takes part in jobs until there has been nothing to do for a while.
    fn serve(&self) {
        let mut was_away = false;
        loop {
            let seen = self.offered.load(Ordering::Acquire);
            while let Some((job, thread)) = self.take(was_away) {
                job.work(thread);
                was_away = true;
            }
            was_away = false;
            if look(|| self.offered.load(Ordering::Acquire) != seen) {
                continue;
            }
            let mut open = lock(&self.open);
            if open.places() == 0 {
                open.ready -= 1;
                return;
            }
        }
    }

    /// Takes a place in a job that is offered, if there is one; `was_away`: the worker comes from another job, and
    /// counts as ready again.
    fn take(&self, was_away: bool) -> Option<(Arc<dyn Shared>, usize)> {
        let mut open = lock(&self.open);
        open.ready += usize::from(was_away);
        open.take()
    }
}

/// Looks whether something comes true within [`LOOKS_FOR`], and lets others have the core meanwhile.
pub fn look(mut there: impl FnMut() -> bool) -> bool {
    let mut begun = None;
    loop {
        for _ in 0..LOOKS {
            if there() {
                return true;
            }
            std::hint::spin_loop();
        }
        if begun.get_or_insert_with(Instant::now).elapsed() > LOOKS_FOR {
            return there();
        }
        std::thread::yield_now();
    }
}

/// The pool of one process.
struct Owned {
    owner: u32,
    pool: Mutex<Option<(usize, Arc<WorkerPool>)>>,
}

impl Owned {
    /// The pool's owner of this process. A forked child has none of its parent's threads, and whoever held the parent's
    /// lock when it was forked is not there to let go of it: the child begins anew, and what was its parent's is left
    /// alone.
    fn of_this_process() -> &'static Owned {
        static OWNED: AtomicPtr<Owned> = AtomicPtr::new(std::ptr::null_mut());
        let owner = std::process::id();
        let found = OWNED.load(Ordering::Acquire);
        // SAFETY: null, or one that is never freed.
        if let Some(owned) = unsafe { found.as_ref() }
            && owned.owner == owner
        {
            return owned;
        }
        let new = Box::leak(Box::new(Owned {
            owner,
            pool: Mutex::new(None),
        }));
        match OWNED.compare_exchange(found, new, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => new,
            // SAFETY: another thread of this process was first; its is never freed.
            Err(other) => unsafe { &*other },
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Condvar;

    /// Work that is done when a number of threads have come, or did not come in time.
    struct Meeting {
        threads: usize,
        came: Mutex<Vec<usize>>,
        all: Condvar,
    }

    impl Meeting {
        fn of(threads: usize) -> Arc<Meeting> {
            Arc::new(Meeting {
                threads,
                came: Mutex::default(),
                all: Condvar::new(),
            })
        }

        fn numbers(&self) -> Vec<usize> {
            let mut came = lock(&self.came).clone();
            came.sort_unstable();
            came
        }
    }

    impl Shared for Meeting {
        fn work(&self, thread: usize) {
            let mut came = lock(&self.came);
            came.push(thread);
            self.all.notify_all();
            let missing = |came: &mut Vec<usize>| came.len() < self.threads;
            drop(
                self.all
                    .wait_timeout_while(came, Duration::from_secs(20), missing),
            );
        }
    }

    #[test]
    fn as_many_come_as_are_asked_for_asleep_or_awake() {
        let pool = Arc::new(WorkerPool::new(3).unwrap());
        for (threads, pause) in [(4, 0), (4, 0), (2, 0), (3, 30), (4, 0), (2, 30), (4, 30)] {
            let meeting = Meeting::of(threads);
            pool.share(&meeting, threads);
            assert_eq!(meeting.numbers(), Vec::from_iter(0..threads));
            assert!(lock(&pool.open).offers.is_empty());
            std::thread::sleep(Duration::from_millis(pause));
        }
    }

    #[test]
    fn jobs_offered_at_once_each_find_helpers() {
        let pool = Arc::new(WorkerPool::new(2).unwrap());
        for _ in 0..50 {
            std::thread::scope(|scope| {
                for _ in 0..2 {
                    scope.spawn(|| {
                        let meeting = Meeting::of(2);
                        pool.share(&meeting, 2);
                        assert_eq!(meeting.numbers(), [0, 1]);
                    });
                }
            });
        }
    }

    #[test]
    fn looking_ends() {
        let mut looks = 0;
        let never = || {
            looks += 1;
            false
        };
        assert!(!look(never));
        assert!(looks > 1);
        assert!(look(|| true));
    }
}
