//! Random parallel loops: by lanes, on threads and with deferred exceptions they leave what the serial loop leaves.
//!
//! The bodies are made of what masks have to get right: nested branches, breaks and continues at several levels,
//! scopes, loops with trip counts of their own in each lane, guarded arithmetic and guarded indices.

mod common;

use common::*;
use nestwise_codegen::abi::Status;
use nestwise_ir::model::nest::Cast;
use nestwise_ir::{
    ArrayId, BinOp, CmpOp, Const, Expr, ExprKind, LoopId, Nest, Scalar, Schedule, ScopeId, Stmt,
    StmtKind, UnOp, VarId,
};

struct Gen {
    b: Builder,
    r: Random,
    i: VarId,
    floats: Vec<VarId>,
    ints: Vec<VarId>,
    a: ArrayId,
    table: ArrayId,
    out: ArrayId,
    counts: ArrayId,
    /// The open loops and scopes that may be left.
    loops: Vec<LoopId>,
    scopes: Vec<ScopeId>,
    counters: Vec<VarId>,
    guards: bool,
}

const TOP: LoopId = LoopId(0);

impl Gen {
    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.r.below(items.len() as u64) as usize]
    }
    fn chance(&mut self, percent: u64) -> bool {
        self.r.below(100) < percent
    }

    fn int(&mut self, depth: u32) -> Expr {
        if depth == 0 || self.chance(30) {
            return match self.r.below(4) {
                0 => int(self.r.below(9) as i64 - 3),
                1 => self.b.v(self.i),
                2 if !self.counters.is_empty() => {
                    let counters = self.counters.clone();
                    let v = self.pick(&counters);
                    self.b.v(v)
                }
                _ => {
                    let ints = self.ints.clone();
                    let v = self.pick(&ints);
                    self.b.v(v)
                }
            };
        }
        let guard = true;
        match self.r.below(8) {
            0 => bin(
                BinOp::Mod,
                self.int(depth - 1),
                int(self.r.below(5) as i64 + 2),
                false,
            ),
            1 => bin(BinOp::FloorDiv, self.int(depth - 1), int(3), false),
            2 => {
                let (x, y) = (self.int(depth - 1), self.int(depth - 1));
                bin(BinOp::Mod, x, y, true)
            }
            3 => unary(UnOp::Neg, self.int(depth - 1), I64, guard),
            4 => {
                let table = self.table;
                let index = vec![self.index()];
                self.b.load(table, index, self.guards)
            }
            5 => {
                let x = self.float(depth - 1);
                cast(Cast::Trunc, x, I64, true)
            }
            k => {
                let op = if k == 6 {
                    BinOp::Add
                } else {
                    self.pick(&[BinOp::Mul, BinOp::Sub, BinOp::Min])
                };
                let (x, y) = (self.int(depth - 1), self.int(depth - 1));
                bin(op, x, y, op != BinOp::Min)
            }
        }
    }

    /// An index that is in range for all lanes or, with guards, may be anything.
    fn index(&mut self) -> Expr {
        let n = || dim(ArrayId(0), 0);
        match self.r.below(6) {
            0 | 1 => self.b.v(self.i),
            2 => sub(sub(n(), int(1)), self.b.v(self.i)),
            3 => int(0),
            _ if self.guards => {
                let x = self.int(1);
                bin(BinOp::Mod, x, n(), true)
            }
            _ => bin(BinOp::Mod, mul(self.b.v(self.i), int(7)), n(), false),
        }
    }

    fn float(&mut self, depth: u32) -> Expr {
        if depth == 0 || self.chance(30) {
            return match self.r.below(3) {
                0 => constant(Const::Float(self.r.unit() * 4.0 - 2.0), NPF),
                1 => {
                    let (a, index) = (self.a, vec![self.index()]);
                    self.b.load(a, index, self.guards)
                }
                _ => {
                    let floats = self.floats.clone();
                    let v = self.pick(&floats);
                    self.b.v(v)
                }
            };
        }
        match self.r.below(8) {
            0 => {
                let c = self.cond(1);
                let (x, y) = (self.float(depth - 1), self.float(depth - 1));
                select(c, x, y)
            }
            1 => unary(UnOp::Abs, self.float(depth - 1), NPF, false),
            2 => {
                let (x, y) = (self.float(depth - 1), self.float(depth - 1));
                let size = unary(UnOp::Abs, y, NPF, false);
                bin(
                    BinOp::Div,
                    x,
                    add(size, constant(Const::Float(0.5), NPF)),
                    false,
                )
            }
            3 => {
                let (x, y) = (self.float(depth - 1), self.float(depth - 1));
                bin(BinOp::Mod, x, y, true)
            }
            4 => {
                let x = self.int(depth - 1);
                cast(Cast::Value, x, NPF, false)
            }
            5 => {
                // A bound value used twice.
                let var = self.b.var(NPF);
                let value = self.float(depth - 1);
                let body = mul(self.b.v(var), self.b.v(var));
                Expr {
                    kind: ExprKind::Bind {
                        var,
                        value: Box::new(value),
                        body: Box::new(body),
                    },
                    ty: NPF,
                    span: span(1),
                }
            }
            _ => {
                let op = self.pick(&[BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Max]);
                let (x, y) = (self.float(depth - 1), self.float(depth - 1));
                bin(op, x, y, false)
            }
        }
    }

    fn cond(&mut self, depth: u32) -> Expr {
        let op = self.pick(&[CmpOp::Lt, CmpOp::Ge, CmpOp::Eq, CmpOp::Ne]);
        if self.chance(50) {
            let (x, y) = (self.float(depth), self.float(depth));
            cmp(op, x, y)
        } else {
            let x = self.int(depth);
            cmp(
                op,
                bin(BinOp::Mod, x, int(3), false),
                int(self.r.below(3) as i64),
            )
        }
    }

    fn block(&mut self, depth: u32, size: u64) -> Vec<Stmt> {
        let n = 1 + self.r.below(size);
        (0..n).map(|_| self.stmt(depth)).collect()
    }

    fn stmt(&mut self, depth: u32) -> Stmt {
        match self.r.below(if depth == 0 { 5 } else { 12 }) {
            0 | 1 => {
                let floats = self.floats.clone();
                let v = self.pick(&floats);
                let e = self.float(2);
                let_(v, e)
            }
            2 => {
                let ints = self.ints.clone();
                let v = self.pick(&ints);
                let e = self.int(2);
                // Kept small, or everything would end in a guard failure.
                let_(v, bin(BinOp::Mod, e, int(1000), false))
            }
            3 => self.exit(),
            4 => {
                let (out, i) = (self.out, vec![self.b.v(self.i)]);
                let e = self.float(2);
                self.b.store(out, i, e, false)
            }
            5 | 6 => {
                let c = self.cond(1);
                let then = self.block(depth - 1, 3);
                let orelse = if self.chance(50) {
                    self.block(depth - 1, 2)
                } else {
                    vec![]
                };
                if_(c, then, orelse)
            }
            7 | 8 => self.counted(depth),
            9 => self.looping(depth),
            10 => {
                let id = ScopeId(self.b.nest.scopes);
                self.b.nest.scopes += 1;
                self.scopes.push(id);
                let body = self.block(depth - 1, 4);
                self.scopes.pop();
                stmt(StmtKind::Scope { id, body })
            }
            _ => {
                let (counts, i) = (self.counts, vec![self.b.v(self.i)]);
                let e = self.int(1);
                self.b.store(counts, i, e, false)
            }
        }
    }

    /// `if cond: break`, or another way out.
    fn exit(&mut self) -> Stmt {
        let c = self.cond(1);
        let mut ways = vec![StmtKind::Continue(TOP)];
        for l in &self.loops {
            ways.extend([
                StmtKind::Break(*l),
                StmtKind::Continue(*l),
                StmtKind::Break(*l),
            ]);
        }
        ways.extend(
            self.scopes
                .iter()
                .flat_map(|s| [StmtKind::Leave(*s), StmtKind::Leave(*s)]),
        );
        let k = self.r.below(ways.len() as u64) as usize;
        let way = ways.swap_remove(k);
        if_(c, vec![stmt(way)], vec![])
    }

    fn counted(&mut self, depth: u32) -> Stmt {
        let (id, counter) = (self.b.loop_id(), self.b.var(I64));
        let stop = if self.chance(50) {
            int(self.r.below(4) as i64)
        } else {
            let x = self.int(1);
            bin(BinOp::Mod, x, int(4), false)
        };
        let bounds = match self.r.below(4) {
            0 => [stop, int(0), int(-1)],
            1 => [self.b.v(self.i), add(self.b.v(self.i), stop), int(1)],
            2 => [int(0), stop, int(2)],
            _ => [int(0), stop, int(1)],
        };
        self.loops.push(id);
        self.counters.push(counter);
        let body = self.block(depth - 1, 4);
        self.counters.pop();
        self.loops.pop();
        self.b.for_(id, counter, bounds, body)
    }

    fn looping(&mut self, depth: u32) -> Stmt {
        // `w` counts down whatever the body does.
        let (id, w) = (self.b.loop_id(), self.b.var(I64));
        let start = if self.chance(60) {
            bin(BinOp::Mod, self.int(1), int(4), false)
        } else {
            int(2)
        };
        self.loops.push(id);
        let mut body = vec![let_(w, sub(self.b.v(w), int(1)))];
        body.extend(self.block(depth - 1, 3));
        self.loops.pop();
        let go = cmp(CmpOp::Gt, self.b.v(w), int(0));
        let inner = self.b.while_(id, go, body);
        // Both in one statement: a scope that nobody leaves.
        let scope = ScopeId(self.b.nest.scopes);
        self.b.nest.scopes += 1;
        stmt(StmtKind::Scope {
            id: scope,
            body: vec![let_(w, start), inner],
        })
    }
}

