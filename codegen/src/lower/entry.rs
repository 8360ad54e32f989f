//! Operations on entries that compiled code performs itself, where the launch has met the entry
//! ([`Table`](crate::link::entries::Table)).

use std::ffi::CString;
use std::mem::offset_of;

use nestwise_ir::model::entry::{Operation, Part, Update};
use nestwise_ir::model::texts;
use nestwise_ir::{
    EntryAccess, Expr, ExprKind, Fragment, FragmentForm, FragmentId, Kept, Scalar, Ty,
};

use crate::link::entries::{Class, HEAD_WORDS, Head, MISSING, SPREAD, Table, code};
use crate::llvm::{Block, IntPred, Ir, V, Wrap};
use crate::lower::emitter::Emitter;
use crate::lower::value::Val;

/// How many buckets compiled code looks into: nearly all entries are in the first two.
const BUCKETS: usize = 2;

/// How often an entry is found, for each time that the launch is called.
const FOUND: u32 = 15;

/// The parts of an operation that compiled code performs, computed.
struct Found<'v> {
    fragment: &'v Fragment,
    values: &'v [Val],
    /// Where the operation was performed, its value, and the blocks that these come from.
    done: Block,
    results: Vec<(Option<V>, Block)>,
    /// Where the launch performs it.
    slow: Block,
    /// The entry.
    head: V,
    table: V,
}

/// Performs the operation of a fragment on an entry that is found, and otherwise has `call` perform it, which gives the
/// value. Operations and keys that need the launch are all left to it.
pub(crate) fn perform(
    em: &mut Emitter<'_, '_>,
    id: FragmentId,
    (fragment, access): (&Fragment, &EntryAccess),
    values: &[Val],
    e: &Expr,
    call: &mut dyn FnMut(&mut Emitter<'_, '_>) -> Val,
) -> Val {
    let Some((words, classes)) = key(em, fragment, access, values) else {
        return call(em);
    };
    if !is_direct(fragment, access) {
        return call(em);
    }
    let ir = em.ir;
    let (done, slow, found) = (ir.fresh(), ir.fresh(), ir.fresh());
    let table = em.unit.kept(id.index());
    let head = match looks_up_often(em) {
        true => find_by_call(em, table, (&words, classes), found, slow),
        false => find(
            ir,
            table,
            (&words, ir.const_i64(classes.into())),
            found,
            slow,
        ),
    };
    ir.at(found);
    let mut at = Found {
        fragment,
        values,
        done,
        results: vec![],
        slow,
        head,
        table,
    };
    at.operate(em, &access.operation);
    let results = std::mem::take(&mut at.results);
    ir.at(slow);
    let value = call(em);
    let last = ir.here();
    ir.br(done);
    ir.at(done);
    if e.ty == Ty::PY_BOOL && matches!(fragment.form, FragmentForm::Statement) {
        return Val::one(ir.const_bool(false));
    }
    let phi = ir.phi(ir.type_of(value.a));
    ir.add_incoming(phi, value.a, last);
    for (result, from) in results {
        ir.add_incoming(phi, result.unwrap_or(value.a), from);
    }
    Val::one(phi)
}

/// Whether compiled code performs an operation on entries whose values are of the expected type.
fn is_direct(fragment: &Fragment, access: &EntryAccess) -> bool {
    let number = |ty: Ty| matches!(ty.repr, Scalar::I64 | Scalar::F64);
    let gives = match fragment.form {
        FragmentForm::Value(ty) => Some(ty),
        FragmentForm::Statement => None,
    };
    match &access.operation {
        Operation::Read => gives.is_some_and(number),
        Operation::ReadOr(default) => {
            gives.is_some_and(number) && fragment.part_type(default) == gives
        }
        Operation::Contains { .. } | Operation::Add | Operation::Discard => true,
        Operation::Store(part) => fragment.part_type(part).is_some_and(number),
        Operation::Update(_, part) => {
            let ty = fragment.part_type(part);
            ty == Some(Ty::PY_INT) || ty == Some(Ty::PY_FLOAT)
        }
        Operation::Length => false,
    }
}

