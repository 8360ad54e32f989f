//! A compact builder for typed nests, and a harness that runs kernels on buffers.
#![allow(dead_code)]

use nestwise_codegen::abi::{FrameHeader, FrameLayout, Status};
use nestwise_codegen::{FpMode, Kernel, KernelSpec, compile, load};
use nestwise_ir::nest::{Cast, LiveOutKind, While};
use nestwise_ir::{
    Access, AccessId, ArrayDecl, ArrayId, ArrayKind, BinOp, CmpOp, Const, Expr, ExprKind, For,
    LiveOut, LoopDecl, LoopId, Nest, PlaceId, Prov, Scalar, Schedule, Span, Stmt, StmtKind, Ty,
    UnOp, VarDecl, VarId,
};

pub mod pool;

pub const I64: Ty = Ty::PY_INT;
pub const F64: Ty = Ty::py(Scalar::F64);
pub const NPF: Ty = Ty::np(Scalar::F64);

pub fn span(line: u32) -> Span {
    Span { line, column: 0 }
}

/// A nest under construction.
pub struct Builder {
    pub nest: Nest,
    next_loop: u32,
}

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

impl Builder {
    pub fn new() -> Builder {
        let top = stmt(StmtKind::Eval(int(0)));
        Builder {
            nest: Nest {
                arrays: Default::default(),
                vars: Default::default(),
                loops: Default::default(),
                accesses: Default::default(),
                scopes: 0,
                prologue: vec![],
                top,
                live_outs: vec![],
                returns: None,
                needs_trip: vec![],
                whole: None,
            },
            next_loop: 0,
        }
    }
    pub fn array(&mut self, storage: Scalar, elem: Ty, rank: u32) -> ArrayId {
        let capture = self.nest.arrays.len() as u32;
        self.nest.arrays.push(ArrayDecl {
            name: format!("a{capture}"),
            capture,
            kind: ArrayKind::Ndarray,
            storage,
            elem,
            rank,
            read: true,
            written: true,
            moved: false,
        })
    }
    pub fn floats(&mut self, rank: u32) -> ArrayId {
        self.array(Scalar::F64, NPF, rank)
    }
    pub fn var(&mut self, ty: Ty) -> VarId {
        self.nest.vars.push(VarDecl {
            name: String::new(),
            ty,
            live_in: None,
            range: None,
            np_tag: None,
        })
    }
    pub fn input(&mut self, ty: Ty) -> VarId {
        let v = self.var(ty);
        self.nest.vars[v].live_in = Some(v.0);
        v
    }
    /// Marks a variable as a result.
    pub fn output(&mut self, var: VarId) {
        let place = PlaceId(self.nest.live_outs.len() as u32);
        self.nest.live_outs.push(LiveOut {
            place,
            kind: LiveOutKind::Var(var),
            assigned: None,
        });
    }
    pub fn loop_id(&mut self) -> LoopId {
        self.next_loop += 1;
        LoopId(self.next_loop - 1)
    }
    fn access(&mut self, array: ArrayId, store: bool) -> AccessId {
        self.nest.accesses.push(Access {
            array,
            store,
            span: span(1),
        })
    }
    pub fn load(&mut self, array: ArrayId, index: Vec<Expr>, guard: bool) -> Expr {
        let access = self.access(array, false);
        let ty = self.nest.arrays[array].elem;
        Expr {
            kind: ExprKind::Load {
                access,
                array,
                index,
                guard,
            },
            ty,
            span: span(3),
        }
    }
    pub fn store(&mut self, array: ArrayId, index: Vec<Expr>, value: Expr, guard: bool) -> Stmt {
        let access = self.access(array, true);
        stmt(StmtKind::Store {
            access,
            array,
            index,
            value,
            guard,
        })
    }
    pub fn v(&self, var: VarId) -> Expr {
        Expr {
            kind: ExprKind::Var(var),
            ty: self.nest.vars[var].ty,
            span: span(2),
        }
    }
    /// `for counter in range(start, stop, step)` as loop `id`.
    pub fn for_(&self, id: LoopId, counter: VarId, bounds: [Expr; 3], body: Vec<Stmt>) -> Stmt {
        let [start, stop, step] = bounds;
        stmt(StmtKind::For(For {
            id,
            counter,
            start,
            stop,
            step,
            body,
        }))
    }
    pub fn while_(&self, id: LoopId, cond: Expr, body: Vec<Stmt>) -> Stmt {
        stmt(StmtKind::While(While { id, cond, body }))
    }
    /// Renumbers the accesses that stand in the nest.
    fn drop_unused_accesses(&mut self) {
        let old = std::mem::take(&mut self.nest.accesses);
        let renumber = |id: &mut AccessId, accesses: &mut nestwise_ir::Arena<AccessId, Access>| {
            *id = accesses.push(old[*id].clone());
        };
        fn expr(e: &mut Expr, f: &mut impl FnMut(&mut AccessId)) {
            if let ExprKind::Load { access, .. } = &mut e.kind {
                f(access);
            }
            e.children_mut().into_iter().for_each(|c| expr(c, f));
        }
        fn walk(s: &mut Stmt, f: &mut impl FnMut(&mut AccessId)) {
            if let StmtKind::Store { access, .. } = &mut s.kind {
                f(access);
            }
            s.exprs_mut().into_iter().for_each(|e| expr(e, f));
            s.blocks_mut()
                .into_iter()
                .flatten()
                .for_each(|s| walk(s, f));
        }
        let accesses = &mut self.nest.accesses;
        walk(&mut self.nest.top, &mut |id| renumber(id, accesses));
    }
    /// Completes the nest and verifies it.
    pub fn finish(mut self, top: Stmt) -> Nest {
        self.nest.top = top;
        self.drop_unused_accesses();
        let mut found: Vec<(LoopId, Option<LoopId>, u32)> = vec![];
        nesting(&self.nest.top, None, 0, &mut found);
        found.sort_by_key(|f| f.0);
        for (_, parent, depth) in found {
            self.nest.loops.push(LoopDecl {
                span: span(10 + depth),
                name: String::new(),
                depth,
                parent,
            });
        }
        for a in self.nest.arrays.ids().collect::<Vec<_>>() {
            self.nest.arrays[a].read = self
                .nest
                .accesses
                .values()
                .any(|x| x.array == a && !x.store);
            self.nest.arrays[a].written =
                self.nest.accesses.values().any(|x| x.array == a && x.store);
        }
        nestwise_ir::verify::verify(&self.nest).expect("a test builds sound nests");
        self.nest
    }
}