fn nest(seed: u64) -> Nest {
    random_nest(seed, false).0
}

/// A nest; `sum`: with a variable (the result) that its iterations add to, multiply by or subtract from.
fn random_nest(seed: u64, sum: bool) -> (Nest, Option<VarId>) {
    let mut b = Builder::new();
    let (a, table) = (b.floats(1), b.array(Scalar::I64, I64, 1));
    let (out, counts) = (b.floats(1), b.array(Scalar::I64, I64, 1));
    let top = b.loop_id();
    let i = b.var(I64);
    let (floats, ints): (Vec<VarId>, Vec<VarId>) = (
        (0..3).map(|_| b.var(NPF)).collect(),
        (0..3).map(|_| b.var(I64)).collect(),
    );
    let mut r = Random(seed);
    r.next();
    let guards = r.below(2) == 0;
    let mut g = Gen {
        b,
        r,
        i,
        floats: floats.clone(),
        ints: ints.clone(),
        a,
        table,
        out,
        counts,
        loops: vec![],
        scopes: vec![],
        counters: vec![],
        guards,
    };
    let mut body = vec![];
    for (k, v) in floats.iter().enumerate() {
        let first = if k == 0 {
            g.b.load(a, vec![g.b.v(i)], false)
        } else {
            constant(Const::Float(k as f64), NPF)
        };
        body.push(let_(*v, first));
    }
    for (k, v) in ints.iter().enumerate() {
        let first = if k == 0 {
            g.b.load(table, vec![g.b.v(i)], false)
        } else {
            int(k as i64)
        };
        body.push(let_(*v, first));
    }
    let mut work = g.block(3, 7);
    let total = sum.then(|| {
        let total = g.b.input(NPF);
        g.b.output(total);
        let op = g.pick(&[BinOp::Add, BinOp::Add, BinOp::Sub, BinOp::Mul]);
        let term = g.float(2);
        let (a, b) = if op != BinOp::Sub && g.chance(30) {
            (term, g.b.v(total))
        } else {
            (g.b.v(total), term)
        };
        let mut update = let_(total, bin(op, a, b, false));
        if g.chance(50) {
            update = if_(g.cond(1), vec![update], vec![]);
        }
        let at = g.r.below(work.len() as u64 + 1) as usize;
        work.insert(at, update);
        total
    });
    body.extend(work);
    let (sum, count) = (add(g.b.v(floats[0]), g.b.v(floats[1])), g.b.v(ints[2]));
    body.push(g.b.store(out, vec![g.b.v(i)], sum, false));
    body.push(g.b.store(counts, vec![g.b.v(i)], count, false));
    let top = g.b.for_(top, i, upto(dim(a, 0)), body);
    (g.b.finish(top), total)
}

