//! What keeps a loop in order, and what would free it.

use nestwise_ir::model::nest::{Expr, ExprKind, Stmt, StmtKind};
use nestwise_ir::{AccessId, ArrayId, BinOp, FpMode, LoopId, VarId};

use crate::dependence::Dependence;
use crate::explain::{DependenceRecord, LoopRecord, MAX_LISTED, ReductionRecord, Teller, op_word};
use crate::parallelism::scalar_roles::best_position;
use crate::parallelism::verdict::{LoopInfo, Verdict, Why};
use crate::structure::{assigned, find_body, find_for, same};
use crate::values::affine::{Affine, Ix};

/// A store of the form `a[...] = a[...] op ...`.
struct Accumulation {
    access: AccessId,
    /// Whether the value is a float.
    float: bool,
    /// Whether all iterations of the loop store to one element.
    fixed: bool,
}

impl Teller<'_> {
    pub(super) fn serial(&self, record: &mut LoopRecord, id: LoopId, info: &LoopInfo, why: &Why) {
        if matches!(why, Why::Dependence(_)) && self.combined_element(record, id, info) {
            return;
        }
        if self.ordered_sum(record, id, info) {
            return;
        }
        if self.counting(record, id, info) {
            return;
        }
        if let Why::Scalar(v, _) = why
            && self.best_position(record, id, info, *v)
        {
            return;
        }
        record.because = Some(self.analysis.why(self.nest, why));
        // The pair that the verdict speaks of comes first.
        let first = match why {
            Why::Scalar(v, line) => self.scalar(id, *v, *line),
            Why::Dependence(d) => self.dependence(d),
            // No pair is to blame.
            _ => return,
        };
        let through_memory = self.dependences(id);
        let parting = self.parting(id);
        let whole = parting.clone().filter(|p| p.1).map(|p| p.0);
        record.hint = whole
            .or_else(|| self.hint(id, info, why, &through_memory))
            .or(parting.map(|p| p.0));
        let all = through_memory.iter().map(|d| self.dependence(d));
        let others = all.filter(|d| *d != first).take(MAX_LISTED);
        record.dependences = std::iter::once(first.clone()).chain(others).collect();
    }

    /// Whether only the order of floating-point operations keeps the loop in order; if so, the loop is recorded as the
    /// reduction that it would be.
    fn ordered_sum(&self, record: &mut LoopRecord, id: LoopId, info: &LoopInfo) -> bool {
        let Some(free) = self.free.loop_info(id) else {
            return false;
        };
        match &free.verdict {
            Verdict::Reduction(list) => self.reduction(record, list, free),
            Verdict::When(c)
                if c.absent.is_empty() && c.elements.is_empty() && !free.reductions.is_empty() =>
            {
                self.when(record, c, free);
            }
            _ => return false,
        }
        let quoted = |v: &VarId| format!("`{}`", self.name(*v));
        let mut names: Vec<String> = info.float_sums.iter().map(quoted).collect();
        let arrays = free.array_reductions.iter();
        let new = arrays.filter(|r| !info.array_reductions.contains(r));
        names.extend(new.map(|(a, _)| format!("`{}`", self.array(*a))));
        record.because = Some(format!(
            "the order in which floats are combined in {} counts: it runs in order unless --fp fast",
            names.join(", ")
        ));
        record.hint = Some("--fp fast lets it run in any order".into());
        record.ordered = true;
        true
    }

    /// Whether only combining values in an element (`c[i, j] += ...`) keeps the loop in order; if so, that is recorded.
    fn combined_element(&self, record: &mut LoopRecord, id: LoopId, info: &LoopInfo) -> bool {
        let Some((store, op)) = self.accumulation(id, info) else {
            return false;
        };
        let name = self.analysis.access_text(self.nest, store.access);
        record.because = Some(if store.float && store.fixed && self.fp != FpMode::Fast {
            format!(
                "the order in which floats are combined in `{name}` counts: it runs in order unless --fp fast"
            )
        } else {
            format!("`{name}` is read and stored again each time: it runs in order as it stands")
        });
        record.hint = store.fixed.then(|| {
            format!(
                "a temporary: combine the values in a variable, and store it as `{name}` afterwards"
            )
        });
        record.verdict = "reduction";
        record.op = Some(op);
        record.reductions = vec![ReductionRecord { name, op }];
        true
    }

    /// Whether only variables that count along with the loop keep it in order; if so, that is recorded.
    fn counting(&self, record: &mut LoopRecord, id: LoopId, info: &LoopInfo) -> bool {
        match &info.otherwise {
            Some(Verdict::Parallel) => record.verdict = "parallel",
            Some(Verdict::Reduction(list)) => self.reduction(record, list, info),
            Some(Verdict::When(condition)) => self.when(record, condition, info),
            _ => return false,
        }
        let names: Vec<String> = self.names(&info.carried);
        let names = names.join("`, `");
        if self.substituted.contains(&id) {
            let told = format!("`{names}` counts along with it, and is computed from its counter");
            record.because = Some(told);
            return true;
        }
        record.because = Some(format!(
            "`{names}` counts along with it: it runs in order as it stands"
        ));
        record.hint = Some(format!("compute `{names}` from the loop's variable"));
        true
    }

    /// Whether only the search for the position of the best value keeps the loop in order; if so, that is recorded.
    fn best_position(
        &self,
        record: &mut LoopRecord,
        id: LoopId,
        info: &LoopInfo,
        v: VarId,
    ) -> bool {
        let Some(body) = find_body(self.nest, id) else {
            return false;
        };
        let combined = |w: &VarId| info.reductions.iter().any(|(r, _)| r == w);
        let others = assigned(body).into_iter().filter(|w| *w != v);
        let free = others
            .clone()
            .all(|w| info.private.contains(&w) || combined(&w));
        let Some(op) = best_position(self.nest, body, v).filter(|_| free) else {
            return false;
        };
        let op = op_word(op, true);
        record.verdict = "reduction";
        record.op = Some(op);
        record.reductions = vec![ReductionRecord {
            name: self.name(v),
            op,
        }];
        if self.substituted.contains(&id) {
            return true;
        }
        record.because = Some(format!(
            "the best is found again by its position `{}` each time: it runs in order as it stands",
            self.name(v)
        ));
        record.hint =
            Some("a temporary: keep the best value in a variable beside its position".into());
        true
    }

    /// The one statement whose two accesses make up all dependences that the loop carries.
    fn accumulation(&self, id: LoopId, info: &LoopInfo) -> Option<(Accumulation, &'static str)> {
        let body = find_body(self.nest, id)?;
        if !carries_no_variable(body, info) {
            return None;
        }
        let all = self.dependences(id);
        let changing = assigned(body);
        let counter = find_for(self.nest, id).map(|l| l.counter);
        let fixed = |e: &Expr| {
            let mut fixed = true;
            e.walk(&mut |e| match e.kind {
                ExprKind::Var(v) => fixed &= !changing.contains(&v) && Some(v) != counter,
                ExprKind::Load { .. } => fixed = false,
                _ => {}
            });
            fixed
        };
        let mut found = None;
        for_each(body, &mut |s| {
            if let StmtKind::Store {
                access,
                array,
                index,
                value,
                ..
            } = &s.kind
                && let Some((load, op)) = accumulates(*array, index, value)
                && all.iter().all(|d| {
                    let pair = [load, *access];
                    pair.contains(&d.src) && pair.contains(&d.dst)
                })
                && self.is_counted(*access)
            {
                let store = Accumulation {
                    access: *access,
                    float: value.ty.repr.is_float(),
                    fixed: index.iter().all(fixed),
                };
                found = Some((store, op));
            }
        });
        found.filter(|_| !all.is_empty())
    }

    /// Whether an access's subscripts are made of counters and symbols: no index array tells where it goes.
    fn is_counted(&self, id: AccessId) -> bool {
        let counters = |a: &Affine| a.ixs().iter().all(|ix| matches!(ix, Ix::Counter(_)));
        let access = self.analysis.forms.access(id);
        access.is_some_and(|a| a.index.iter().all(|f| f.affine().is_some_and(counters)))
    }

    /// The record of a variable whose value one iteration leaves to the next.
    fn scalar(&self, id: LoopId, v: VarId, line: u32) -> DependenceRecord {
        let mut sink_line = line;
        if let Some(body) = find_body(self.nest, id) {
            sink_line = read_line(body, v).unwrap_or(line);
        }
        let around = self.nest.loops[id].depth as usize;
        let mut direction = vec!["=".to_string(); around];
        let mut distance = vec![Some(0); around];
        direction.push("<".into());
        distance.push(Some(1));
        DependenceRecord {
            kind: "flow",
            name: self.name(v),
            source_line: line,
            sink_line,
            direction,
            distance,
        }
    }

    /// What would make the loop parallel.
    fn hint(&self, id: LoopId, info: &LoopInfo, why: &Why, all: &[Dependence]) -> Option<String> {
        if !matches!(why, Why::Dependence(_)) {
            return None;
        }
        if !carries_no_variable(find_body(self.nest, id)?, info) {
            return None;
        }
        let (before, after) = self.split(id, info, all)?;
        Some(format!(
            "a split: one loop up to line {before}, another from line {after} on"
        ))
    }

    /// Two lines between which the body can be split into loops that carry no dependence: every dependence between
    /// iterations goes from a statement above to one below, and no variable carries a value.
    fn split(&self, id: LoopId, info: &LoopInfo, all: &[Dependence]) -> Option<(u32, u32)> {
        let body = find_body(self.nest, id)?;
        let place = |a: AccessId| body.iter().position(|s| accesses(s).contains(&a));
        let mut spans = vec![];
        for d in all {
            let (from, to) = (place(d.src)?, place(d.dst)?);
            if from >= to {
                return None;
            }
            spans.push((from, to));
        }
        let cut = spans.iter().map(|(_, to)| *to).min()?;
        let crosses = |v: &VarId| {
            let (above, below) = body.split_at(cut);
            assigned(above).contains(v) && read_line(below, *v).is_some()
        };
        if spans.iter().any(|(from, _)| *from >= cut)
            || info.private.iter().any(crosses)
            || !info.reductions.is_empty()
        {
            return None;
        }
        Some((body.get(cut - 1)?.span.line, body.get(cut)?.span.line))
    }
}

