//! Counts the work that CPython does in a nest while the nest is lowered: here the types are known and the text is as
//! it was written.
//!
//! Weights say how often something happens in one execution of the loop's body around it. The likelihood of branches
//! follows the same rules as for compiled code ([`nestwise_ir::branch_likelihood`]), here from the text; each later
//! operand of `and` and `or` counts half. A test that a value lies in a range is taken to hold where an array could be
//! indexed with the value.

use nestwise_ir::branch_likelihood::{
    End, HALF, likelihood_of_comparison, likelihood_of_range, share_of_first,
};
use nestwise_ir::interpreter_work::Work;
use nestwise_ir::surface::{BinOp as Op, UnOp};
use nestwise_ir::{ArrayKind, Fun, Scalar};

use crate::builtins::{Builtin, Known, MathFn, MathSpecial, NumpyFn};
use crate::lowering::builder::Builder;
use crate::lowering::context::Lowering;
use crate::lowering::control::for_loop::iterable::Seq;
use crate::lowering::hir::{self, Kind as Stmt, LocalId, Origin};
use crate::lowering::types::kinds::{Kind, Kinds};
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::view::View;

/// The number of bits in one digit of an int.
const DIGIT: u32 = 30;

/// The class of a scalar's types, as an operation sees it. Of several types NumPy's counts: an accumulator that starts
/// as `0.0` is one of NumPy's from the first addition on.
#[derive(Clone, Copy, PartialEq)]
enum Class {
    Int,
    Float,
    Complex,
    Other,
    Numpy(Scalar),
}

fn class(kinds: Kinds) -> Class {
    let float = |k: Kind| k.is_float();
    if let Some(Kind::Np(s)) = kinds.numpy().iter().last() {
        Class::Numpy(s)
    } else if kinds.any(Kind::is_complex) {
        Class::Complex
    } else if kinds.any(float) {
        Class::Float
    } else if kinds.any(|k| k == Kind::Char) {
        Class::Other
    } else {
        Class::Int
    }
}

fn is_numpy(value: &Val) -> bool {
    matches!(value, Val::Scalar(sv) if !sv.kinds.numpy().is_empty())
}

/// The kind of work that a binary operator is.
fn operation(op: Op, a: Kinds, b: Kinds) -> Work {
    use Class::{Complex, Float, Int, Numpy};
    match (class(a), class(b)) {
        (Numpy(x), Numpy(y)) if x == y && op != Op::Pow => match x {
            Scalar::F64 => Work::NumpyFloat,
            _ => Work::NumpySame,
        },
        (Numpy(x), Numpy(y)) if x != y => Work::NumpyMixed,
        (Numpy(Scalar::F64), Float) | (Float, Numpy(Scalar::F64)) if op != Op::Pow => {
            Work::NumpyPython
        }
        (Numpy(_), _) | (_, Numpy(_)) => Work::NumpyConvert,
        (Complex, _) | (_, Complex) => Work::Complex,
        _ if op == Op::Pow => Work::Power,
        (Int, Int) => match op {
            Op::Add | Op::Sub => Work::IntAdd,
            Op::Mul => Work::IntMul,
            Op::FloorDiv | Op::Mod => Work::IntDiv,
            Op::Div => Work::Divide,
            _ => Work::IntBits,
        },
        (Float, Float) => match op {
            Op::Add | Op::Sub | Op::Mul => Work::FloatAdd,
            Op::Div => Work::Divide,
            _ => Work::FloatMod,
        },
        _ => Work::Mixed,
    }
}

/// The kind of work that a comparison is.
fn comparison(a: Kinds, b: Kinds) -> Work {
    use Class::{Float, Int, Numpy};
    match (class(a), class(b)) {
        (Numpy(x), Numpy(y)) if x == y => Work::NumpyCompare,
        (Numpy(Scalar::F64), Float) | (Float, Numpy(Scalar::F64)) => Work::NumpyCompare,
        (Numpy(_), _) | (_, Numpy(_)) => Work::NumpyCompareConvert,
        (Int, Int) | (Float, Float) => Work::Compare,
        _ => Work::CompareMixed,
    }
}

/// Counts a binary operator.
pub(crate) fn count_operation(builder: &mut Builder, op: Op, a: &Sv, b: &Sv) {
    let kind = operation(op, a.kinds, b.kinds);
    let long = |sv: &Sv| sv.as_int().is_some_and(|v| v.unsigned_abs() >> DIGIT > 0);
    let ints = matches!(
        kind,
        Work::IntAdd | Work::IntMul | Work::IntDiv | Work::IntBits
    );
    let kind = match ints && (long(a) || long(b)) {
        true => Work::IntLong,
        false => kind,
    };
    builder.tally(kind, 1.0);
}