/// Sums of floats in a vector loop have the bits of the serial loop: the order of their terms is kept, and lanes that
/// are not there add nothing.
#[test]
fn sums_by_lanes_keep_their_order() {
    let (mut done, mut vectorised) = (0, 0);
    for seed in 0..40 {
        let (nest, total) = random_nest(seed, true);
        let total = total.expect("asked for");
        let serial = kernel(&nest, &Schedule::serial());
        let (raw, _) = nestwise_codegen::llvm_ir(spec(&nest, &vector(TOP, 4))).expect("compiles");
        vectorised += u32::from(raw.contains("<4 x double>"));
        for lanes in [4, 16] {
            let by_lanes = kernel(&nest, &vector(TOP, lanes));
            for n in [1i64, 4, 23] {
                let mut r = Random(seed + n as u64);
                let mut input = Buffer::floats(&[n], |_| 0.0);
                let mut table = Buffer::new(Scalar::I64, &[n]);
                for k in 0..n as usize {
                    input.set(k, Value::F64((r.unit() - 0.5) * 6.0));
                    table.set(k, Value::Int(i128::from(r.below(10)) - 3));
                }
                let ends: Vec<_> = [&serial, &by_lanes]
                    .into_iter()
                    .map(|kernel| {
                        let out = Buffer::floats(&[n], |_| 7.0);
                        let counts = Buffer::new(Scalar::I64, &[n]);
                        let arrays = vec![input.clone(), table.clone(), out, counts];
                        let mut run = Run::new(&nest, arrays);
                        run.set_var(total, Value::F64(-0.0));
                        let h = run.run(kernel, 0, n);
                        (status(&h), run.var(total))
                    })
                    .collect();
                assert_eq!(ends[0].0, ends[1].0, "seed {seed}, {lanes} lanes, n {n}");
                if ends[0].0 == Status::Done {
                    done += 1;
                    assert!(
                        ends[0].1.same(ends[1].1),
                        "seed {seed}, {lanes} lanes, n {n}: {:?}",
                        ends.iter().map(|e| e.1).collect::<Vec<_>>()
                    );
                }
            }
        }
    }
    assert!(done > 100 && vectorised > 30, "{done}, {vectorised}");
}

