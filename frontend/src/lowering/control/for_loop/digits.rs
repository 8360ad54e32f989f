//! The digits of an int as what a loop iterates over: `for d in str(n)`.

use nestwise_ir::model::nest::{Cast, CmpOp, Expr};
use nestwise_ir::{BinOp, Extent, Scalar, Span, Ty, Work};

use crate::lowering::arrays::materialise;
use crate::lowering::build;
use crate::lowering::context::Lowering;
use crate::lowering::control::for_loop::emit;
use crate::lowering::control::for_loop::iterable::{Seq, op};
use crate::lowering::lists::{counted, make};
use crate::lowering::scalar::convert;
use crate::lowering::types::kinds::Kind;
use crate::lowering::value::scalar::Sv;
use crate::refusal::{R, Refusal, refuse};

/// The most digits of an int of 64 bits.
const MOST: u32 = 19;

/// The characters of `str(n)`, which are written into memory of the nest's own before the loop. A guard fails for
/// negative ints.
pub(crate) fn sequence(cx: &mut Lowering<'_>, n: Sv, span: Span) -> R<Seq> {
    if !n.kinds.integral() || n.kinds.any(Kind::is_bool) {
        let what = "the text of what may be no int".into();
        return Err(refuse(span, Refusal::Iterable { what }));
    }
    cx.builder.tally(Work::Builtin, 2.0);
    let n = convert::commit(n);
    let (least, most) = n.range;
    let n = build::cast(Cast::Value, n.e, Ty::PY_INT, true);
    let n = cx.builder.spill(n);
    let compare =
        |op, a: &Expr, b: i64| build::compare(op, a.clone(), Expr::int(b, span), Ty::PY_BOOL, span);
    if least < 0 {
        cx.builder.emit_check(compare(CmpOp::Ge, &n, 0));
    }
    let mut count = Expr::int(1, span);
    let powers = (1..MOST).map(|k| 10_i64.pow(k));
    for power in powers.take_while(|power| i128::from(*power) <= most) {
        let more = build::cast(
            Cast::Value,
            compare(CmpOp::Ge, &n, power),
            Ty::PY_INT,
            false,
        );
        count = op(BinOp::Add, count, more, false);
    }
    let count = cx.builder.spill(count);
    let like = vec![Extent::Fixed(MOST)];
    let (array, memory) = make::temporary_list(cx, like, Scalar::Char, Ty::CHAR, span)?;
    let text = counted::first_of(memory.capture, array, count.clone(), span);
    let rest = cx.builder.hidden(Ty::PY_INT);
    cx.builder.emit_let(rest, n);
    let last = op(BinOp::Sub, count.clone(), Expr::int(1, span), false);
    let last = cx.builder.spill(last);
    emit::hidden_loop(cx, "digit", (0, count), span, |cx, counter| {
        let ten = || Expr::int(10, span);
        let old = build::var(rest, Ty::PY_INT, span);
        let digit = op(BinOp::Mod, old.clone(), ten(), false);
        let number = op(BinOp::Add, digit, Expr::int('0' as i64, span), false);
        let c = build::cast(Cast::Ord, number, Ty::CHAR, false);
        let at = op(
            BinOp::Sub,
            last,
            build::var(counter, Ty::PY_INT, span),
            false,
        );
        let c = Sv::of(c, Kind::Char);
        materialise::fill_element(cx, &text, false, &[at], c, span)?;
        let next = op(BinOp::FloorDiv, old, ten(), false);
        cx.builder.emit_let(rest, next);
        Ok(())
    })?;
    Ok(Seq::Section(text))
}
