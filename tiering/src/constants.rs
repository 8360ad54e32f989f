//! Every number of the policy: its unit, and why it is what it is.

use nestwise_costmodel::Seconds;

// Calls that are too small, or come to nothing (`admission`, `fast_reject`, `backoff`, `switch`).

/// CPython's time for a loop from which the loop is worth an attempt, which takes a small part of that.
pub const SHORT: Seconds = Seconds(25e-6);
/// [`SHORT`] where calls come seldom: an attempt takes ten times as long with cold caches.
pub const SHORT_SELDOM: Seconds = Seconds(250e-6);
/// CPython's time after which native code is asked about a call that was only to be watched.
pub const WATCHED: Seconds = Seconds(100e-6);
/// Nanoseconds after which a call finds little of the one before in the caches.
pub const SELDOM: i64 = 50_000;
/// Nanoseconds without work after which the threads of the worker pool sleep: as long as they look for work.
pub const ASLEEP: i64 = 200_000;
/// Units of 2^20 cycles, some twenty milliseconds in all, for which the fast reject leaves calls to CPython.
pub const REJECTED_FOR: u32 = 64;
/// The number of attempts in a row that came to nothing and may be chance.
pub const CHANCE: u32 = 4;
/// The number of launches in a row that were rolled back and may be chance: what stops them is often rare.
pub const CHANCE_STOPPED: u32 = 16;
/// The most calls in a row that native code is not asked about: so what could be missed is bounded.
pub const MOST_REJECTED: u32 = 512;
/// [`MOST_REJECTED`] after launches that were rolled back.
pub const MOST_REJECTED_STOPPED: u32 = 64;
/// Nanoseconds after which native code is asked about again in any case: some hundred times as many as asking takes.
pub const BACKOFF_LASTS: i64 = 20_000_000;
/// A call of up to this many times the work is still like others: sizes may grow from call to call.
pub const LARGER: i64 = 2;
/// Nanoseconds for which a site is switched off the first time; at most it is for [`LONGEST_OFF`].
pub const FIRST_OFF: i64 = 20_000_000;
/// The most nanoseconds for which a site is switched off.
pub const LONGEST_OFF: i64 = 160_000_000;
/// CPython's time below which a call is brief: asking native code alone takes about as long.
pub const BRIEF: Seconds = Seconds(2e-6);
/// The surplus of brief calls over others at which a site is switched off.
pub const MANY_BRIEF: u32 = 64;
/// The number of brief calls that a call which is not brief outweighs.
pub const OUTWEIGHS: u32 = 8;

// Attempts that end soon (`losses`).

/// The share of CPython's time that attempts may cost: where guards fail often, a fifth of the whole is lost.
pub const LOSS_SHARE: f64 = 0.25;
/// The most of what was gained that pays for losses later: what was gained long ago does not make up for a stall.
pub const LOSS_CREDIT: Seconds = Seconds(0.002);

// Sites without a plan (`unplanned`).

/// The time to enter a nest whose plan and code are on disk, about: reading both, and binding what the call works on.
/// 0.5 ms on arrays, 1.5 on objects.
pub const READING: Seconds = Seconds(0.8e-3);
/// A call that takes less than this many times as long as a plan is over before anything could come of a plan that is
/// made meanwhile.
pub const SMALL: f64 = 3.0;
/// A call that takes this many times as long as a plan and quick code is planned from its beginning.
pub const LARGE: f64 = 1.5;
/// A call that is expected to take this many times as long as a plan, or code, waits for it: three in four plans and
/// kernels take less than this times what is predicted; beside CPython they take twice as long where cores share their
/// units, and are found only between two iterations. An exception may still end the loop at once: this part is lost
/// then.
pub const WAITS: f64 = 1.5;
/// [`WAITS`] where the loop may be left early (`break`, `return`): what is lost if it is left at once is this part of
/// what was expected.
pub const WAITS_LEFT_EARLY: f64 = 4.0;
/// How many times CPython looks whether a plan is there in the time that the plan takes.
pub const PLAN_LOOKS: f64 = 4.0;
/// A site whose plan was to be asked for this many times sooner is not waited for by the sites in it: its iterations
/// are long.
pub const LATE: f64 = 2.0;
/// A site inside one that is soon to be planned gets a plan and code of its own all the same where CPython takes this many
/// times as long for the call as they take to make, or to read: the first iteration of the site around may last as long
/// as that.
pub const LONG_INSIDE: f64 = 4.0;

