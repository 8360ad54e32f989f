//! Values, buffers, and kernels that run on them.

use nestwise_codegen::abi::{FrameHeader, FrameLayout, Status};
use nestwise_codegen::{FpMode, Kernel, KernelSpec, compile, load};
use nestwise_ir::{ArrayId, IdSet, LoopId, Nest, Scalar, Schedule, VarId};

/// A value as tests speak of it.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    Bool(bool),
    Int(i128),
    F32(f32),
    F64(f64),
    C64(f32, f32),
    C128(f64, f64),
    /// The value, and whether it is an int.
    Num(f64, bool),
}

impl Value {
    /// Whether two values are equal to the bit, except that any NaN is any other.
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
            "failure code {} line {}",
            h.failure_code,
            h.failure_line
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
        unchecked: false,
        tier: Default::default(),
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
        nonempty: IdSet::new(),
        vector: vec![(id, lanes)],
        ..Schedule::default()
    }
}
pub fn independent(id: LoopId) -> Schedule {
    Schedule {
        nonempty: IdSet::new(),
        independent: vec![id],
        ..Schedule::default()
    }
}
pub fn threads(id: LoopId) -> Schedule {
    let t = nestwise_ir::schedule::ThreadLoop::plain(id);
    Schedule {
        nonempty: IdSet::new(),
        threads: vec![t],
        ..Schedule::default()
    }
}
