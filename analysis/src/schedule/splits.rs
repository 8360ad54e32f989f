//! Which loops that run in order are split so that parts of them become parallel.

use std::borrow::Cow;

use nestwise_ir::LoopId;
use nestwise_ir::model::nest::{For, Stmt, StmtKind};

use crate::parallelism::deferred_exceptions::may_defer_exceptions;
use crate::schedule::lanes::vectorise;
use crate::schedule::variants::{Form, Forms};
use crate::structure::{any, irregular};
use crate::transform::index_set_splitting::cut::Split;
use crate::transform::{Rewritten, split_index_set};

/// The most loops of one nest that are split.
const MAX_SPLIT: usize = 4;
/// The trip count below which a loop is not split.
const MIN_TRIPS: f64 = 16.0;

/// What the parts of a loop are to run on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// Threads, for the outermost loops that can be split.
    Threads,
    /// Vectors, for innermost loops.
    Vectors,
}

impl Form<'_> {
    /// Whether splitting a loop could be of use.
    fn wants(&self, l: &For, of: Use) -> bool {
        let enough = self.info.trips(l.id).is_none_or(|t| t >= MIN_TRIPS);
        let parallel = self
            .analysis
            .loop_info(l.id)
            .is_some_and(|i| i.is_parallel());
        let is_loop = |s: &Stmt| matches!(s.kind, StmtKind::For(_) | StmtKind::While(_));
        let straight = || !irregular(&l.body) && may_defer_exceptions(&self.nest, &l.body);
        let able = || of == Use::Threads || !any(&l.body, &mut |s| is_loop(s)) && straight();
        enough && !parallel && able()
    }

    /// The outermost loops that are to be split, the top loop among them.
    fn to_split(&self, of: Use) -> Vec<(LoopId, Split)> {
        let threads: Vec<LoopId> = match of {
            Use::Threads => self.threads().iter().map(|t| t.id).collect(),
            Use::Vectors => vec![],
        };
        let mut out = vec![];
        self.collect(std::slice::from_ref(&self.nest.top), of, &threads, &mut out);
        out.truncate(MAX_SPLIT);
        out
    }

    fn collect(&self, block: &[Stmt], of: Use, threads: &[LoopId], out: &mut Vec<(LoopId, Split)>) {
        for s in block {
            if let StmtKind::For(l) = &s.kind {
                // What runs whole has no iterations of its own.
                let shell = l.id == LoopId(0) && self.nest.whole.is_some();
                let found =
                    (!shell && self.wants(l, of)).then(|| self.given().may_split_index_set(l));
                out.extend(found.flatten().map(|split| (l.id, split)));
                if threads.contains(&l.id) || out.last().is_some_and(|o| o.0 == l.id) {
                    continue;
                }
            }
            for b in s.blocks() {
                self.collect(b, of, threads, out);
            }
        }
    }

    /// The form with loops split for one use, if some can be.
    fn split(&self, of: Use) -> Option<Form<'static>> {
        let todo = self.to_split(of);
        if todo.iter().any(|t| t.0 == LoopId(0)) {
            let opened = self.opened()?;
            let made = split_index_set(&opened.given(), &opened.to_split(of))?;
            return Some(opened.then(made));
        }
        let made = (!todo.is_empty()).then(|| split_index_set(&self.given(), &todo))?;
        made.map(|made| self.then(made))
    }

    /// Whether some loop runs as vectors.
    pub(super) fn is_vectorised(&self) -> bool {
        vectorise(&self.nest, &self.analysis, &self.info).has_vectors()
    }

    /// The loops of the nest as written that run on threads (`true`) or as vectors (`false`).
    fn mapped(&self) -> Vec<(bool, LoopId)> {
        let lanes = vectorise(&self.nest, &self.analysis, &self.info);
        let vector = lanes.on_vectors();
        let threads = match self.info.threads {
            true => self.threads(),
            false => vec![],
        };
        let all = threads.iter().map(|t| (true, t.id));
        all.chain(vector.map(|id| (false, id)))
            .map(|(threads, id)| (threads, self.origin[id.index()]))
            .collect()
    }
}

impl Forms<'_> {
    /// The nest with loops split into consecutive ranges of their iterations, if something then runs on threads or as
    /// vectors that did not before.
    pub(super) fn split(&self) -> Option<Rewritten> {
        let wide = match self.plain.info.threads {
            true => self.plain.split(Use::Threads),
            false => None,
        };
        let narrow = match &wide {
            Some(form) => form.split(Use::Vectors),
            None => self.plain.split(Use::Vectors),
        };
        let form = narrow.or(wide)?;
        let before = self.plain.mapped();
        let gains = form.mapped().iter().any(|m| !before.contains(m));
        gains.then(|| Rewritten {
            nest: Cow::into_owned(form.nest),
            nonempty: form.info.assumed.nonempty,
            origin: form.origin,
        })
    }
}