/// Counts a unary operator.
pub(crate) fn count_sign(builder: &mut Builder, a: &Sv) {
    let kind = match a.kinds.numpy().is_empty() {
        true => Work::Sign,
        false => Work::NumpyCompare,
    };
    builder.tally(kind, 1.0);
}

/// Counts a comparison.
pub(crate) fn count_comparison(builder: &mut Builder, a: &Val, b: &Val) {
    let kind = match (a, b) {
        (Val::Scalar(a), Val::Scalar(b)) => comparison(a.kinds, b.kinds),
        _ => Work::CompareMixed,
    };
    builder.tally(kind, 1.0);
}

/// Counts a jump that depends on the truth of a value.
pub(crate) fn count_branch(builder: &mut Builder, value: &Val) {
    builder.tally(Work::Branch, 1.0);
    match value {
        Val::Scalar(sv) if !sv.kinds.numpy().is_empty() => builder.tally(Work::NumpyTruth, 1.0),
        Val::Scalar(sv) if !sv.kinds.every(Kind::is_bool) => builder.tally(Work::Truth, 1.0),
        _ => {}
    }
}

/// Counts reading a local, or writing it, by how CPython looks its name up.
pub(crate) fn count_name(cx: &mut Lowering<'_>, local: LocalId, here: Work) {
    let decl = &cx.env.hir.locals[local];
    let (attributes, lookup) = (f64::from(decl.attributes), decl.lookup);
    let root = match (lookup, attributes > 0.0) {
        (Some(lookup), _) => lookup,
        (None, true) => Work::Load,
        (None, false) => here,
    };
    cx.builder.tally(root, 1.0);
    cx.builder.tally(Work::Attribute, attributes);
}

/// Counts an expression that is a name or a constant.
pub(crate) fn count_leaf(cx: &mut Lowering<'_>, e: &hir::Expr) {
    match &e.kind {
        hir::ExprKind::Read(read) => count_name(cx, read.local, Work::Load),
        hir::ExprKind::Int(_)
        | hir::ExprKind::Float(_)
        | hir::ExprKind::Imag(_)
        | hir::ExprKind::Bool(_) => {
            cx.builder.tally(Work::Load, 1.0);
        }
        hir::ExprKind::Str(_)
        | hir::ExprKind::Bytes(_)
        | hir::ExprKind::None
        | hir::ExprKind::Ellipsis
        | hir::ExprKind::Dtype(_) => cx.builder.tally(Work::Load, 1.0),
        hir::ExprKind::Grown(..) => {
            cx.builder.tally(Work::Load, 1.0);
            cx.builder.tally(Work::ListGet, 1.0);
        }
        hir::ExprKind::GrownLen(_) => {
            cx.builder.tally(Work::Load, 1.0);
            cx.builder.tally(Work::Builtin, 1.0);
        }
        _ => {}
    }
}

/// Counts `value.name`.
pub(crate) fn count_attribute(builder: &mut Builder, value: &Val) {
    let kind = match value {
        Val::View(view) if !builder.is_object(view) => Work::Shape,
        _ => Work::Attribute,
    };
    builder.tally(kind, 1.0);
}

/// Counts `view[index]`, or `view[index] = ...`.
pub(crate) fn count_access(builder: &mut Builder, view: &View, index: &[Val], store: bool) {
    let decl = &builder.arrays[view.array];
    let (kind, rank) = (decl.kind, decl.rank as usize);
    let given = index.len() as f64;
    let numpy = index.iter().filter(|v| is_numpy(v)).count() as f64;
    let below = |v: &Val| matches!(v, Val::Scalar(sv) if sv.is_int() && sv.range.1 < 0);
    match kind {
        ArrayKind::Ndarray => {
            let whole = view.index.len() + index.len() >= rank;
            builder.tally(
                match (whole, store) {
                    (false, _) => Work::ArrayRow,
                    (true, false) => Work::ArrayGet,
                    (true, true) => Work::ArraySet,
                },
                1.0,
            );
            if index.len() > 1 {
                builder.tally(Work::ArrayTuple, 1.0);
                builder.tally(Work::ArrayAxis, given - 2.0);
            }
            builder.tally(Work::ArrayIndex, numpy);
        }
        ArrayKind::List | ArrayKind::Tuple | ArrayKind::Appended => {
            let slow = index.iter().filter(|v| is_numpy(v) || below(v)).count() as f64;
            let last = view.index.len() + index.len() >= rank;
            let set = store && last;
            builder.tally(if set { Work::ListSet } else { Work::ListGet }, 1.0);
            builder.tally(Work::ListIndex, slow);
        }
        _ if store => builder.tally(Work::BufferSet, 1.0),
        _ => builder.tally(Work::BufferGet, 1.0),
    }
}

