//! A device for tests: it runs kernels in their emulated form, thread by thread.

#![allow(dead_code)] // Each test file uses its part.

use nestwise_codegen::abi::{FrameHeader, GridThread, Order, cooperative};
use nestwise_codegen::{
    CompiledGrid, DeviceCode, GridCode, GridTarget, compile_grid, load, load_grid, register_launch,
};
use nestwise_ir::schedule::{GridLoop, ThreadLoop};
use nestwise_ir::{LoopId, Nest, Schedule, StmtKind};

use super::common::*;

/// The contents of fresh memory.
const RUBBISH: u128 = u128::MAX / 0xff * 0xa5;

/// What launches are given: the `user` of their frames points to it.
pub struct Device {
    code: GridCode,
    /// The number of blocks and threads along the axes; the order in which they run is shuffled by the seed.
    blocks: [i64; 3],
    threads: [i64; 3],
    seed: u64,
    /// The number of axes of each kernel.
    axes: Vec<usize>,
    status: Vec<u128>,
    shared: Vec<u128>,
    /// The copies that threads have for themselves.
    copies: Vec<u128>,
    /// The launches so far: the kernel, its iterations and those of the second axis; or -1, and the bytes of late cells
    /// that are asked for.
    launches: Vec<(i64, i64, i64)>,
}