/// Whether every variable that the body assigns is private or combined.
fn carries_no_variable(body: &[Stmt], info: &LoopInfo) -> bool {
    let combined = |v: &VarId| info.reductions.iter().any(|(r, _)| r == v);
    assigned(body)
        .iter()
        .all(|v| info.private.contains(v) || combined(v))
}

fn for_each<'a>(block: &'a [Stmt], f: &mut impl FnMut(&'a Stmt)) {
    block.iter().for_each(|s| s.walk(f));
}

/// The line of the first read of a variable in a block.
fn read_line(block: &[Stmt], v: VarId) -> Option<u32> {
    let mut line = None;
    for_each(block, &mut |s| {
        for e in s.exprs() {
            e.walk(&mut |e| {
                if matches!(e.kind, ExprKind::Var(x) if x == v) {
                    line = line.or(Some(e.span.line));
                }
            });
        }
    });
    line
}

/// Every access in a statement.
fn accesses(stmt: &Stmt) -> Vec<AccessId> {
    let mut out = vec![];
    stmt.walk(&mut |s| {
        if let StmtKind::Store { access, .. } = s.kind {
            out.push(access);
        }
        for e in s.exprs() {
            e.walk(&mut |e| {
                if let ExprKind::Load { access, .. } = e.kind {
                    out.push(access);
                }
            });
        }
    });
    out
}

/// The load of `array[index] = array[index] op ...`, and what is accumulated.
fn accumulates(array: ArrayId, index: &[Expr], value: &Expr) -> Option<(AccessId, &'static str)> {
    let ExprKind::Binary { op, a, b, .. } = &value.kind else {
        return None;
    };
    let own = |e: &Expr| match &e.kind {
        ExprKind::Load {
            access,
            array: other,
            index: at,
            ..
        } if *other == array
            && at.len() == index.len()
            && at.iter().zip(index).all(|(x, y)| same(x, y)) =>
        {
            Some(*access)
        }
        _ => None,
    };
    match op {
        BinOp::Add => Some((own(a).or_else(|| own(b))?, "sum")),
        BinOp::Sub => Some((own(a)?, "sum")),
        BinOp::Mul => Some((own(a).or_else(|| own(b))?, "product")),
        _ => None,
    }
}