/// Counts a subscript of an array: a part, as an `object` of its own, or an element.
pub(crate) fn count_section(builder: &mut Builder, given: usize, object: bool, store: bool) {
    let kind = match (object, store) {
        (true, _) => Work::ArrayRow,
        (false, true) => Work::ArraySet,
        (false, false) => Work::ArrayGet,
    };
    builder.tally(kind, 1.0);
    if given > 1 {
        builder.tally(Work::ArrayTuple, 1.0);
        builder.tally(Work::ArrayAxis, given as f64 - 2.0);
    }
}

/// Counts the read of `view[index] op= ...`, whose write [`count_access`] has counted.
pub(crate) fn count_read_back(builder: &mut Builder, view: &View, given: usize) {
    let decl = &builder.arrays[view.array];
    match decl.kind {
        ArrayKind::Ndarray => {
            builder.tally(Work::ArrayGet, 1.0);
            if given > 1 {
                // The tuple is there already; taking it apart is not.
                builder.tally(Work::ArrayTuple, HALF);
                builder.tally(Work::ArrayAxis, given as f64 - 2.0);
            }
        }
        ArrayKind::List | ArrayKind::Tuple | ArrayKind::Appended => {
            builder.tally(Work::ListGet, 1.0);
        }
        _ => builder.tally(Work::BufferGet, 1.0),
    }
}

/// Counts the conversion of a value that is stored into an array.
pub(crate) fn count_stored(builder: &mut Builder, view: &View, value: &Val) {
    let decl = &builder.arrays[view.array];
    let Val::Scalar(sv) = value else { return };
    if decl.kind != ArrayKind::Ndarray {
        return;
    }
    let same = match class(sv.kinds) {
        Class::Numpy(s) => s == decl.storage,
        Class::Float => decl.storage == Scalar::F64,
        Class::Int => decl.storage == Scalar::I64,
        _ => true,
    };
    if !same {
        builder.tally(Work::ArrayConvert, 1.0);
    }
}

/// Counts a call of a known function with these arguments.
pub(crate) fn count_call(builder: &mut Builder, known: Known, args: &[Val]) {
    let more = (args.len() as f64 - 2.0).max(0.0);
    match known {
        Known::Builtin(Builtin::Min | Builtin::Max) if args.len() > 1 => {
            builder.tally(Work::MinMax, 1.0);
            builder.tally(Work::MinMaxMore, more);
        }
        Known::Builtin(Builtin::Float) => builder.tally(Work::ToFloat, 1.0),
        Known::Builtin(
            Builtin::Int | Builtin::Round | Builtin::Divmod | Builtin::Complex | Builtin::Pow,
        ) => builder.tally(Work::ToInt, 1.0),
        Known::Builtin(_) | Known::Text(_) => builder.tally(Work::Builtin, 1.0),
        Known::Math(MathFn::Unary(Fun::Sqrt | Fun::Fabs | Fun::Floor | Fun::Ceil | Fun::Trunc)) => {
            builder.tally(Work::MathQuick, 1.0)
        }
        Known::Math(MathFn::Unary(_)) => builder.tally(Work::Math, 1.0),
        // The function takes a base, too.
        Known::Math(MathFn::Special(MathSpecial::Log)) => builder.tally(Work::MathTwo, 1.0),
        Known::Math(MathFn::Special(_)) if args.len() < 2 => builder.tally(Work::MathQuick, 1.0),
        Known::Math(MathFn::Special(_)) => builder.tally(Work::MathTwo, 1.0),
        // Counted where they are made something of.
        Known::Numpy(NumpyFn::Array(_)) => {}
        Known::Numpy(_) | Known::NumpyType(_) => builder.tally(Work::Numpy, 1.0),
        // Counted as fragments.
        Known::Host(_) => {}
    }
}

/// Counts a call that is lowered as statements; true if these are what CPython runs.
pub(crate) fn count_inlined(builder: &mut Builder, call: &hir::Inline) -> bool {
    match call.origin {
        Origin::Function => {
            builder.tally(Work::Call, 1.0);
            builder.tally(Work::Tuple, f64::from(u8::from(call.tuple)));
        }
        Origin::Generator => {
            builder.tally(Work::Call, 1.0);
            builder.tally(Work::Builtin, 1.0);
            builder.meter.begin_generator();
        }
        Origin::Nothing => {}
        Origin::Library(work) => {
            builder.tally(Work::MathQuick, work.quick);
            builder.tally(Work::Call, f64::from(work.calls));
        }
    }
    !matches!(call.origin, Origin::Library(_))
}