unsafe extern "C" fn launch(user: *mut u8, order: *mut Order) -> i64 {
    let (device, asked) = unsafe { (&mut *user.cast::<Device>(), &mut *order) };
    asked.left = device.status.as_mut_ptr().cast();
    if asked.kernel < 0 {
        device.launches.push((asked.kernel, asked.cells, 0));
        return 0;
    }
    let (kernel, env, size, lo, hi) = (asked.kernel, asked.env, asked.size, asked.lo, asked.hi);
    device.launches.push((kernel, hi - lo, asked.inner));
    let run: GridThread = device.code.kernel(kernel as usize).unwrap();
    let mut places = vec![];
    let axes = |n: [i64; 3]| {
        (0..n[0] * n[1] * n[2]).map(move |k| [k % n[0], k / n[0] % n[1], k / (n[0] * n[1])])
    };
    let (blocks, threads) = match device.axes[kernel as usize] {
        0 => ([1; 3], [1; 3]),
        _ => (device.blocks, device.threads),
    };
    for block in axes(blocks) {
        for thread in axes(threads) {
            // Blocks that leave records are of one thread: nobody waits for others here.
            let shared = vec![device.shared.as_mut_ptr() as i64];
            let place = [&thread[..], &threads, &block, &blocks, &shared];
            places.push(place.concat());
        }
    }
    let count: i64 = blocks.iter().chain(&threads).product();
    device.copies = vec![RUBBISH; ((asked.copies * count) as usize).div_ceil(16)];
    let copies = device.copies.as_mut_ptr() as i64;
    // Cooperative kernels have one thread here, which waits for nobody.
    let mut together = vec![0u128; cooperative::size(1).div_ceil(16)];
    let together = together.as_mut_ptr() as i64;
    let mix = |k: usize| (k as u64 ^ device.seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 7;
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by_key(|k| mix(*k));
    for k in order {
        // Every thread has a copy of its own: none may write it.
        let mut own = vec![0u128; (size as usize).div_ceil(16)];
        let status = device.status.as_mut_ptr().cast();
        unsafe {
            std::ptr::copy_nonoverlapping(env, own.as_mut_ptr().cast(), size as usize);
            let user = own.as_mut_ptr().cast::<u8>().add(FrameHeader::USER);
            user.cast::<i64>().write(copies);
            let at = own.as_mut_ptr().cast::<u8>().add(FrameHeader::AT);
            at.cast::<i64>().write(together);
            run(own.as_mut_ptr().cast(), lo, hi, status, places[k].as_ptr());
        }
    }
    asked.blocks = blocks.iter().product();
    0
}

pub fn mapped(loops: &[&[LoopId]]) -> Schedule {
    let grid = loops.iter().map(|axes| GridLoop {
        axes: axes.to_vec(),
        mapped: ThreadLoop::plain(axes[0]),
    });
    Schedule {
        grid: grid.collect(),
        ..Schedule::default()
    }
}

pub fn compiled(nest: &Nest, schedule: &Schedule, target: GridTarget) -> CompiledGrid {
    compile_grid(spec(nest, schedule), target).unwrap_or_else(|e| panic!("{e}"))
}

pub fn ptx(nest: &Nest, schedule: &Schedule, capability: u32) -> String {
    match compiled(nest, schedule, GridTarget::Ptx(capability)).device {
        DeviceCode::Ptx(text) => text,
        DeviceCode::Object(_) => panic!("no PTX"),
    }
}

/// Runs the emulated form; `prepare` sets variables. Returns the arrays, the launches, and the status.
pub fn emulated(
    nest: &Nest,
    schedule: &Schedule,
    arrays: &[Buffer],
    trips: i64,
    shape: ([i64; 3], [i64; 3], u64),
    prepare: &dyn Fn(&mut Run<'_>),
) -> (Vec<Buffer>, Vec<(i64, i64, i64)>, i64) {
    emulated_with(nest, schedule, arrays, trips, shape, prepare, &|_| {})
}

pub fn emulated_with(
    nest: &Nest,
    schedule: &Schedule,
    arrays: &[Buffer],
    trips: i64,
    shape: ([i64; 3], [i64; 3], u64),
    prepare: &dyn Fn(&mut Run<'_>),
    look: &dyn Fn(&mut Run<'_>),
) -> (Vec<Buffer>, Vec<(i64, i64, i64)>, i64) {
    register_launch(launch);
    let made = compiled(nest, schedule, GridTarget::Emulated);
    let DeviceCode::Object(object) = &made.device else {
        panic!("no object");
    };
    let mut device = Device {
        code: load_grid(object, made.kernels.len()).unwrap(),
        blocks: shape.0,
        threads: shape.1,
        seed: shape.2,
        axes: made.kernels.iter().map(|k| k.loops.len()).collect(),
        status: vec![0; 8192],
        shared: vec![u128::MAX; 12],
        copies: vec![],
        launches: vec![],
    };
    let host = load(&made.host).unwrap();
    let mut run = Run::new(nest, arrays.to_vec());
    prepare(&mut run);
    run.put(FrameHeader::USER, (&raw mut device) as i64);
    run.done(&host, 0, trips);
    look(&mut run);
    (run.arrays, device.launches, device.status[0] as i64)
}

pub fn serial(
    nest: &Nest,
    arrays: &[Buffer],
    trips: i64,
    prepare: &dyn Fn(&mut Run<'_>),
) -> Vec<Buffer> {
    let mut run = Run::new(nest, arrays.to_vec());
    prepare(&mut run);
    run.done(&kernel(nest, &Schedule::serial()), 0, trips);
    run.arrays
}

/// Grids to run kernels on: blocks, threads of a block, and the seed that shuffles them. Grids of one axis come first.
pub const SHAPES: [([i64; 3], [i64; 3], u64); 4] = [
    ([1, 1, 1], [1, 1, 1], 1),
    ([3, 1, 1], [4, 1, 1], 2),
    ([2, 2, 1], [4, 2, 1], 3),
    ([40, 9, 1], [32, 2, 1], 4),
];

/// The environment variable with the path of `ptxas`, which `make test` sets.
const PTXAS: &str = "NESTWISE_PTXAS";
pub const CAPABILITIES: [u32; 4] = [75, 80, 90, 100];

/// Has `ptxas`, if there is one, assemble PTX for a GPU of this compute capability, and checks that nothing is spilled.
pub fn assemble(name: &str, text: &str, capability: u32) {
    let Some(ptxas) = std::env::var_os(PTXAS) else {
        println!("{PTXAS} is not set: nothing is assembled");
        return;
    };
    let name = format!("nestwise-{name}-{capability}-{}", std::process::id());
    let file = std::env::temp_dir().join(name);
    std::fs::write(&file, text).unwrap();
    let done = std::process::Command::new(&ptxas)
        .arg(format!("-arch=sm_{capability}"))
        .args(["-v", "-o", "/dev/null"])
        .arg(&file)
        .output()
        .expect("ptxas runs");
    std::fs::remove_file(&file).unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}");
    let mut spills = said.lines().filter(|line| line.contains("spill"));
    let none = "0 bytes spill stores, 0 bytes spill loads";
    assert!(spills.all(|line| line.contains(none)), "{said}");
    assert!(said.contains(none), "{said}");
}

/// out[i, j] = (x[i - 1, j] + x[i + 1, j]) * a, and `while` the outer loop goes on, x and out trade places
pub fn heat() -> (Nest, [LoopId; 3], nestwise_ir::VarId) {
    let mut b = Builder::new();
    let (x, out) = (b.floats(2), b.floats(2));
    let (lt, li, lj) = (b.loop_id(), b.loop_id(), b.loop_id());
    let (t, i, j, steps) = (b.var(I64), b.var(I64), b.var(I64), b.input(I64));
    let a = b.input(NPF);
    let at = |b: &mut Builder, d: i64| b.load(x, vec![add(b.v(i), int(d)), b.v(j)], false);
    let sum = add(at(&mut b, -1), at(&mut b, 1));
    let scaled = mul(sum, b.v(a));
    let put = b.store(out, vec![b.v(i), b.v(j)], scaled, false);
    let inner = b.for_(lj, j, upto(dim(x, 1)), vec![put]);
    let rows = [int(1), sub(dim(x, 0), int(1)), int(1)];
    let middle = b.for_(li, i, rows, vec![inner]);
    let swap = stmt(StmtKind::Rebind(vec![(x, out), (out, x)]));
    let top = b.for_(lt, t, upto(b.v(steps)), vec![middle, swap]);
    (b.finish(top), [lt, li, lj], a)
}