fn nesting(
    s: &Stmt,
    parent: Option<LoopId>,
    depth: u32,
    out: &mut Vec<(LoopId, Option<LoopId>, u32)>,
) {
    let id = match &s.kind {
        StmtKind::For(l) => Some(l.id),
        StmtKind::While(l) => Some(l.id),
        _ => None,
    };
    if let Some(id) = id {
        out.push((id, parent, depth));
    }
    let (parent, depth) = if id.is_some() {
        (id, depth + 1)
    } else {
        (parent, depth)
    };
    for b in s.blocks() {
        for s in b {
            nesting(s, parent, depth, out);
        }
    }
}

pub fn stmt(kind: StmtKind) -> Stmt {
    Stmt {
        kind,
        span: span(4),
    }
}
pub fn let_(var: VarId, value: Expr) -> Stmt {
    stmt(StmtKind::Let { var, value })
}
pub fn if_(cond: Expr, then: Vec<Stmt>, orelse: Vec<Stmt>) -> Stmt {
    stmt(StmtKind::If { cond, then, orelse })
}
pub fn int(v: i64) -> Expr {
    Expr::int(v, span(1))
}
pub fn float(v: f64) -> Expr {
    Expr::constant(Const::Float(v), F64, span(1))
}
pub fn constant(c: Const, ty: Ty) -> Expr {
    Expr::constant(c, ty, span(1))
}
pub fn dim(a: ArrayId, axis: u32) -> Expr {
    Expr {
        kind: ExprKind::Dim(a, axis),
        ty: I64,
        span: span(1),
    }
}
pub fn bin(op: BinOp, a: Expr, b: Expr, guard: bool) -> Expr {
    let ty = a.ty;
    Expr {
        kind: ExprKind::Binary {
            op,
            a: Box::new(a),
            b: Box::new(b),
            guard,
        },
        ty,
        span: span(5),
    }
}
pub fn add(a: Expr, b: Expr) -> Expr {
    bin(BinOp::Add, a, b, false)
}
pub fn sub(a: Expr, b: Expr) -> Expr {
    bin(BinOp::Sub, a, b, false)
}
pub fn mul(a: Expr, b: Expr) -> Expr {
    bin(BinOp::Mul, a, b, false)
}
pub fn cmp(op: CmpOp, a: Expr, b: Expr) -> Expr {
    Expr {
        kind: ExprKind::Compare {
            op,
            a: Box::new(a),
            b: Box::new(b),
        },
        ty: Ty::PY_BOOL,
        span: span(6),
    }
}
pub fn unary(op: UnOp, a: Expr, ty: Ty, guard: bool) -> Expr {
    Expr {
        kind: ExprKind::Unary {
            op,
            a: Box::new(a),
            guard,
        },
        ty,
        span: span(7),
    }
}
pub fn cast(kind: Cast, a: Expr, ty: Ty, guard: bool) -> Expr {
    Expr {
        kind: ExprKind::Cast {
            kind,
            a: Box::new(a),
            guard,
        },
        ty,
        span: span(8),
    }
}
pub fn select(cond: Expr, then: Expr, orelse: Expr) -> Expr {
    let ty = then.ty;
    let (cond, then, orelse) = (Box::new(cond), Box::new(then), Box::new(orelse));
    Expr {
        kind: ExprKind::Select { cond, then, orelse },
        ty,
        span: span(9),
    }
}
pub fn call(
    fun: nestwise_ir::Fun,
    lib: nestwise_ir::Lib,
    args: Vec<Expr>,
    ty: Ty,
    guard: bool,
) -> Expr {
    Expr {
        kind: ExprKind::Call {
            fun,
            lib,
            args,
            guard,
        },
        ty,
        span: span(9),
    }
}
/// `range(n)`.
pub fn upto(n: Expr) -> [Expr; 3] {
    [int(0), n, int(1)]
}