/// Counts the end of a `for`; the first iterable of a `zip` ends it, where all have the same length.
pub(crate) fn count_end(builder: &mut Builder, seq: &Seq) {
    match seq {
        Seq::View(view) if builder.arrays[view.array].kind == ArrayKind::Ndarray => {
            builder.tally(Work::ArrayLoop, 1.0);
        }
        Seq::Section(_) | Seq::Computed(..) => builder.tally(Work::ArrayLoop, 1.0),
        Seq::Enumerate(inner, _) => count_end(builder, inner),
        Seq::Zip(items) => items.iter().take(1).for_each(|s| count_end(builder, s)),
        Seq::View(_) | Seq::Items(_) | Seq::Range { .. } | Seq::Reversed(_) => {}
    }
}

/// Counts one iteration of a `for`.
pub(crate) fn count_step(builder: &mut Builder, seq: &Seq) {
    count_items(builder, seq);
    if builder.meter.take_generator() {
        builder.tally(Work::GeneratorStep, 1.0);
    }
}

fn count_items(builder: &mut Builder, seq: &Seq) {
    match seq {
        Seq::Range { .. } => builder.tally(Work::RangeStep, 1.0),
        Seq::View(view) => {
            let decl = &builder.arrays[view.array];
            let row = view.index.len() + 1 < decl.rank as usize;
            let kind = match (decl.kind, row) {
                (ArrayKind::Ndarray, false) => Work::ArrayStep,
                (ArrayKind::Ndarray, true) => Work::ArrayRow,
                _ => Work::ListStep,
            };
            builder.tally(kind, 1.0);
        }
        Seq::Section(section) => {
            let row = section.shape().len() > 1;
            builder.tally(if row { Work::ArrayRow } else { Work::ArrayStep }, 1.0);
        }
        Seq::Computed(..) => builder.tally(Work::ArrayStep, 1.0),
        Seq::Items(_) => builder.tally(Work::ListStep, 1.0),
        Seq::Enumerate(inner, _) => {
            builder.tally(Work::PairStep, 1.0);
            count_items(builder, inner);
        }
        Seq::Zip(items) => {
            builder.tally(Work::PairStep, 1.0);
            items.iter().for_each(|s| count_items(builder, s));
        }
        Seq::Reversed(inner) => count_items(builder, inner),
    }
}

/// The shares of an `if`'s executions in which its sides run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Shares {
    pub body: f64,
    pub orelse: f64,
    /// The share in which the statements after the `if` in its block run: less than 1 where a side goes on to the next
    /// iteration.
    pub rest: f64,
}

/// The shares of an `if`, as its text tells them.
pub(crate) fn shares(test: &hir::Expr, body: &[hir::Stmt], orelse: &[hir::Stmt]) -> Shares {
    let (then, other) = (end(body), end(orelse));
    let likely = share_of_first(then, other, likelihood(test));
    let falls = |end: End, share: f64| match end {
        End::Skips => 0.0,
        End::Returns => share * HALF,
        // Once in all iterations.
        End::Falls | End::Leaves => share,
    };
    Shares {
        body: likely,
        orelse: 1.0 - likely,
        rest: falls(then, likely) + falls(other, 1.0 - likely),
    }
}

/// The likelihood that a test holds, between 0 and 1.
fn likelihood(test: &hir::Expr) -> f64 {
    let is_zero = |e: &hir::Expr| matches!(e.kind, hir::ExprKind::Int(0));
    match &test.kind {
        hir::ExprKind::Unary(UnOp::Not, inner) => 1.0 - likelihood(inner),
        hir::ExprKind::Compare(first, rest) => match rest.as_slice() {
            [(op, second)] => {
                likelihood_of_comparison(*op, is_zero(first), is_zero(second), every(first))
            }
            [(one, _), (other, _)] => likelihood_of_range(*one, *other),
            _ => HALF,
        },
        _ => HALF,
    }
}

/// The divisor of a remainder by a constant, where each remainder is as likely as any other; `None` for other
/// expressions.
fn every(e: &hir::Expr) -> Option<f64> {
    let hir::ExprKind::Binary(Op::Mod, _, by) = &e.kind else {
        return None;
    };
    match by.kind {
        hir::ExprKind::Int(n) if n > 1 => Some(n as f64),
        _ => None,
    }
}

/// The way in which a side of an `if` ends.
fn end(side: &[hir::Stmt]) -> End {
    match side.last().map(|s| &s.kind) {
        Some(Stmt::Continue) => End::Skips,
        Some(Stmt::Leave(_)) => End::Returns,
        Some(Stmt::Break | Stmt::Return(_) | Stmt::Raise) => End::Leaves,
        _ => End::Falls,
    }
}
