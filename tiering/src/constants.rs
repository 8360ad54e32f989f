//! Every number of the policy: its unit, and why it is what it is.

use nestwise_costmodel::Seconds;

// Calls that are too small, or come to nothing (`admission`, `fast_reject`, `backoff`, `switch`).

/// A loop that takes CPython so long or longer is worth an attempt, which is a small part of it.
pub const SHORT: Seconds = Seconds(25e-6);
/// [`SHORT`] where calls come seldom: an attempt takes ten times as long with cold caches.
pub const SHORT_SELDOM: Seconds = Seconds(250e-6);
/// A call that is only watched is asked about after all when it has taken so long.
pub const WATCHED: Seconds = Seconds(100e-6);
/// Nanoseconds after which a call finds little of the one before in the caches.
pub const SELDOM: i64 = 50_000;
/// Nanoseconds after which helpers that nobody had anything for sleep: as long as they look for work.
pub const ASLEEP: i64 = 200_000;
/// Units of 2^20 cycles, some twenty milliseconds in all, for which calls are left at a glance.
pub const REJECTED_FOR: u32 = 64;
/// Attempts in a row that came to nothing and may be chance.
pub const CHANCE: u32 = 4;
/// Launches in a row that were rolled back and may be chance: what stops them is often seldom.
pub const CHANCE_STOPPED: u32 = 16;
/// Calls in a row that are not asked about, at most: what could be missed is bounded.
pub const MOST_REJECTED: u32 = 512;
/// [`MOST_REJECTED`] after launches that were rolled back.
pub const MOST_REJECTED_STOPPED: u32 = 64;
/// Nanoseconds after which there is a question in any case: some hundred times as many as one takes.
pub const BACKOFF_LASTS: i64 = 20_000_000;
/// Calls that are so many times as large are still like others: sizes may grow from call to call.
pub const LARGER: i64 = 2;
/// Nanoseconds for which a site is switched off the first time, and at most.
pub const FIRST_OFF: i64 = 20_000_000;
/// See [`FIRST_OFF`].
pub const LONGEST_OFF: i64 = 160_000_000;
/// A call that takes CPython less is brief: asking alone takes native code about as long.
pub const BRIEF: Seconds = Seconds(2e-6);
/// Surplus of brief calls over others at which a site is switched off.
pub const MANY_BRIEF: u32 = 64;
/// A call that is not brief outweighs so many brief ones.
pub const OUTWEIGHS: u32 = 8;

// Attempts that end soon (`losses`).

/// The part of CPython's time that attempts may cost: where guards fail often, a fifth of the whole is lost.
pub const LOSS_SHARE: f64 = 0.25;
/// What was gained pays for losses later, up to so much: what was gained long ago does not make up for a stall.
pub const LOSS_CREDIT: Seconds = Seconds(0.002);

// Sites without a plan (`unplanned`).

/// To enter a nest whose plan and code are on disk, about: reading both, and binding what the call works on. 0.5 ms on arrays, 1.5 on
/// objects.
pub const READING: Seconds = Seconds(0.8e-3);
/// Calls that CPython takes so many times as long for as a plan takes are over before anything could come of one that is
/// made meanwhile.
pub const SMALL: f64 = 3.0;
/// Calls that take so many times as long as a plan and quick code are planned from their beginning.
pub const LARGE: f64 = 1.5;
/// Calls that are expected to take so many times as long as a plan, or code, wait for it: three in four plans and kernels take less than
/// this times what is predicted, beside CPython they take twice as long where cores share their units, and are found only between two
/// iterations. An exception may still end the loop at once: this part is lost then.
pub const WAITS: f64 = 1.5;
/// [`WAITS`] where the loop may be left early (`break`, `return`): what is lost if that is at once is this part of what was expected.
pub const WAITS_LEFT_EARLY: f64 = 4.0;
/// Between two looks whether a plan is there: this part of what one takes.
pub const PLAN_LOOKS: f64 = 4.0;
/// A site whose plan was to be asked for so many times sooner is not waited for by the sites in it: its iterations are long.
pub const LATE: f64 = 2.0;

// Code of a nest (`tiers`, `lost`).

/// A kernel is ordered once this part of what it takes to make it was lost without it: the core that makes it was idle, so
/// little is lost if it turns out to be of no use.
pub const ORDER_SHARE: f64 = 0.1;
/// A kernel is begun beside a call that CPython goes on with for so many times as long as making it takes.
pub const USEFUL: f64 = 1.5;
/// Between two looks whether a kernel is there: this part of what one takes.
pub const KERNEL_LOOKS: f64 = 16.0;
/// Time to read a kernel from disk.
pub const LOADING: Seconds = Seconds(0.4e-3);
/// What a call takes longer than one like those before, because everything is looked at again: calls are not taken to be alike as
/// long as quick code runs them.
pub const IN_FULL: Seconds = Seconds(3e-6);
/// Chunks of a launch that take so long are looked at: the launch may go on on another device, if its price was wrong.
pub const RECONSIDERED: Seconds = Seconds(0.02);
/// A call that turned out to take CPython so many times as long as it was priced at was misjudged, whatever the machine does.
pub const MISJUDGED: f64 = 8.0;
/// A site is switched off after so many failures that would happen again.
pub const LASTING_FAILURES: u32 = 3;
/// A loss that is not worth a file.
pub const NO_LOSS: Seconds = Seconds(1e-4);

// Shares of CPython's (`shares`).

/// After a guard failure, or where compiling may pay later, CPython runs this many iterations before native code is tried
/// again; doubled each time, until native code gets far again.
pub const FIRST_SHARE: i64 = 1;
/// Iterations of a waiting `while` before it looks at the clock for the first time.
pub const FIRST_LOOK: i64 = 1;
/// CPython's first share of a loop that it begins, where nothing tells how long to wait: worth an attempt afterwards.
pub const SHORTEST_WAIT: Seconds = Seconds(50e-6);
/// Native code that ran this many times as many iterations as CPython before it got far.
pub const FAR: i64 = 8;
/// A `while` in which native code came to nothing after a share this long is CPython's from then on: loops inside it
/// run natively then, which they do not in shares that are soon to end.
pub const LAST_SHARE: i64 = 64;
/// What CPython has taken for a loop when its pace tells what the rest takes: the first iterations come with cold caches.
pub const PACE: Seconds = Seconds(200e-6);
/// CPython goes on for such a part of the time that is left before it is asked to stop, since later iterations may take much longer.
pub const PARTS: f64 = 4.0;
/// Between two looks at the clock a `while` makes so many times as many turns in all, at most.
pub const SHARE_GROWTH: f64 = 1.25;
/// The shortest part of that time.
pub const LEAST_PART: Seconds = Seconds(50e-6);

// What may keep others waiting (`iterations`).

/// Signals are handled, and other threads get their turn, between two iterations of the top loop. Where one of them would
/// keep everybody waiting longer than this, CPython runs the top loop, which costs it little then, and the loops inside
/// are nests of their own.
pub const LONG_ITERATION: Seconds = Seconds(0.25);
/// [`LONG_ITERATION`] where many threads share a loop: that may be the top loop, which CPython would run alone.
pub const LONG_SHARED: Seconds = Seconds(2.0);
/// [`LONG_ITERATION`] where threads share the top loop, or the site is an expression. Kernels ask inside it whether
/// somebody waits, and an interrupt loses at most so much work.
pub const LONG_ASKED: Seconds = Seconds(60.0);
/// Asking takes some microseconds: a call that is over sooner is not asked about a second time.
pub const WORTH_TRYING: Seconds = Seconds(25e-6);
