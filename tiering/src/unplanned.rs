//! Sites for which there is no plan yet.
//!
//! A plan, which tells what a nest may do and what it costs where, takes about as long as CPython takes for some ten
//! thousand operations: most loops of most programs never run for that long in all. So CPython runs a site until it has
//! lost about as much time as a plan and quick code take (ski-rental), in this process or in those before it. The time
//! of a call is told by what it is given, where that bounds it, and measured elsewhere: a counted loop's first
//! iterations tell what the rest takes ([`Budget`]). A call that takes much longer waits for a plan from its beginning;
//! one that takes longer is planned beside CPython, which goes on meanwhile, where there are cores to spare.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};

use nestwise_costmodel::Seconds;

use crate::constants::{LARGE, LONG_INSIDE, READING, SMALL};
use crate::fast_reject::FastReject;
use crate::lost::Legacy;
use crate::tiers::waits;
use crate::work::Work;

/// What is known of a site before it has a plan.
#[derive(Default)]
pub struct Unplanned {
    phase: AtomicU8,
    /// Nanoseconds that CPython has taken for the site in all.
    spent: AtomicU64,
    /// `rejected`: the number of calls that were left to CPython without a further look; `guessed`: their part of
    /// `spent`.
    rejected: AtomicU64,
    guessed: AtomicU64,
    /// `each`: nanoseconds of the last such call; `lent`: how many of them the fast reject may leave unasked.
    each: AtomicU64,
    lent: AtomicU32,
    /// Nanoseconds that CPython may spend without a plan.
    most: AtomicU64,
    /// Whether the sizes of a few names told what the last call takes.
    told: AtomicBool,
}

/// No plan was asked for yet.
const UNASKED: u8 = 0;
/// A plan is being made.
const ORDERED: u8 = 1;
/// There is a plan.
const OVER: u8 = 2;

/// What is to become of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Course {
    /// CPython runs all of it.
    Interpret,
    /// CPython begins, and a plan is asked for later; with the time that CPython takes for the whole call, if that is
    /// known.
    Wait(Budget, Option<Seconds>),
    /// A plan is to be made; CPython may go on meanwhile.
    Order,
    /// The call waits for a plan, which is made now.
    Plan,
}

/// How long CPython goes on with a call before a plan is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// The time for which CPython goes on where nothing tells what the rest of the call takes.
    pub time: Seconds,
    /// The time that a plan and code take to make, if the loop's pace is to tell whether they are worth it.
    pub making: Option<Seconds>,
}

impl Budget {
    /// A budget of that time, whatever the rest of the call takes.
    pub fn of(time: Seconds) -> Budget {
        Budget { time, making: None }
    }

    /// What is to become of a call that CPython has run for `spent`. `rest`: the time that the remaining iterations
    /// take at the loop's pace; `early`: whether the loop may be left before.
    pub fn after(
        &self,
        spent: Seconds,
        rest: Option<Seconds>,
        early: impl FnOnce() -> bool,
    ) -> Ongoing {
        match (rest, self.making) {
            // The call is over before anything could come of a plan, unless its iterations take longer and longer.
            (Some(rest), Some(making)) if rest < making * LARGE => Ongoing::GoOn(rest),
            (Some(rest), Some(making)) if waits(rest, making, early()) => Ongoing::Plan,
            (Some(_), Some(_)) => Ongoing::Order,
            _ if spent < self.time => Ongoing::GoOn(Seconds(self.time.0 - spent.0)),
            _ => Ongoing::Order,
        }
    }
}

/// What is to become of a call that CPython has begun; see [`Course`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ongoing {
    /// CPython goes on for this long before the question comes again.
    GoOn(Seconds),
    /// A plan is to be made; CPython may go on meanwhile.
    Order,
    /// The call waits for a plan, which is made now.
    Plan,
}

/// The time to make what a call could go on with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Making {
    /// The time to make a plan.
    pub plan: Seconds,
    /// The time to make quick code, once there is a plan.
    pub code: Seconds,
}

impl Making {
    /// The time to make both.
    pub fn all(self) -> Seconds {
        self.plan + self.code
    }
}

/// What a call takes CPython, about.
#[derive(Clone, Copy, Debug)]
pub struct Price {
    /// The time of the call; not a number where nothing tells.
    pub seconds: Seconds,
    /// Whether that is the whole time. Otherwise the call takes at least as long: something is not bounded.
    pub whole: bool,
}

impl Price {
    /// The whole time, if that is known.
    pub fn known(self) -> Option<Seconds> {
        self.whole.then_some(self.seconds)
    }

