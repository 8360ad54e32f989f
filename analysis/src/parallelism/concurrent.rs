//! Parallel loops: the iterations of a loop run at once, on threads.
//!
//! ```text
//! for i in range(n):                parallel for i in range(n):
//!     t = b[i] * 2          =>          t = b[i] * 2            # t is private
//!     a[i] = t                          a[i] = t
//! ```
//!
//! Source: Allen and Kennedy, Optimizing Compilers for Modern Architectures, 2001, theorem 2.8.

use nestwise_ir::LoopId;
use nestwise_ir::schedule::ThreadLoop;

use crate::parallelism::verdict::{Analysis, Verdict};

impl Analysis {
    /// How the iterations of loop `id` may run on threads: what each part of them needs a copy of. `None` if they may
    /// not.
    ///
    /// Legal iff
    ///   - the loop is a `for` that nothing leaves early, and swaps no arrays;
    ///   - each variable in `W(body)` is private to an iteration, or a reduction whose partial results give the very
    ///     result;
    ///   - no dependence through memory has a direction vector whose component for the loop is the first `<`, once
    ///     parts work on copies of arrays that each iteration writes before it reads (privatised), accumulate into
    ///     copies of arrays that are only updated (array reductions), and read from copies what only later iterations
    ///     write (anti-dependence copies).
    ///
    /// Verdicts decide all of that: [`Verdict::Parallel`] or [`Verdict::Reduction`].
    pub fn may_run_parallel(&self, id: LoopId) -> Option<ThreadLoop> {
        let found = self.loop_info(id)?;
        let reductions = match &found.verdict {
            Verdict::Parallel => vec![],
            Verdict::Reduction(r) => r.clone(),
            Verdict::When(_) | Verdict::Serial(_) => return None,
        };
        Some(ThreadLoop {
            id,
            reductions,
            last_values: found.last_values.clone(),
            private: found.private_arrays.clone(),
            array_reductions: found.array_reductions.clone(),
            anti_dependence_copies: found.anti_dependence_copies.clone(),
        })
    }
}
