//! Arrays that are made of numbers: `np.array([x, y, z])`, `np.zeros(n)`, `np.full(x.shape, 0.5)`.

use nestwise_ir::nest::{CmpOp, Expr, ExprKind};
use nestwise_ir::{ArrayKind, Extent, Scalar, Span, Ty};

use super::build;
use super::elementwise::{Elementwise, Node};
use super::kinds::{Kind, Kinds};
use super::lower::Lower;
use super::value::{Sv, Val};
use super::{R, refuse};
use crate::known::ArrayFn;
use crate::refusal::Refusal;

/// An element is chosen by comparing its place with each of the display's.
const LONGEST: usize = 16;

impl Lower<'_> {
    /// `np.array`, `np.zeros`, `np.ones`, `np.empty`, `np.full`.
    pub fn display(
        &mut self,
        f: ArrayFn,
        mut args: Vec<Val>,
        dtype: Option<Scalar>,
        span: Span,
    ) -> R<Val> {
        let wrong = || {
            let what = format!("this form of numpy.{}", f.name());
            refuse(span, Refusal::Unsupported { what })
        };
        let given = match f {
            ArrayFn::Full if args.len() == 2 => args.pop(),
            _ => None,
        };
        let (Some(arg), true) = (args.pop(), args.is_empty()) else {
            return Err(wrong());
        };
        if f == ArrayFn::Array {
            return match arg {
                Val::Tuple(items) => self.array_of_items(items, dtype, span),
                array if self.is_numpy_array(&array) => {
                    self.array_like(ArrayFn::Copy, vec![array], dtype, span)
                }
                _ => Err(wrong()),
            };
        }
        let sizes = match arg {
            Val::Tuple(items) => items,
            one => vec![one],
        };
        let (mut shape, mut axes) = (vec![], vec![]);
        for size in sizes {
            let size = self.need_scalar(size, "a shape", span)?;
            if size.is_bottom() {
                return Ok(Val::Scalar(Sv::bottom(span)));
            }
            let axis = self.known_extent(&size).ok_or_else(wrong)?;
            if matches!(axis, Extent::Value(_)) {
                let zero = Expr::int(0, span);
                let there = build::compare(CmpOp::Ge, size.e.clone(), zero, Ty::PY_BOOL, span);
                self.emit_check(there);
            }
            shape.push(size.e);
            axes.push(axis);
        }
        let storage = dtype.unwrap_or(Scalar::F64);
        let value = match (f, given) {
            (ArrayFn::Full, _) if storage != Scalar::F64 => return Err(wrong()),
            (ArrayFn::Full, given) => {
                let value = self.need_scalar(given.ok_or_else(wrong)?, "a value", span)?;
                if value.is_bottom() {
                    return Ok(Val::Scalar(value));
                }
                let wide = |k: Kind| k.is_float() && k.natural() == Scalar::F64;
                if !value.kinds.every(wide) {
                    return Err(wrong());
                }
                self.spill_sv(value).e
            }
            _ => {
                let ty = Ty::np(storage);
                let like = Expr {
                    ty,
                    ..Expr::int(0, span)
                };
                let one = i32::from(f == ArrayFn::Ones);
                self.literal(&Sv::of(like, Kind::Np(storage)), one, span)
            }
        };
        let value = build::retype(value, Ty::np(storage));
        let value = Sv::of(value, Kind::Np(storage));
        Ok(Val::Array(Box::new(Elementwise {
            node: Node::Scalar(value),
            shape,
            like: Some(axes),
            fresh: true,
            whole: true,
            lent: false,
        })))
    }

    /// An extent that is known before the nest runs.
    fn known_extent(&self, size: &Sv) -> Option<Extent> {
        if let Some(n) = size.as_int() {
            return Some(Extent::Fixed(u32::try_from(n).ok()?));
        }
        if let ExprKind::Var(var) = size.e.kind {
            // An int from outside that nothing assigns.
            let capture = self.vars[var]
                .live_in
                .filter(|_| self.fixed.contains(&var))?;
            let int = size.kinds == Kinds::of(Kind::PyInt) && size.e.ty == Ty::PY_INT;
            return int.then_some(Extent::Value(capture));
        }
        let ExprKind::Dim(array, axis) = size.e.kind else {
            return None;
        };
        let decl = &self.arrays[array];
        let plain = decl.kind == ArrayKind::Ndarray && !self.trades_places(decl.capture);
        let capture = decl.capture;
        plain.then_some(Extent::Axis { capture, axis })
    }

    fn array_of_items(&mut self, items: Vec<Val>, dtype: Option<Scalar>, span: Span) -> R<Val> {
        let wrong = |what: &str| {
            let what = format!("numpy.array of {what}");
            refuse(span, Refusal::Unsupported { what })
        };
        if items.is_empty() || items.len() > LONGEST {
            return Err(wrong("so many items"));
        }
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            let sv = self.need_scalar(item, "an element", span)?;
            values.push(self.spill_sv(sv));
        }
        if values.iter().any(Sv::is_bottom) {
            return Ok(Val::Scalar(Sv::bottom(span)));
        }
        let all = |f: fn(Kind) -> bool| values.iter().all(|sv| sv.kinds.every(f));
        let int = |k: Kind| matches!(k, Kind::PyInt | Kind::Np(Scalar::I64));
        let float = |k: Kind| {
            let narrow = matches!(k, Kind::Np(s) if s != Scalar::F64 && s != Scalar::I64);
            !narrow && (k.is_float() || matches!(k, Kind::PyInt | Kind::Np(Scalar::I64)))
        };
        let storage = match (all(int), all(float), dtype) {
            (true, _, None | Some(Scalar::I64)) => Scalar::I64,
            (_, true, None | Some(Scalar::F64)) => Scalar::F64,
            _ => return Err(wrong("these types")),
        };
        let kind = Kind::Np(storage);
        let mut elements = Vec::with_capacity(values.len());
        for sv in values {
            let e = self.in_repr(&sv, storage, false);
            let e = e.ok_or_else(|| wrong("these types"))?;
            let e = self.spill(e);
            elements.push(Sv::of(build::retype(e, Ty::np(storage)), kind));
        }
        let count = elements.len();
        Ok(Val::Array(Box::new(Elementwise {
            node: Node::Items(elements),
            shape: vec![Expr::int(count as i64, span)],
            like: Some(vec![Extent::Fixed(count as u32)]),
            fresh: true,
            whole: true,
            lent: false,
        })))
    }

    /// The item at a place.
    pub fn item_of(&mut self, items: &[Sv], at: &Expr, span: Span) -> R<Sv> {
        let mut chosen: Option<Sv> = None;
        for (k, item) in items.iter().enumerate().rev() {
            chosen = Some(match chosen {
                None => item.clone(),
                Some(rest) => {
                    let here = Expr::int(k as i64, span);
                    let is = build::compare(CmpOp::Eq, at.clone(), here, Ty::PY_BOOL, span);
                    let e = build::select(is, item.e.clone(), rest.e, item.e.ty);
                    Sv::new(e, item.kinds)
                }
            });
        }
        Ok(chosen.unwrap_or_else(|| Sv::bottom(span)))
    }
}