    /// Whether the call is worth a plan and code of its own although a loop around it is soon to have both.
    pub fn is_long_inside(self, site: &impl Site) -> bool {
        // What is on disk is looked for only where that could matter.
        let takes = |time: Seconds| self.seconds >= time * LONG_INSIDE;
        takes(READING) && (site.legacy() == Legacy::Plans || takes(site.making().all()))
    }

    fn is_at_least(self, least: f64) -> bool {
        self.seconds.0.is_nan() || self.seconds.0 >= least
    }
}

/// What else a decision may need to know of a site, or of the call that comes; asked for only where it matters.
pub trait Site {
    /// The time to make a plan and quick code.
    fn making(&self) -> Making;
    /// What earlier processes have left behind about the site.
    fn legacy(&self) -> Legacy;
    /// Whether CPython, once it has begun an iteration, goes on with it for longer than a plan takes.
    fn is_coarse(&self) -> bool;
    /// Whether CPython can be stopped between two iterations.
    fn can_stop(&self) -> bool;
    /// Whether the loop may be left before its last iteration (`break`, `return`).
    fn may_be_left(&self) -> bool;
}

impl Unplanned {
    /// Whether there is a plan, so that calls are looked at like any others.
    pub fn is_over(&self) -> bool {
        self.phase.load(Ordering::Relaxed) == OVER
    }

    /// Whether nobody has asked for a plan yet.
    pub fn is_unasked(&self) -> bool {
        self.phase.load(Ordering::Relaxed) == UNASKED
    }

    /// Notes that there is a plan.
    pub fn end(&self) {
        self.phase.store(OVER, Ordering::Relaxed);
    }

    /// Notes that a plan is being made.
    pub fn ordered(&self) {
        self.phase.fetch_max(ORDERED, Ordering::Relaxed);
    }

    /// Adds the time that CPython has taken for a call.
    pub fn add(&self, seconds: Seconds) {
        self.spent
            .fetch_add(nanoseconds(seconds), Ordering::Relaxed);
    }

    /// The time that CPython has taken for the site so far.
    pub fn spent(&self) -> Seconds {
        sum(&self.spent)
    }

    /// What this process has lost, if that is worth telling others: there is no plan yet.
    pub fn lost(&self) -> Option<Seconds> {
        let spent = self.spent();
        (!self.is_over() && spent.0 >= READING.0 * SMALL).then_some(spent)
    }

    /// The number of calls that were left to CPython, by the fast reject too, and about the time that CPython took for
    /// them.
    pub fn rejected<S>(&self, fast_reject: &FastReject<S>) -> (u64, Seconds) {
        let lent = self.lent.load(Ordering::Relaxed);
        let more = u64::from(lent.saturating_sub(fast_reject.times()));
        let nanoseconds = more * self.each.load(Ordering::Relaxed);
        let guessed = sum(&self.guessed) + Seconds(nanoseconds as f64 * 1e-9);
        (self.rejected.load(Ordering::Relaxed) + more, guessed)
    }

    /// Has the fast reject leave the next calls of as much work as the last one had, as long as all that CPython takes
    /// is less than a plan takes.
    pub fn lend<S>(&self, fast_reject: &FastReject<S>, work: Option<Work>) {
        let Some(work) = work.filter(|w| w.bounds) else {
            return;
        };
        let most = self.most.load(Ordering::Relaxed);
        let rest = most.saturating_sub(self.spent.load(Ordering::Relaxed));
        let times = rest / self.each.load(Ordering::Relaxed).max(1);
        let times = u32::try_from(times).unwrap_or(u32::MAX);
        self.lent.store(times, Ordering::Relaxed);
        fast_reject.reject_next(work.amount, times);
    }

    /// Counts the calls that the fast reject has left since.
    pub fn settle<S>(&self, fast_reject: &FastReject<S>) {
        let lent = self.lent.swap(0, Ordering::Relaxed);
        if lent > 0 {
            let times = lent.saturating_sub(fast_reject.withdraw());
            self.count_rejected(times, self.each.load(Ordering::Relaxed));
        }
    }

    fn count_rejected(&self, times: u32, nanoseconds: u64) {
        let times = u64::from(times);
        for to in [&self.spent, &self.guessed] {
            to.fetch_add(times * nanoseconds, Ordering::Relaxed);
        }
        self.rejected.fetch_add(times, Ordering::Relaxed);
    }

    /// Notes whether the sizes of a few names told what the last call takes.
    pub fn set_told(&self, told: bool) {
        self.told.store(told, Ordering::Relaxed);
    }

    /// Whether the sizes of a few names told what the last call takes.
    pub fn is_told(&self) -> bool {
        self.told.load(Ordering::Relaxed)
    }