/// The words of a key of ints, bools and characters, and its classes; `None` for other keys.
fn key(
    em: &Emitter<'_, '_>,
    fragment: &Fragment,
    access: &EntryAccess,
    values: &[Val],
) -> Option<(Vec<V>, u8)> {
    let ir = em.ir;
    let mut classes = 0;
    let mut words = Vec::with_capacity(access.key.parts.len());
    for (k, part) in access.key.parts.iter().enumerate() {
        let (class, word) = match part {
            Part::Int(v) => (Class::Whole, ir.const_i64(*v)),
            Part::Scalar(at) => {
                let (ty, v) = (
                    fragment.values.get(*at as usize)?.ty,
                    values[*at as usize].a,
                );
                match ty.repr {
                    Scalar::I64 => (Class::Whole, v),
                    Scalar::I8 | Scalar::I16 | Scalar::I32 => (Class::Whole, ir.sext(v, ir.i64())),
                    Scalar::Bool | Scalar::U8 | Scalar::U16 | Scalar::U32 => {
                        (Class::Whole, ir.zext(v, ir.i64()))
                    }
                    Scalar::Char => (Class::Text, ir.zext(v, ir.i64())),
                    _ => return None,
                }
            }
            Part::Text(text) => {
                let number = texts::number(text);
                (Class::Text, ir.const_i64(i64::from(number)))
            }
        };
        classes |= (class as u8) << (2 * k);
        words.push(word);
    }
    (!words.is_empty()).then_some((words, classes))
}

/// The most operations on entries of a nest for each of which an entry is looked up in place: code that is short enough
/// to be compiled quickly.
const IN_PLACE: usize = 4;

fn looks_up_often(em: &Emitter<'_, '_>) -> bool {
    let mut calls = 0;
    em.unit.nest.walk_exprs(&mut |e| {
        let ExprKind::HostCall { fragment, .. } = e.kind else {
            return;
        };
        let fragment = em.unit.nest.fragments.get(fragment);
        let entry = fragment.is_some_and(|f| matches!(f.kept, Some(Kept::Entry(_))));
        calls += usize::from(entry);
    });
    calls > IN_PLACE
}

/// As [`find`], by a function of the module.
fn find_by_call(
    em: &Emitter<'_, '_>,
    table: V,
    (words, classes): (&[V], u8),
    found: Block,
    slow: Block,
) -> V {
    let ir = em.ir;
    let mut params = vec![ir.ptr(), ir.i64()];
    params.extend(words.iter().map(|_| ir.i64()));
    let ty = ir.function(ir.ptr(), &params);
    let name = CString::new(format!("nw_find_{}", words.len())).unwrap_or_default();
    let function = ir.add_function(&name, ty);
    let null = ir.zero(ir.ptr());
    if !ir.has_body(function) {
        let here = ir.here();
        ir.set_internal(function);
        ir.attribute(function, "nounwind", 0);
        for (key, value) in em.unit.host.attributes() {
            ir.string_attribute(function, key, &value);
        }
        ir.at(ir.block(function, c"entry"));
        let (found, missing) = (ir.fresh(), ir.fresh());
        let own: Vec<V> = (0..words.len())
            .map(|k| ir.param(function, 2 + k as u32))
            .collect();
        let classes = ir.param(function, 1);
        let head = find(ir, ir.param(function, 0), (&own, classes), found, missing);
        ir.at(found);
        ir.ret(head);
        ir.at(missing);
        ir.ret(null);
        ir.at(here);
    }
    let mut args = vec![table, ir.const_i64(classes.into())];
    args.extend(words);
    let head = ir.call(ty, function, &args);
    let missing = ir.icmp(IntPred::LLVMIntEQ, head, null);
    ir.expect(ir.cond_br(missing, slow, found), 1, FOUND);
    head
}