// Code of a nest (`tiers`, `lost`).

/// The share of the time to make a kernel that has to be lost without it before it is ordered: the core that makes it
/// was idle, so little is lost if it turns out to be of no use.
pub const ORDER_SHARE: f64 = 0.1;
/// A kernel is begun beside a call that CPython goes on with for this many times as long as making the kernel takes.
pub const USEFUL: f64 = 1.5;
/// How many times CPython looks whether a kernel is there in the time that the kernel takes.
pub const KERNEL_LOOKS: f64 = 16.0;
/// The time to read a kernel from disk.
pub const LOADING: Seconds = Seconds(0.4e-3);
/// What a call takes longer than one like those before, because everything is looked at again: as long as quick code
/// runs them, calls are not taken to be alike.
pub const IN_FULL: Seconds = Seconds(3e-6);
/// The time of a chunk from which a launch may go on on another device, if its price was wrong.
pub const RECONSIDERED: Seconds = Seconds(0.02);
/// A call that CPython takes this many times as long for as it was priced at was misjudged, whatever the machine does.
pub const MISJUDGED: f64 = 8.0;
/// What it takes to watch a share of CPython's, which is in its measured time: to make the record of it, to hand the rest
/// of the loop out, and to find its end.
pub const WATCHING: Seconds = Seconds(2.5e-6);
/// The part of a share's measured time that is CPython's own at least, however short the share was.
pub const OWN_PART: f64 = 0.1;
/// What a native call takes besides what is measured of it: the rewritten code around the hook, and the hook's answer.
pub const HAND_OVER: Seconds = Seconds(0.3e-6);
/// How many times as long as expected CPython may take in a trial before native code takes over.
pub const MOST_OF_A_TRIAL: f64 = 4.0;
/// The number of failures that would happen again after which a site is switched off.
pub const LASTING_FAILURES: u32 = 3;
/// The largest loss that is not worth writing a file.
pub const NO_LOSS: Seconds = Seconds(1e-4);

// Shares of CPython's (`shares`).

/// The number of iterations that CPython runs, after a guard failure or where compiling may pay later, before native
/// code is tried again; doubled each time, until native code gets far again.
pub const FIRST_SHARE: i64 = 1;
/// The number of iterations of a waiting `while` before it looks at the clock for the first time.
pub const FIRST_LOOK: i64 = 1;
/// CPython's first share of a loop that it begins, where nothing tells how long to wait: afterwards the loop is worth
/// an attempt.
pub const SHORTEST_WAIT: Seconds = Seconds(50e-6);
/// Native code that runs this many times as many iterations as CPython did before it has got far.
pub const FAR: i64 = 8;
/// The number of iterations of CPython's share from which a `while` is CPython's for good if native code comes to
/// nothing after it: loops inside run natively then, which they do not in shares that are soon to end.
pub const LAST_SHARE: i64 = 64;
/// CPython's time for a loop after which its pace tells what the rest takes: the first iterations come with cold
/// caches.
pub const PACE: Seconds = Seconds(200e-6);
/// CPython goes on for one of this many parts of the time that is left before it is asked to stop, since later
/// iterations may take much longer.
pub const PARTS: f64 = 4.0;
/// From one look at the clock to the next, the number of iterations that a `while` has made grows at most by this
/// factor.
pub const SHARE_GROWTH: f64 = 1.25;
/// The shortest time that CPython goes on before it is asked to stop ([`PARTS`]).
pub const LEAST_PART: Seconds = Seconds(50e-6);

// What may keep others waiting (`iterations`).

/// The longest iteration of a top loop that native code may run: signals are handled, and other threads get their turn,
/// between two iterations. Where one would keep everybody waiting longer, CPython runs the top loop, which costs it
/// little then, and the loops inside are nests of their own.
pub const LONG_ITERATION: Seconds = Seconds(0.25);
/// [`LONG_ITERATION`] where several threads share a loop: that may be the top loop, which CPython would run alone.
pub const LONG_SHARED: Seconds = Seconds(2.0);
/// [`LONG_ITERATION`] where the kernel asks inside an iteration whether somebody waits, as where threads share the top
/// loop or the site is an expression: an interrupt loses at most this much work.
pub const LONG_ASKED: Seconds = Seconds(60.0);
/// The time of a call from which native code is asked about it a second time: asking takes some microseconds.
pub const WORTH_TRYING: Seconds = Seconds(25e-6);
