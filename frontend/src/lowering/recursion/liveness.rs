//! Which locals are live: read later before they are assigned. A backward analysis over structured statements.

use std::collections::{BTreeSet, HashMap};

use crate::lowering::hir::{BlockId, Expr, ExprKind, Kind, LocalId, Stmt, Target};
use crate::lowering::types::live_ranges::forever;

/// The locals that are live at a point.
pub(crate) type Live = BTreeSet<LocalId>;

/// The points that jumps lead to, with what is live there.
#[derive(Default)]
pub(crate) struct Liveness {
    /// For each open loop what is live where `break` and where `continue` lead to.
    loops: Vec<(Live, Live)>,
    blocks: HashMap<BlockId, Live>,
}

impl Liveness {
    /// What is live before statements behind which `after` is.
    pub fn block(&mut self, stmts: &[Stmt], after: Live) -> Live {
        let mut live = after;
        for stmt in stmts.iter().rev() {
            live = self.stmt(stmt, live);
        }
        live
    }

    fn stmt(&mut self, stmt: &Stmt, mut live: Live) -> Live {
        match &stmt.kind {
            Kind::Assign { targets, value } => {
                for target in targets.iter().rev() {
                    live = self.target(target, live);
                }
                self.expr(value, live)
            }
            Kind::Aug {
                target,
                read,
                value,
                ..
            } => {
                live = match target {
                    Target::Local(_) => self.target(target, live),
                    _ => live,
                };
                live = self.expr(value, live);
                if !matches!(target, Target::Local(_)) {
                    live = self.target(target, live);
                }
                live.extend(read.map(|read| read.local));
                live
            }
            Kind::Swap(pairs) => {
                live.extend(pairs.iter().flat_map(|(a, b)| [*a, *b]));
                live
            }
            Kind::If { test, body, orelse } => {
                let mut then = self.block(body, live.clone());
                then.extend(self.block(orelse, live));
                self.expr(test, then)
            }
            Kind::For {
                target,
                iter,
                body,
                orelse,
            } => {
                let natural = self.block(orelse, live.clone());
                let head = self.looped(natural, live, |this, head| {
                    let inside = this.block(body, head.clone());
                    this.target(target, inside)
                });
                self.expr(iter, head)
            }
            Kind::While { test, body, orelse } => {
                let natural = match forever(test) {
                    true => Live::new(),
                    false => self.block(orelse, live.clone()),
                };
                let before = self.expr(test, natural);
                self.looped(before, live, |this, head| {
                    let inside = this.block(body, head.clone());
                    this.expr(test, inside)
                })
            }
            Kind::Break => self.loops.last().map(|l| l.0.clone()).unwrap_or_default(),
            Kind::Continue => self.loops.last().map(|l| l.1.clone()).unwrap_or_default(),
            Kind::Leave(block) => self.blocks.get(block).cloned().unwrap_or_default(),
            Kind::Raise => Live::new(),
            Kind::Return(value) => match value {
                Some(value) => self.expr(value, Live::new()),
                None => Live::new(),
            },
            Kind::Effect(value) | Kind::Append { value, .. } => self.expr(value, live),
            Kind::AppendToMade { list, value } => {
                live.insert(list.local);
                self.expr(value, live)
            }
            Kind::Keep(stacks, local) => {
                live.extend([stacks.values, stacks.types, *local].map(|read| read.local));
                live
            }
            Kind::BringBack(stacks, target, _) => {
                live.remove(&target.local);
                live.extend([stacks.values, stacks.types].map(|read| read.local));
                live
            }
            Kind::Clear(defs) | Kind::BeginStacks(defs) => {
                defs.iter().for_each(|def| {
                    live.remove(&def.local);
                });
                live
            }
        }
    }

    /// What is live at the head of a loop whose end leaves `least` live there, and whose `break` leads to `after`.
    /// `around` gives what is live before one iteration, from what is live behind it.
    fn looped(
        &mut self,
        least: Live,
        after: Live,
        around: impl Fn(&mut Self, &Live) -> Live,
    ) -> Live {
        let mut head = least;
        loop {
            self.loops.push((after.clone(), head.clone()));
            let before = around(self, &head);
            self.loops.pop();
            let size = head.len();
            head.extend(before);
            if head.len() == size {
                return head;
            }
        }
    }

    fn target(&mut self, target: &Target, mut live: Live) -> Live {
        match target {
            Target::Local(def) => {
                live.remove(&def.local);
                live
            }
            Target::Subscript(base, index) => {
                let index = index.iter().rev().fold(live, |live, e| self.expr(e, live));
                self.expr(base, index)
            }
            Target::Attr(base, _) => self.expr(base, live),
            Target::Tuple(items) => items.iter().rev().fold(live, |l, t| self.target(t, l)),
        }
    }

    /// What is live before an expression behind which `live` is.
    pub fn expr(&mut self, e: &Expr, mut live: Live) -> Live {
        match &e.kind {
            ExprKind::Read(read) | ExprKind::Pop(read) => {
                live.insert(read.local);
                live
            }
            ExprKind::Inline(call) => {
                live.extend(call.results.iter().map(|read| read.local));
                if let Some(block) = call.block {
                    self.blocks.insert(block, live.clone());
                }
                self.block(&call.body, live)
            }
            ExprKind::ListComprehension(all) => self.stmt(&all.each, live),
            ExprKind::IfExp { test, body, orelse } => {
                let mut then = self.expr(body, live.clone());
                then.extend(self.expr(orelse, live));
                self.expr(test, then)
            }
            ExprKind::And(_) | ExprKind::Or(_) | ExprKind::Compare(..) => {
                let after = live.clone();
                for item in e.children().into_iter().rev() {
                    live.extend(after.iter().copied());
                    live = self.expr(item, live);
                }
                live
            }
            _ => {
                let children = e.children();
                children
                    .into_iter()
                    .rev()
                    .fold(live, |l, e| self.expr(e, l))
            }
        }
    }
}
