//! Operations on lists and deques that compiled code performs itself, on a copy that the launch keeps
//! ([`Sequence`](crate::link::sequences::Sequence)).

use std::mem::offset_of;

use nestwise_ir::model::entry::Part;
use nestwise_ir::model::sequence::{SequenceAccess, SequenceOperation, Which};
use nestwise_ir::{Expr, Fragment, FragmentForm, FragmentId, Scalar, Ty};

use crate::link::entries::code;
use crate::link::sequences::{CLOCK, Sequence};
use crate::llvm::{Block, IntPred, T, V, Wrap};
use crate::lower::emitter::Emitter;
use crate::lower::entry::updated;
use crate::lower::value::Val;

/// How often compiled code performs an operation, for each time that it calls the launch.
const PERFORMED: u32 = 31;

struct Site<'v> {
    fragment: &'v Fragment,
    access: &'v SequenceAccess,
    values: &'v [Val],
    sequence: V,
    slow: Block,
}

/// Performs the operation of a fragment, or has `call` perform it, which gives the value.
pub(crate) fn perform(
    em: &mut Emitter<'_, '_>,
    id: FragmentId,
    (fragment, access): (&Fragment, &SequenceAccess),
    values: &[Val],
    e: &Expr,
    call: &mut dyn FnMut(&mut Emitter<'_, '_>) -> Val,
) -> Val {
    if !is_direct(fragment, access) {
        return call(em);
    }
    let ir = em.ir;
    let (done, slow) = (ir.fresh(), ir.fresh());
    let site = Site {
        fragment,
        access,
        values,
        sequence: em.unit.kept(id.index()),
        slow,
    };
    let result = site.operate(em);
    let from = ir.here();
    ir.br(done);
    ir.at(slow);
    let value = call(em);
    let last = ir.here();
    ir.br(done);
    ir.at(done);
    let Some(result) = result else {
        return Val::one(ir.const_bool(false));
    };
    if e.ty == Ty::PY_BOOL && matches!(fragment.form, FragmentForm::Statement) {
        return Val::one(ir.const_bool(false));
    }
    let phi = ir.phi(ir.type_of(value.a));
    ir.add_incoming(phi, value.a, last);
    ir.add_incoming(phi, result, from);
    Val::one(phi)
}

/// Whether compiled code performs an operation on elements whose parts are of the expected types.
fn is_direct(fragment: &Fragment, access: &SequenceAccess) -> bool {
    let number = |ty: Ty| matches!(ty.repr, Scalar::I64 | Scalar::F64);
    let gives = match fragment.form {
        FragmentForm::Value(ty) => number(ty),
        FragmentForm::Statement => true,
    };
    let part = |part: &Part| fragment.part_type(part);
    let is_index = |index: &Part| part(index).is_some_and(|ty| ty.repr == Scalar::I64);
    match &access.operation {
        SequenceOperation::Append(parts) => parts.iter().all(|p| part(p).is_some_and(number)),
        SequenceOperation::Take(Which::First | Which::Last) | SequenceOperation::Taken(_) => gives,
        SequenceOperation::Length => true,
        SequenceOperation::Item { index, .. } => gives && access.parts > 0 && is_index(index),
        SequenceOperation::Store { index, value } => {
            is_index(index) && part(value).is_some_and(number)
        }
        SequenceOperation::Update { index, value, .. } => {
            let ty = part(value);
            is_index(index) && (ty == Some(Ty::PY_INT) || ty == Some(Ty::PY_FLOAT))
        }
        SequenceOperation::AppendLeft(_)
        | SequenceOperation::Push(_)
        | SequenceOperation::Take(Which::Least) => false,
    }
}