#[test]
fn lanes_and_threads_do_what_the_serial_loop_does() {
    let cases = std::env::var("NESTWISE_RANDOM_CASES")
        .ok()
        .and_then(|v| v.parse().ok())
        .unwrap_or(40u64);
    let first = std::env::var("NESTWISE_RANDOM_FIRST")
        .ok()
        .and_then(|v| v.parse().ok())
        .unwrap_or(0u64);
    let (mut done, mut failed, mut vectorised) = (0, 0, 0);
    for seed in first..first + cases {
        let nest = nest(seed);
        let serial = kernel(&nest, &Schedule::serial());
        let ways: Vec<(String, Schedule)> = vec![
            ("independent".into(), independent(TOP)),
            ("4 lanes".into(), vector(TOP, 4)),
            ("16 lanes".into(), vector(TOP, 16)),
            ("threads".into(), threads(TOP)),
        ];
        let schedule = vector(TOP, 4);
        let (raw, _) = nestwise_codegen::llvm_ir(spec(&nest, &schedule)).expect("compiles");
        vectorised += u32::from(raw.contains("<4 x "));
        let kernels: Vec<_> = ways
            .iter()
            .map(|(name, s)| (name, kernel(&nest, s)))
            .collect();
        for n in [1i64, 3, 4, 21] {
            let mut r = Random(seed + n as u64);
            let a = Buffer::floats(&[n], |_| 0.0);
            let mut input = a.clone();
            let mut table = Buffer::new(Scalar::I64, &[n]);
            for k in 0..n as usize {
                input.set(k, Value::F64((r.unit() - 0.5) * 6.0));
                table.set(k, Value::Int(i128::from(r.below(10)) - 3));
            }
            let fresh = || {
                vec![
                    input.clone(),
                    table.clone(),
                    Buffer::floats(&[n], |_| 7.0),
                    Buffer::new(Scalar::I64, &[n]),
                ]
            };
            let mut want = Run::new(&nest, fresh());
            let h = want.run(&serial, 0, n);
            let failure = status(&h) == Status::GuardFailed;
            if failure {
                failed += 1
            } else {
                done += 1
            }
            for (name, kernel) in &kernels {
                let mut run = Run::new(&nest, fresh());
                let h = run.run(kernel, 0, n);
                assert_eq!(
                    status(&h) == Status::GuardFailed,
                    failure,
                    "seed {seed}, {name}, n {n}: failed"
                );
                if failure {
                    continue;
                }
                for array in [2, 3] {
                    for k in 0..n as usize {
                        let (got, want) = (run.arrays[array].get(k), want.arrays[array].get(k));
                        assert!(
                            got.same(want),
                            "seed {seed}, {name}, n {n}: a{array}[{k}] {got:?} not {want:?}"
                        );
                    }
                }
            }
        }
    }
    if cases >= 40 {
        assert!(
            done > cases && failed > cases / 20,
            "{done} runs without a guard failure, {failed} with one: too few"
        );
        assert!(
            u64::from(vectorised) > cases * 9 / 10,
            "only {vectorised} of {cases} run by lanes"
        );
    }
}