/// A value as tests speak of it.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    Bool(bool),
    Int(i128),
    F32(f32),
    F64(f64),
    C64(f32, f32),
    C128(f64, f64),
    /// Value and whether it is an int.
    Num(f64, bool),
}

impl Value {
    /// Equality to the bit, except that any NaN is any other.
    pub fn same(self, other: Value) -> bool {
        let f = |a: f64, b: f64| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
        let g = |a: f32, b: f32| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
        match (self, other) {
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::F32(a), Value::F32(b)) => g(a, b),
            (Value::F64(a), Value::F64(b)) => f(a, b),
            (Value::C64(a, b), Value::C64(c, d)) => g(a, c) && g(b, d),
            (Value::C128(a, b), Value::C128(c, d)) => f(a, c) && f(b, d),
            (Value::Num(a, s), Value::Num(b, t)) => f(a, b) && s == t,
            _ => false,
        }
    }
    pub fn bytes(self, storage: Scalar) -> Vec<u8> {
        match self {
            Value::Bool(b) => vec![b.into()],
            Value::Int(v) => v.to_le_bytes()[..storage.size()].to_vec(),
            Value::F32(v) => v.to_le_bytes().to_vec(),
            Value::F64(v) | Value::Num(v, _) => v.to_le_bytes().to_vec(),
            Value::C64(a, b) => [a.to_le_bytes(), b.to_le_bytes()].concat(),
            Value::C128(a, b) => [a.to_le_bytes(), b.to_le_bytes()].concat(),
        }
    }
    pub fn read(storage: Scalar, bytes: &[u8], tag: bool) -> Value {
        let f32_at = |at: usize| f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let f64_at = |at: usize| f64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        match storage {
            Scalar::Bool => Value::Bool(bytes[0] != 0),
            Scalar::F32 => Value::F32(f32_at(0)),
            Scalar::F64 => Value::F64(f64_at(0)),
            Scalar::C64 => Value::C64(f32_at(0), f32_at(4)),
            Scalar::C128 => Value::C128(f64_at(0), f64_at(8)),
            Scalar::Num => Value::Num(f64_at(0), tag),
            s => {
                let mut wide = [0u8; 16];
                wide[..s.size()].copy_from_slice(&bytes[..s.size()]);
                let v = i128::from_le_bytes(wide);
                let unused = 128 - 8 * s.size() as u32;
                Value::Int(if s.is_signed() {
                    v << unused >> unused
                } else {
                    v
                })
            }
        }
    }
}

