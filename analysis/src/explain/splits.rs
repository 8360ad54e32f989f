//! Descriptions of how a loop can be split into parallel parts.

use nestwise_ir::LoopId;
use nestwise_ir::model::nest::{ExprKind, For, StmtKind};

use crate::explain::{Teller, assuming};
use crate::guards;
use crate::parallelism::legality::Given;
use crate::structure::find_for;
use crate::transform::index_set_splitting::cut::{Cut, Part};
use crate::transform::index_set_splitting::cut::{Piece, Split};
use crate::transform::sink_top_loop;
use crate::values::forms::NestNames;

impl Teller<'_> {
    fn given(&self) -> Given<'_> {
        let (nest, analysis) = self.proven.get_or_init(|| {
            let nest = guards::cleared(self.nest);
            let analysis = assuming(&nest, self.fp);
            (nest, analysis)
        });
        Given {
            nest,
            analysis,
            disjoint: true,
            undo: true,
        }
    }

    /// How index-set splitting would make a loop, or parts of it, parallel, and whether all of it becomes parallel.
    pub(crate) fn parting(&self, id: LoopId) -> Option<(String, bool)> {
        let l = find_for(self.given().nest, id)?;
        let split = self.given().may_split_index_set(l)?;
        let whole = split.is_whole();
        let how = match self.peeled(l, &split).filter(|_| whole) {
            Some(which) => format!("a split: the {which} iteration by itself"),
            None => format!("a split: {}", self.loops(l, &split)?),
        };
        // The top loop can only be split where it may run whole.
        let Given { nest, analysis, .. } = self.given();
        let done = id != LoopId(0) || sink_top_loop(nest, analysis).is_some();
        let by = if done {
            "; nestwise does so where that pays"
        } else {
            ""
        };
        Some((format!("{how}{by}"), whole))
    }

    /// The end of the loop, `first` or `last` iteration, that a split only has to take off, if that is all it does.
    fn peeled(&self, l: &For, split: &Split) -> Option<&'static str> {
        let [low, high] = split.parts[..] else {
            return None;
        };
        let single = |p: Piece| self.given().is_single(l.id, &split.cut, p.part);
        let up = l.step.as_int() > Some(0);
        match (single(low), single(high)) {
            (true, _) => Some(if up { "first" } else { "last" }),
            (_, true) => Some(if up { "last" } else { "first" }),
            _ => None,
        }
    }

    /// The description of the loops for the parts, in the order in which they run.
    fn loops(&self, l: &For, split: &Split) -> Option<String> {
        let name = self.counter_name(l)?;
        let whole = split.is_whole();
        let one = |p: &Piece| {
            let order = if p.free && !whole {
                " in any order"
            } else {
                ""
            };
            format!(
                "one loop for {}{order}",
                self.condition(&name, &split.cut, p.part)
            )
        };
        let mut parts: Vec<String> = split.parts.iter().map(one).collect();
        if l.step.as_int() < Some(0) {
            parts.reverse();
        }
        Some(parts.join(", "))
    }

    fn condition(&self, name: &str, cut: &Cut, part: Part) -> String {
        let Given { nest, analysis, .. } = self.given();
        let forms = &analysis.forms;
        let at = cut.at.show(&NestNames { nest, forms });
        let op = match part {
            Part::Below => "<",
            Part::UpTo => "<=",
            Part::At => "==",
            Part::From => ">=",
            Part::Above => ">",
        };
        match cut.divisor {
            1 => format!("{name} {op} {at}"),
            n => format!("{n}*{name} {op} {at}"),
        }
    }

    /// The name of the user's variable that holds the counter's value.
    fn counter_name(&self, l: &For) -> Option<String> {
        let own = |s: &nestwise_ir::Stmt| match &s.kind {
            StmtKind::Let { var, value } if matches!(value.kind, ExprKind::Var(v) if v == l.counter) => {
                Some(self.name(*var)).filter(|_| self.is_named(*var))
            }
            _ => None,
        };
        let first = l.body.iter().find_map(own);
        first.or_else(|| self.is_named(l.counter).then(|| self.name(l.counter)))
    }
}