    /// What is to become of a call of this price.
    pub fn course(&self, price: Price, site: &impl Site) -> Course {
        let spent = self.spent().0;
        let unasked = |least: f64| self.is_unasked() && spent < least;
        let leaves = |planning: f64, times: f64| {
            let small = price.whole && unasked(planning) && price.seconds.0 < planning * times;
            if small {
                self.count_rejected(1, nanoseconds(price.seconds));
                self.each
                    .store(nanoseconds(price.seconds), Ordering::Relaxed);
                self.most
                    .store(nanoseconds(Seconds(planning)), Ordering::Relaxed);
            }
            small
        };
        // What is on disk is looked for only where that could matter.
        if leaves(READING.0, LARGE) {
            return Course::Interpret;
        }
        let legacy = site.legacy();
        // Earlier processes found the site worth a plan. One iteration of a length that nothing tells may take CPython
        // many times what it takes to read it.
        if legacy == Legacy::Plans && !price.whole {
            return Course::Plan;
        }
        let making = site.making();
        let (plan, code) = (making.plan, making.all().0);
        // Time without native code that is worth less than a plan and quick code, and time from which they are asked
        // for at once.
        let (least, large) = match legacy {
            Legacy::Plans => (READING.0, READING.0 * LARGE),
            Legacy::Lost(lost) if lost.0 >= code => (READING.0, READING.0 * LARGE),
            // How long the call goes on is not known: what it has taken is the best guess of what it will yet take.
            _ if !price.whole => (code - making.code.0 / 2.0, code * LARGE),
            _ => (code, code * LARGE),
        };
        if least > READING.0 && leaves(plan.0, SMALL) {
            return Course::Interpret;
        }
        // What cannot be entered halfway and takes at least as long as a plan and code loses nothing by waiting for
        // them.
        let coarse = if price.whole { code * LARGE } else { code };
        let alone = waits(price.seconds, Seconds(code), site.may_be_left())
            || price.is_at_least(coarse) && site.is_coarse();
        // Where there may be a plan on disk it is only read, however much of the call's price is known.
        let worth = least > READING.0 || price.is_at_least(plan.0 * SMALL);
        if alone || worth && !site.can_stop() {
            return Course::Plan;
        }
        match unasked(least) && !price.is_at_least(large) {
            true => {
                let budget = Budget {
                    time: Seconds(least - spent),
                    making: Some(Seconds(large / LARGE)),
                };
                Course::Wait(budget, price.known())
            }
            false => Course::Order,
        }
    }
}

fn nanoseconds(seconds: Seconds) -> u64 {
    (seconds.0 * 1e9) as u64
}

