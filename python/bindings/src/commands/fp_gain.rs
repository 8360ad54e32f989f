//! Estimates what other modes of `--fp` would gain, where all sizes are stated.

use nestwise_analysis::explain::LoopRecord;
use nestwise_analysis::explain::stated_sizes::Stated;
use nestwise_codegen::has_vector_form;
use nestwise_costmodel::{Decision, Ready};
use nestwise_frontend::site::captures::Capture;
use nestwise_ir::{ArrayKind, BinOp, Expr, ExprKind, FpMode, Fun, LoopId, Nest, Stmt, StmtKind};
use nestwise_runtime::plan::price::price;
use nestwise_runtime::plan::resolve::{launch_values, resolve};
use nestwise_runtime::{ArrayView, Options, TierChoice, Value, pipeline};

/// The smallest gain, as a factor, that a hint mentions.
const LEAST: f64 = 1.05;

/// Notes for loops how many times as fast their nest would be in a mode that allows more; notes nothing if not all
/// sizes are stated. `fast` gains where only the order of floats keeps a loop serial, `faithful` where a loop calls
/// functions that have a vector form.
pub fn tell(
    loops: &mut [LoopRecord],
    nest: &Nest,
    captures: &[Capture],
    stated: &Stated,
    options: &Options,
) {
    let ordered = loops.iter().any(|l| l.ordered);
    let calling = match options.fp {
        FpMode::Strict => calling(nest),
        _ => vec![],
    };
    if !ordered && calling.is_empty() {
        return;
    }
    let Some(values) = values(captures, stated) else {
        return;
    };
    let seconds = |fp| seconds(nest, &values, options, fp);
    let Some(now) = seconds(options.fp) else {
        return;
    };
    let gain = |fp| seconds(fp).map(|then| now / then);
    if let Some(gain) = Some(FpMode::Fast).filter(|_| ordered).and_then(gain) {
        for l in loops.iter_mut().filter(|l| l.ordered) {
            l.gain = Some(gain);
            if let Some(hint) = l.hint.as_mut().filter(|_| gain >= LEAST) {
                *hint += &format!("; the nest would be {}", times(gain));
            }
        }
    }
    let faithful = Some(FpMode::Faithful).filter(|_| !calling.is_empty());
    if let Some(gain) = faithful.and_then(gain) {
        for (_, l) in (nest.loops.ids().zip(loops)).filter(|(id, _)| calling.contains(id)) {
            l.faithful_gain = Some(gain);
            if gain >= LEAST {
                let what = "--fp faithful computes its functions on vectors; the nest would be";
                let before = l.hint.take().map_or(String::new(), |hint| hint + "; ");
                l.hint = Some(format!("{before}{what} {}", times(gain)));
            }
        }
    }
}

fn times(gain: f64) -> String {
    format!("about {gain:.1} times as fast on this machine")
}

/// The loops that themselves, not only in inner loops, call functions that have a vector form.
fn calling(nest: &Nest) -> Vec<LoopId> {
    fn go(stmt: &Stmt, around: Option<LoopId>, out: &mut Vec<LoopId>) {
        let around = match &stmt.kind {
            StmtKind::For(l) => Some(l.id),
            StmtKind::While(l) => Some(l.id),
            _ => around,
        };
        let mut found = false;
        for e in stmt.exprs() {
            e.walk(&mut |e| found |= calls(e));
        }
        out.extend(around.filter(|id| found && !out.contains(id)));
        for inner in stmt.blocks().flatten() {
            go(inner, around, out);
        }
    }
    let mut out = vec![];
    go(&nest.top, None, &mut out);
    out
}

fn calls(e: &Expr) -> bool {
    let fun = match &e.kind {
        ExprKind::Call { fun, .. } => *fun,
        ExprKind::Binary { op: BinOp::Pow, .. } => Fun::Pow,
        _ => return false,
    };
    has_vector_form(fun, e.ty.repr, FpMode::Faithful)
}

/// The values of a call with the stated sizes; arrays have null pointers, since nobody reads their elements. `None` if
/// a size is missing.
pub fn values(captures: &[Capture], stated: &Stated) -> Option<Vec<Value>> {
    let one = |(index, capture): (usize, &Capture)| {
        let index = index as u32;
        Some(match capture {
            Capture::Scalar { ty, range } if ty.repr.is_int() => {
                let fixed = range.filter(|(lo, hi)| lo == hi).map(|r| r.0);
                Value::Int(stated.ints.get(&index).copied().or(fixed)?)
            }
            Capture::Scalar { .. } => Value::Float(1.0),
            Capture::Array { kind, storage, .. } => {
                let said = stated.extents.get(&index)?;
                let mut extents = [0; 8];
                extents.get_mut(..said.len())?.copy_from_slice(said);
                array(*kind, said.len(), extents, storage.size() as i64)
            }
            Capture::Append => return None,
            _ => Value::None,
        })
    };
    captures.iter().enumerate().map(one).collect()
}

fn array(kind: ArrayKind, rank: usize, extents: [i64; 8], size: i64) -> Value {
    if kind != ArrayKind::Ndarray {
        return Value::Sequence { rank, extents };
    }
    let mut strides = [0; 8];
    let mut next = size;
    for axis in (0..rank).rev() {
        strides[axis] = next;
        next = next.saturating_mul(extents[axis]);
    }
    Value::Array(ArrayView {
        ptr: std::ptr::null_mut(),
        tags: std::ptr::null_mut(),
        rank,
        extents,
        strides,
        size,
    })
}

/// The predicted seconds of a call in its cheapest form, once it is compiled; `None` if the nest cannot be planned.
fn seconds(nest: &Nest, values: &[Value], options: &Options, fp: FpMode) -> Option<f64> {
    let options = Options {
        fp,
        tier: Some(TierChoice::Optimised),
        ..options.clone()
    };
    let decision = decision(nest, values, &options)?;
    Some(decision.estimate.warm().0)
}

/// The decision for a call with these values before there is a kernel; `None` if the nest cannot be planned or the
/// values do not fit it.
pub fn decision(nest: &Nest, values: &[Value], options: &Options) -> Option<Decision> {
    let plan = pipeline::plan(nest.clone(), options).ok()?;
    let analysed = &plan.analysed;
    let launch = launch_values(analysed.nest(), values).ok()?;
    let sizes = resolve(analysed, launch, false).ok()?;
    let asked = (None, Ready::default());
    Some(price(&plan, &sizes, values, asked, options))
}
