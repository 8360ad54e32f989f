//! Lockstep: consecutive iterations of an innermost loop run as the lanes of a vector. What one statement does in all
//! of them comes before what the next statement does in any.
//!
//! ```text
//! for i in range(n):                t = a[i + 1 .. i + 5]
//!     a[i] = a[i + 1] * 2   =>      a[i .. i + 4] = t * 2
//! ```
//!
//! Source: Allen and Kennedy, Automatic translation of FORTRAN programs to vector form, 1987: dependences that go
//! forwards in the text keep no loop from running as vectors.

use nestwise_ir::For;
use nestwise_ir::guarded::block_may_fail;
use nestwise_ir::model::nest::StmtKind;

use crate::dependence::{Dir, Pair, common_loops};
use crate::parallelism::legality::Given;
use crate::structure::{any, assigned, first_host_call, irregular};
use crate::values::forms::AccessForm;

/// The most pairs of accesses that are examined for one loop.
const MAX_PAIRS: usize = 900;

impl Given<'_> {
    /// Whether the iterations of an innermost loop may run in lockstep.
    ///
    /// Legal iff
    ///   - the body has no jumps, no loops and no calls of CPython;
    ///   - each variable in `W(body)` is private to an iteration;
    ///   - for every dependence from access `x` to access `y` that the loop carries (direction `<`), `x` stands before
    ///     `y` in the text, as in `a[i] = a[i + 1]`, where the load comes before the store;
    ///   - no guard in the body can fail, or `undo`.
    pub fn may_run_in_lockstep(&self, l: &For) -> bool {
        let loops = any(&l.body, &mut |s| matches!(s.kind, StmtKind::For(_)));
        let Some(info) = self.info(l.id) else {
            return false;
        };
        !loops
            && !irregular(&l.body)
            && first_host_call(&l.body).is_none()
            && assigned(&l.body).iter().all(|v| info.private.contains(v))
            && self.dependences_go_forwards(l)
            && (self.undo || !block_may_fail(self.nest, &l.body))
    }

    fn dependences_go_forwards(&self, l: &For) -> bool {
        let inside: Vec<&AccessForm> = self.inside(l.id).collect();
        if !self.disjoint || inside.len() * inside.len() > MAX_PAIRS {
            return false;
        }
        let tester = self.analysis.tester(self.nest);
        let carried = |x: &AccessForm, y: &AccessForm| {
            let level = common_loops(x, y).iter().position(|c| *c == l.id);
            level.is_none_or(|level| {
                let all = tester.dependences_within(Pair::new(x, y), level, 1);
                all.is_none_or(|all| {
                    all.iter()
                        .any(|d| d.directions.get(level) == Some(&Dir::Lt))
                })
            })
        };
        let backwards = |x: &AccessForm, y: &AccessForm| {
            x.array == y.array && (x.store || y.store) && x.order >= y.order && carried(x, y)
        };
        !inside
            .iter()
            .any(|x| inside.iter().any(|y| backwards(x, y)))
    }
}