/// Looks an entry up: branches to `found` with the entry that is given back, or to `slow`.
fn find(ir: &Ir<'_>, table: V, (words, classes): (&[V], V), found: Block, slow: Block) -> V {
    let i64 = ir.i64();
    let field = |at: usize, ty| ir.load(ty, ir.offset_const(table, at));
    let buckets = field(offset_of!(Table, buckets), ir.ptr());
    let mask = field(offset_of!(Table, mask), i64);
    let entries = field(offset_of!(Table, entries), ir.ptr());
    let mut hash = classes;
    let byte = ir.trunc(classes, ir.i8());
    for word in words {
        let (high, low) = (ir.const_i64(5), ir.const_i64(64 - 5));
        let turned = ir.or(ir.shl(hash, high), ir.lshr(hash, low));
        let spread = ir.const_i64(SPREAD as i64);
        hash = ir.mul(ir.xor(turned, *word), spread, Wrap::Any);
    }
    hash = ir.xor(hash, ir.lshr(hash, ir.const_i64(32)));
    let size = 8 * (HEAD_WORDS + words.len());
    let mut heads = Vec::with_capacity(BUCKETS);
    for step in 0..BUCKETS {
        let next = match step + 1 == BUCKETS {
            true => slow,
            false => ir.fresh(),
        };
        let (full, same) = (ir.fresh(), ir.fresh());
        let at = ir.add(hash, ir.const_i64(step as i64), Wrap::Any);
        let bucket = ir.element(ir.int(32), buckets, ir.and(at, mask), true);
        let number = ir.load(ir.int(32), bucket);
        let free = ir.icmp(IntPred::LLVMIntEQ, number, ir.const_int(ir.int(32), 0));
        ir.expect(ir.cond_br(free, slow, full), 1, FOUND);
        ir.at(full);
        let entry = ir.sub(ir.zext(number, i64), ir.const_i64(1), Wrap::Any);
        let offset = ir.mul(entry, ir.const_i64(size as i64), Wrap::Any);
        let head = ir.offset(entries, offset, true);
        let own = ir.load(ir.i8(), ir.offset_const(head, offset_of!(Head, classes)));
        let mut equal = ir.icmp(IntPred::LLVMIntEQ, own, byte);
        for (k, word) in words.iter().enumerate() {
            let own = ir.load(i64, ir.offset_const(head, 8 * (HEAD_WORDS + k)));
            equal = ir.and(equal, ir.icmp(IntPred::LLVMIntEQ, own, *word));
        }
        ir.expect(ir.cond_br(equal, same, next), FOUND, 1);
        ir.at(same);
        ir.br(found);
        heads.push((head, same));
        ir.at(next);
    }
    ir.at(found);
    let phi = ir.phi(ir.ptr());
    for (head, from) in heads {
        ir.add_incoming(phi, head, from);
    }
    phi
}