/// A row-major buffer of elements.
#[derive(Clone)]
pub struct Buffer {
    pub storage: Scalar,
    pub shape: Vec<i64>,
    pub strides: Vec<i64>,
    memory: Vec<u128>,
    tags: Vec<u8>,
}

impl Buffer {
    pub fn new(storage: Scalar, shape: &[i64]) -> Buffer {
        let mut strides = vec![storage.size() as i64; shape.len()];
        for d in (0..shape.len().saturating_sub(1)).rev() {
            strides[d] = strides[d + 1] * shape[d + 1];
        }
        let count: i64 = shape.iter().product();
        let bytes = count as usize * storage.size();
        Buffer {
            storage,
            shape: shape.to_vec(),
            strides,
            memory: vec![0; bytes.div_ceil(16)],
            tags: vec![0; count as usize],
        }
    }
    pub fn of(storage: Scalar, values: &[Value]) -> Buffer {
        let mut b = Buffer::new(storage, &[values.len() as i64]);
        for (k, v) in values.iter().enumerate() {
            b.set(k, *v);
        }
        b
    }
    pub fn floats(shape: &[i64], f: impl Fn(usize) -> f64) -> Buffer {
        let mut b = Buffer::new(Scalar::F64, shape);
        for k in 0..b.len() {
            b.set(k, Value::F64(f(k)));
        }
        b
    }
    pub fn len(&self) -> usize {
        self.shape.iter().product::<i64>() as usize
    }
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    fn bytes(&self) -> &[u8] {
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().cast(), self.memory.len() * 16) }
    }
    fn bytes_mut(&mut self) -> &mut [u8] {
        unsafe {
            std::slice::from_raw_parts_mut(self.memory.as_mut_ptr().cast(), self.memory.len() * 16)
        }
    }
    pub fn set(&mut self, k: usize, v: Value) {
        let size = self.storage.size();
        let bytes = v.bytes(self.storage);
        self.bytes_mut()[k * size..(k + 1) * size].copy_from_slice(&bytes);
        if let Value::Num(_, tag) = v {
            self.tags[k] = tag.into();
        }
    }
    pub fn get(&self, k: usize) -> Value {
        let size = self.storage.size();
        Value::read(
            self.storage,
            &self.bytes()[k * size..(k + 1) * size],
            self.tags[k] != 0,
        )
    }
    pub fn f64s(&self) -> Vec<f64> {
        (0..self.len())
            .map(|k| match self.get(k) {
                Value::F64(v) => v,
                other => panic!("{other:?} is no f64"),
            })
            .collect()
    }
}

/// A frame and the buffers its descriptors point to.
pub struct Run<'a> {
    nest: &'a Nest,
    layout: FrameLayout,
    frame: Vec<u128>,
    pub arrays: Vec<Buffer>,
}