fn sum(of: &AtomicU64) -> Seconds {
    Seconds(of.load(Ordering::Relaxed) as f64 * 1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Usual {
        legacy: Legacy,
        coarse: bool,
        stops: bool,
        left_early: bool,
    }

    const USUAL: Usual = Usual {
        legacy: Legacy::Nothing,
        coarse: false,
        stops: true,
        left_early: true,
    };

    impl Site for Usual {
        fn making(&self) -> Making {
            MAKING
        }
        fn legacy(&self) -> Legacy {
            self.legacy
        }
        fn is_coarse(&self) -> bool {
            self.coarse
        }
        fn can_stop(&self) -> bool {
            self.stops
        }
        fn may_be_left(&self) -> bool {
            self.left_early
        }
    }

    const MAKING: Making = Making {
        plan: Seconds(1e-3),
        code: Seconds(3e-3),
    };

    fn price(seconds: f64) -> Price {
        Price {
            seconds: Seconds(seconds),
            whole: true,
        }
    }

    fn course(seconds: f64, site: &Usual) -> Course {
        Unplanned::default().course(price(seconds), site)
    }

    #[test]
    fn short_calls_are_left_and_long_ones_planned() {
        assert_eq!(course(0.5e-3, &USUAL), Course::Interpret);
        assert_eq!(course(2.5e-3, &USUAL), Course::Interpret);
        assert_eq!(
            course(3.5e-3, &USUAL),
            Course::Wait(
                Budget {
                    time: MAKING.all(),
                    making: Some(MAKING.all()),
                },
                Some(Seconds(3.5e-3))
            )
        );
        assert_eq!(course(10e-3, &USUAL), Course::Order);
        assert_eq!(course(20e-3, &USUAL), Course::Plan);
        assert_eq!(course(f64::NAN, &USUAL), Course::Order);
        let to_its_end = Usual {
            left_early: false,
            ..USUAL
        };
        assert_eq!(course(10e-3, &to_its_end), Course::Plan);
    }

    #[test]
    fn a_call_that_cannot_be_stopped_is_planned_before_it_begins() {
        let stuck = Usual {
            stops: false,
            ..USUAL
        };
        assert_eq!(course(3.5e-3, &stuck), Course::Plan);
        assert_eq!(course(2.5e-3, &stuck), Course::Interpret);
        let part = Price {
            whole: false,
            ..price(1e-7)
        };
        let course_of = |site| Unplanned::default().course(part, site);
        assert_eq!(course_of(&stuck), Course::Plan);
        assert!(matches!(course_of(&USUAL), Course::Wait(..)));
        let coarse = Usual {
            coarse: true,
            ..USUAL
        };
        assert_eq!(course(10e-3, &coarse), Course::Plan);
    }

    #[test]
    fn long_calls_inside_a_site_that_is_soon_planned_do_not_wait() {
        let kept = Usual {
            legacy: Legacy::Plans,
            ..USUAL
        };
        let making = USUAL.making().all().0;
        let long = |seconds: f64, site: &Usual| price(seconds).is_long_inside(site);
        assert!(long(making * LONG_INSIDE, &USUAL) && !long(making * LONG_INSIDE * 0.99, &USUAL));
        assert!(long(READING.0 * LONG_INSIDE, &kept) && !long(READING.0, &kept));
        assert!(!price(f64::NAN).is_long_inside(&kept), "nothing tells");
    }

    #[test]
    fn what_others_have_left_makes_it_sooner() {
        let planned = Usual {
            legacy: Legacy::Plans,
            ..USUAL
        };
        assert_eq!(course(2.5e-3, &planned), Course::Order);
        assert_eq!(course(0.5e-3, &planned), Course::Interpret);
        let unknown = Price {
            seconds: Seconds(1e-6),
            whole: false,
        };
        assert_eq!(Unplanned::default().course(unknown, &planned), Course::Plan);
        assert_ne!(Unplanned::default().course(unknown, &USUAL), Course::Plan);
        let lost = |seconds| Usual {
            legacy: Legacy::Lost(Seconds(seconds)),
            ..USUAL
        };
        assert_eq!(course(2.5e-3, &lost(5e-3)), Course::Order);
        assert_eq!(course(2.5e-3, &lost(1e-3)), Course::Interpret);
    }

    /// Ski-rental: whatever calls come, CPython runs no more than a plan and quick code take, and one call, before a
    /// plan is asked for.
    #[test]
    fn what_is_lost_without_a_plan_is_bounded() {
        for each in [1e-5, 1e-4, 7e-4, 2e-3, 3.9e-3] {
            let site = Unplanned::default();
            let mut spent = 0.0;
            while site.is_unasked() && spent < 1.0 {
                match site.course(price(each), &USUAL) {
                    Course::Interpret => spent += each,
                    Course::Wait(budget, _) if budget.time.0 > each => {
                        site.add(Seconds(each));
                        spent += each;
                    }
                    _ => site.ordered(),
                }
            }
            assert!(spent <= MAKING.all().0 + each, "{each}: {spent}");
        }
    }

    #[test]
    fn the_pace_of_a_counted_loop_tells_whether_a_plan_is_worth_it() {
        let budget = Budget {
            time: Seconds(4e-3),
            making: Some(Seconds(4e-3)),
        };
        let after = |spent, rest: Option<f64>, early| {
            budget.after(Seconds(spent), rest.map(Seconds), || early)
        };
        assert_eq!(after(1e-3, None, false), Ongoing::GoOn(Seconds(3e-3)));
        assert_eq!(after(5e-3, None, false), Ongoing::Order);
        assert_eq!(after(1e-4, Some(9e-3), false), Ongoing::Plan);
        assert_eq!(after(1e-4, Some(9e-3), true), Ongoing::Order);
        // The rest is no longer than that: nothing would be there before it is over.
        assert_eq!(after(5e-3, Some(5e-3), false), Ongoing::GoOn(Seconds(5e-3)));
        let look = Budget::of(Seconds(1e-3));
        assert_eq!(
            look.after(Seconds(2e-3), Some(Seconds(1e-3)), || false),
            Ongoing::Order
        );
    }

    #[test]
    fn the_fast_reject_rejects_calls_while_they_are_worth_less_than_a_plan() {
        let (site, fast_reject) = (Unplanned::default(), FastReject::new(()));
        assert_eq!(site.course(price(1e-5), &USUAL), Course::Interpret);
        let work = Work {
            amount: 7,
            bounds: true,
        };
        site.lend(&fast_reject, Some(work));
        let times = fast_reject.times();
        assert_eq!(times, 79);
        assert!(fast_reject.rejects(7) && !fast_reject.rejects(8));
        assert_eq!(site.rejected(&fast_reject).0, 2);
        site.settle(&fast_reject);
        assert_eq!(site.rejected(&fast_reject).0, 2);
        assert!((site.spent().0 - 2e-5).abs() < 1e-9);
    }
}