impl Site<'_> {
    /// Emits the operation; returns its value, if it has one. Goes to the slow block where the launch must perform it.
    fn operate(&self, em: &Emitter<'_, '_>) -> Option<V> {
        let ir = em.ir;
        let head = || self.number(em, offset_of!(Sequence, head));
        let tail = || self.number(em, offset_of!(Sequence, tail));
        let below = |a: V, b: V| ir.icmp(IntPred::LLVMIntSLT, a, b);
        match &self.access.operation {
            SequenceOperation::Length => Some(ir.sub(tail(), head(), Wrap::Any)),
            SequenceOperation::Append(parts) => {
                let at = tail();
                let room = self.number(em, offset_of!(Sequence, room));
                let last = self.number(em, offset_of!(Sequence, last));
                let fits = ir.and(below(at, room), ir.not(below(at, last)));
                self.slow_where(em, ir.not(fits));
                let element = self.element(em, at);
                let mut codes = 0_u64;
                for (k, part) in parts.iter().enumerate() {
                    let ty = self.fragment.part_type(part)?;
                    codes |= u64::from(code(ty)) << (8 * k);
                    ir.store(self.part(em, part), ir.offset_const(element, 8 * k));
                }
                let stamp = self.number(em, offset_of!(Sequence, stamp));
                let notes = ir.or(stamp, ir.const_i64(codes as i64));
                ir.store(notes, ir.offset_const(element, 8 * parts.len()));
                let next = ir.add(at, ir.const_i64(1), Wrap::Any);
                self.set(em, offset_of!(Sequence, tail), next);
                None
            }
            SequenceOperation::Take(which) => {
                let (head, tail) = (head(), tail());
                self.slow_where(em, ir.not(below(head, tail)));
                let one = ir.const_i64(1);
                let (at, place, next) = match which {
                    Which::First => {
                        let next = ir.add(head, one, Wrap::Any);
                        (head, offset_of!(Sequence, head), next)
                    }
                    Which::Last | Which::Least => {
                        let next = ir.sub(tail, one, Wrap::Any);
                        (next, offset_of!(Sequence, tail), next)
                    }
                };
                let element = self.element(em, at);
                let value = match self.fragment.form {
                    FragmentForm::Value(ty) => Some(self.read(em, element, 0, ty)),
                    FragmentForm::Statement => None,
                };
                self.set(em, place, next);
                ir.store(
                    element,
                    ir.offset_const(self.sequence, offset_of!(Sequence, taken)),
                );
                let (edge, is_beyond) = match which {
                    Which::First => {
                        let edge = offset_of!(Sequence, most_head);
                        (edge, below(self.number(em, edge), next))
                    }
                    Which::Last | Which::Least => {
                        let edge = offset_of!(Sequence, least_tail);
                        (edge, below(next, self.number(em, edge)))
                    }
                };
                let now = ir.select(is_beyond, next, self.number(em, edge));
                self.set(em, edge, now);
                value
            }
            SequenceOperation::Taken(part) => {
                let FragmentForm::Value(ty) = self.fragment.form else {
                    return None;
                };
                let place = ir.offset_const(self.sequence, offset_of!(Sequence, taken));
                let element = ir.load(ir.ptr(), place);
                Some(self.read(em, element, *part as usize, ty))
            }
            SequenceOperation::Item { index, part } => {
                let FragmentForm::Value(ty) = self.fragment.form else {
                    return None;
                };
                let element = self.at_index(em, index);
                Some(self.read(em, element, *part as usize, ty))
            }
            SequenceOperation::Store { index, value } => {
                let ty = self.fragment.part_type(value)?;
                let element = self.at_index(em, index);
                self.slow_unless_stamped(em, element, ty);
                ir.store(self.part(em, value), element);
                None
            }
            SequenceOperation::Update {
                index,
                update,
                value,
            } => {
                let ty = self.fragment.part_type(value)?;
                let element = self.at_index(em, index);
                self.slow_unless_stamped(em, element, ty);
                let before = ir.load(self.native(em, ty), element);
                let operand = self.part(em, value);
                let (after, beyond) = updated(ir, ty, *update, before, operand);
                if let Some(beyond) = beyond {
                    self.slow_where(em, beyond);
                }
                ir.store(after, element);
                None
            }
            SequenceOperation::AppendLeft(_) | SequenceOperation::Push(_) => None,
        }
    }

    fn number(&self, em: &Emitter<'_, '_>, at: usize) -> V {
        em.ir
            .load(em.ir.i64(), em.ir.offset_const(self.sequence, at))
    }

    fn set(&self, em: &Emitter<'_, '_>, at: usize, value: V) {
        em.ir.store(value, em.ir.offset_const(self.sequence, at));
    }

    fn native(&self, em: &Emitter<'_, '_>, ty: Ty) -> T {
        match ty.repr {
            Scalar::F64 => em.ir.f64(),
            _ => em.ir.i64(),
        }
    }

    fn part(&self, em: &Emitter<'_, '_>, part: &Part) -> V {
        match part {
            Part::Scalar(at) => self.values[*at as usize].a,
            Part::Int(v) => em.ir.const_i64(*v),
            Part::Text(_) => em.ir.const_i64(0),
        }
    }

    /// The words of the element at a position.
    fn element(&self, em: &Emitter<'_, '_>, at: V) -> V {
        let ir = em.ir;
        let items = ir.load(
            ir.ptr(),
            ir.offset_const(self.sequence, offset_of!(Sequence, items)),
        );
        let size = 8 * (i64::from(self.access.parts) + 1);
        ir.offset(items, ir.mul(at, ir.const_i64(size), Wrap::Any), true)
    }

    /// The element at an index; the launch, and CPython in the end, for one that is out of range.
    fn at_index(&self, em: &Emitter<'_, '_>, index: &Part) -> V {
        let ir = em.ir;
        let index = self.part(em, index);
        let (head, tail) = (
            self.number(em, offset_of!(Sequence, head)),
            self.number(em, offset_of!(Sequence, tail)),
        );
        let length = ir.sub(tail, head, Wrap::Any);
        let negative = ir.icmp(IntPred::LLVMIntSLT, index, ir.const_i64(0));
        let index = ir.select(negative, ir.add(index, length, Wrap::Any), index);
        let inside = ir.icmp(IntPred::LLVMIntULT, index, length);
        self.slow_where(em, ir.not(inside));
        self.element(em, ir.add(head, index, Wrap::Any))
    }

    /// The notes of an element.
    fn notes(&self, em: &Emitter<'_, '_>, element: V) -> V {
        let at = 8 * self.access.parts as usize;
        em.ir.load(em.ir.i64(), em.ir.offset_const(element, at))
    }

    /// A part of an element; the launch is called where it is of another type.
    fn read(&self, em: &Emitter<'_, '_>, element: V, part: usize, ty: Ty) -> V {
        let ir = em.ir;
        let own = ir.lshr(self.notes(em, element), ir.const_i64(8 * part as i64));
        let own = ir.and(own, ir.const_i64(0xff));
        let other = ir.icmp(IntPred::LLVMIntNE, own, ir.const_i64(code(ty).into()));
        self.slow_where(em, other);
        ir.load(self.native(em, ty), ir.offset_const(element, 8 * part))
    }

    /// Leaves to the launch an element that is of another type, or that is changed for the first time since a commit.
    fn slow_unless_stamped(&self, em: &Emitter<'_, '_>, element: V, ty: Ty) {
        let ir = em.ir;
        let notes = self.notes(em, element);
        let clock = |notes: V| ir.lshr(notes, ir.const_i64(CLOCK.into()));
        let now = clock(self.number(em, offset_of!(Sequence, stamp)));
        let stale = ir.icmp(IntPred::LLVMIntNE, clock(notes), now);
        let own = ir.and(notes, ir.const_i64(0xff));
        let other = ir.icmp(IntPred::LLVMIntNE, own, ir.const_i64(code(ty).into()));
        self.slow_where(em, ir.or(stale, other));
    }

    fn slow_where(&self, em: &Emitter<'_, '_>, test: V) {
        let ir = em.ir;
        let next = ir.fresh();
        ir.expect(ir.cond_br(test, self.slow, next), 1, PERFORMED);
        ir.at(next);
    }
}