impl<'a> Run<'a> {
    pub fn new(nest: &'a Nest, arrays: Vec<Buffer>) -> Run<'a> {
        let layout = FrameLayout::of(nest);
        let frame = vec![0u128; layout.size.div_ceil(16)];
        let mut run = Run {
            nest,
            layout,
            frame,
            arrays,
        };
        for id in nest.arrays.ids() {
            let slot = *run.layout.slot(id).unwrap();
            let b = &mut run.arrays[id.index()];
            let (ptr, tags) = (b.memory.as_mut_ptr() as i64, b.tags.as_mut_ptr() as i64);
            let (shape, strides) = (b.shape.clone(), b.strides.clone());
            run.put(slot.ptr, ptr);
            for d in 0..slot.rank {
                run.put(slot.extents + 8 * d, shape[d]);
                run.put(slot.strides + 8 * d, strides[d]);
            }
            if let Some(at) = slot.tags {
                run.put(at, tags);
            }
            run.put(slot.origin, id.index() as i64);
        }
        run
    }
    fn bytes(&mut self) -> &mut [u8] {
        let len = self.frame.len() * 16;
        unsafe { std::slice::from_raw_parts_mut(self.frame.as_mut_ptr().cast(), len) }
    }
    pub fn put(&mut self, at: usize, v: i64) {
        self.bytes()[at..at + 8].copy_from_slice(&v.to_le_bytes());
    }
    pub fn word(&mut self, at: usize) -> i64 {
        i64::from_le_bytes(self.bytes()[at..at + 8].try_into().unwrap())
    }
    /// Makes a slot a view of its buffer: first element, strides in elements.
    pub fn view(&mut self, id: ArrayId, first: i64, shape: &[i64], strides: &[i64]) {
        let slot = *self.layout.slot(id).unwrap();
        let size = self.nest.elem_size(id) as i64;
        let base = self.arrays[id.index()].memory.as_ptr() as i64;
        self.put(slot.ptr, base + first * size);
        for d in 0..slot.rank {
            self.put(slot.extents + 8 * d, shape[d]);
            self.put(slot.strides + 8 * d, strides[d] * size);
        }
    }
    pub fn origin(&mut self, id: ArrayId) -> i64 {
        let at = self.layout.slot(id).unwrap().origin;
        self.word(at)
    }
    pub fn set_var(&mut self, var: VarId, v: Value) {
        let at = self.layout.var(var).unwrap();
        let repr = self.nest.vars[var].ty.repr;
        let bytes = v.bytes(repr);
        self.bytes()[at..at + bytes.len()].copy_from_slice(&bytes);
        if let Value::Num(_, tag) = v {
            self.bytes()[at + 8] = tag.into();
        }
    }
    pub fn var(&mut self, var: VarId) -> Value {
        let at = self.layout.var(var).unwrap();
        let repr = self.nest.vars[var].ty.repr;
        let cell = self.bytes()[at..at + 16].to_vec();
        Value::read(repr, &cell, cell[8] != 0)
    }
    pub fn run(&mut self, kernel: &Kernel, lo: i64, hi: i64) -> FrameHeader {
        unsafe {
            kernel.run(self.frame.as_mut_ptr().cast(), lo, hi);
            *self.frame.as_ptr().cast::<FrameHeader>()
        }
    }
    pub fn done(&mut self, kernel: &Kernel, lo: i64, hi: i64) {
        let h = self.run(kernel, lo, hi);
        assert_eq!(
            status(&h),
            Status::Done,
            "event code {} line {}",
            h.event_code,
            h.event_line
        );
        assert_eq!(h.at, hi);
    }
}

pub fn status(h: &FrameHeader) -> Status {
    Status::from_code(h.status).expect("a kernel sets a status")
}

pub fn spec<'a>(nest: &'a Nest, schedule: &'a Schedule) -> KernelSpec<'a> {
    const UNIT: [bool; 16] = [true; 16];
    KernelSpec {
        nest,
        schedule,
        disjoint: true,
        unit_stride: &UNIT,
        fp: FpMode::Strict,
        quiet: false,
    }
}

pub fn kernel(nest: &Nest, schedule: &Schedule) -> Kernel {
    kernel_of(spec(nest, schedule))
}

pub fn kernel_of(spec: KernelSpec<'_>) -> Kernel {
    let compiled = match compile(spec) {
        Ok(c) => c,
        Err(e) => panic!("{e}"),
    };
    load(&compiled.object).expect("our own object loads")
}

pub fn vector(id: LoopId, lanes: u32) -> Schedule {
    Schedule {
        nonempty: 0,
        vector: vec![(id, lanes)],
        ..Schedule::default()
    }
}
pub fn independent(id: LoopId) -> Schedule {
    Schedule {
        nonempty: 0,
        independent: vec![id],
        ..Schedule::default()
    }
}
pub fn threads(id: LoopId) -> Schedule {
    let t = nestwise_ir::schedule::ThreadLoop::plain(id);
    Schedule {
        nonempty: 0,
        threads: vec![t],
        ..Schedule::default()
    }
}

/// A provenance with its type.
pub fn np(repr: Scalar) -> Ty {
    Ty {
        prov: Prov::Np,
        repr,
    }
}

/// A small reproducible generator (Knuth's MMIX constants).
pub struct Random(pub u64);
impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let x = self.0;
        (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ (x >> 32)
    }
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}
