//! Running the iterations of a loop at once.

use nestwise_ir::LoopId;
use nestwise_ir::schedule::ThreadLoop;

use crate::parallelism::verdict::{Analysis, Verdict};

impl Analysis {
    /// Running the iterations of a loop on threads; what its parts have to have of their own.
    ///
    /// Legal iff
    ///   - it is a `for` that is not left early and swaps no arrays;
    ///   - each variable that it assigns is private to an iteration, or combined by an operation whose partial results give
    ///     the very result;
    ///   - the loop carries no dependence through memory, once parts work on copies of arrays that each iteration writes
    ///     before it reads, accumulate into copies of arrays that are only updated, and read from copies what only later
    ///     iterations write.
    ///
    /// That is what verdicts are about: [`Verdict::Parallel`] or [`Verdict::Reduction`].
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
            renamed: found.renamed.clone(),
        })
    }
}