impl Found<'_> {
    /// Emits an operation on the entry that was found.
    fn operate(&mut self, em: &mut Emitter<'_, '_>, operation: &Operation) {
        let ir = em.ir;
        let missing = self.has_code(em, MISSING);
        match operation {
            Operation::Contains { negated } => {
                let answer = match negated {
                    true => missing,
                    false => ir.not(missing),
                };
                self.finish(em, Some(answer));
            }
            Operation::Add => {
                self.slow_where(em, missing);
                self.finish(em, None);
            }
            Operation::Discard => {
                self.slow_where(em, ir.not(missing));
                self.finish(em, None);
            }
            Operation::Read | Operation::ReadOr(_) => {
                let FragmentForm::Value(ty) = self.fragment.form else {
                    ir.br(self.slow);
                    return;
                };
                let expected = self.has_code(em, code(ty));
                if let Operation::ReadOr(default) = operation
                    && let Some(default) = self.part(em, default)
                {
                    let (there, other) = (ir.fresh(), ir.fresh());
                    ir.cond_br(expected, there, other);
                    ir.at(other);
                    self.slow_where(em, ir.not(missing));
                    self.finish(em, Some(default));
                    ir.at(there);
                } else {
                    self.slow_where(em, ir.not(expected));
                }
                let word = self.value(em, ty);
                self.finish(em, Some(word));
            }
            Operation::Store(part) => {
                let Some((value, ty)) = self.part(em, part).zip(self.fragment.part_type(part))
                else {
                    ir.br(self.slow);
                    return;
                };
                self.slow_unless_changed(em, ty);
                ir.store(value, self.head);
                self.finish(em, None);
            }
            Operation::Update(update, part) => {
                let Some((value, ty)) = self.part(em, part).zip(self.fragment.part_type(part))
                else {
                    ir.br(self.slow);
                    return;
                };
                self.slow_unless_changed(em, ty);
                let before = self.value(em, ty);
                let (after, beyond) = updated(ir, ty, *update, before, value);
                if let Some(beyond) = beyond {
                    self.slow_where(em, beyond);
                }
                ir.store(after, self.head);
                self.finish(em, None);
            }
            Operation::Length => {
                ir.br(self.slow);
            }
        }
    }

    fn part(&self, em: &Emitter<'_, '_>, part: &Part) -> Option<V> {
        match part {
            Part::Scalar(at) => Some(self.values[*at as usize].a),
            Part::Int(v) => Some(em.ir.const_i64(*v)),
            Part::Text(text) => Some(em.ir.const_i64(texts::number(text).into())),
        }
    }

    fn value(&self, em: &Emitter<'_, '_>, ty: Ty) -> V {
        let of = match ty.repr {
            Scalar::F64 => em.ir.f64(),
            _ => em.ir.i64(),
        };
        em.ir.load(of, self.head)
    }

    fn has_code(&self, em: &Emitter<'_, '_>, code: u32) -> V {
        let ir = em.ir;
        let own = ir.load(
            ir.int(32),
            ir.offset_const(self.head, offset_of!(Head, code)),
        );
        ir.icmp(
            IntPred::LLVMIntEQ,
            own,
            ir.const_int(ir.int(32), code.into()),
        )
    }

    /// Leaves to the launch an entry whose value is of another type, or that is changed for the first time since a commit:
    /// the launch notes how it was.
    fn slow_unless_changed(&self, em: &Emitter<'_, '_>, ty: Ty) {
        let ir = em.ir;
        let number = |at: V| ir.load(ir.int(32), at);
        let changed = number(ir.offset_const(self.head, offset_of!(Head, changed)));
        let clock = number(ir.offset_const(self.table, offset_of!(Table, clock)));
        let now = ir.icmp(IntPred::LLVMIntEQ, changed, clock);
        let dirty = ir.load(ir.i8(), ir.offset_const(self.head, offset_of!(Head, dirty)));
        let dirty = ir.icmp(IntPred::LLVMIntNE, dirty, ir.const_int(ir.i8(), 0));
        let fits = ir.and(ir.and(now, dirty), self.has_code(em, code(ty)));
        self.slow_where(em, ir.not(fits));
    }

    fn slow_where(&self, em: &Emitter<'_, '_>, test: V) {
        let ir = em.ir;
        let next = ir.fresh();
        ir.expect(ir.cond_br(test, self.slow, next), 1, FOUND);
        ir.at(next);
    }

    fn finish(&mut self, em: &Emitter<'_, '_>, value: Option<V>) {
        self.results.push((value, em.ir.here()));
        em.ir.br(self.done);
    }
}

/// The value of `before op= operand` for numbers of one type, and where an int leaves its 64 bits.
pub(crate) fn updated(
    ir: &Ir<'_>,
    ty: Ty,
    update: Update,
    before: V,
    operand: V,
) -> (V, Option<V>) {
    if ty.repr == Scalar::F64 {
        let value = match update {
            Update::Add => ir.fadd(before, operand),
            Update::Sub => ir.fsub(before, operand),
            Update::Mul => ir.fmul(before, operand),
        };
        return (value, None);
    }
    let name = match update {
        Update::Add => "llvm.sadd.with.overflow",
        Update::Sub => "llvm.ssub.with.overflow",
        Update::Mul => "llvm.smul.with.overflow",
    };
    let both = ir.intrinsic(name, &[ir.i64()], &[before, operand]);
    (ir.field(both, 0), Some(ir.field(both, 1)))
}
