//! A launch that is made again gives what a full one gives, and rolls back what it must not do.

use std::sync::Arc;

use nestwise_costmodel::{Caches, Ready};
use nestwise_frontend::builtins::{Builtin, Known};
use nestwise_frontend::site::captures::Capture;
use nestwise_frontend::{ScopeInfo, lowering, parse_site};
use nestwise_ir::{ArrayKind, Scalar, Ty, surface};
use nestwise_runtime::device::Owner;
use nestwise_runtime::launch::{Repeat, Repeated};
use nestwise_runtime::pipeline::{self, Outcome};
use nestwise_runtime::{
    ArrayView, DeviceChoice, Ended, Entry, FpMode, Host, Launch, Options, Plan, Reason, Value,
    set_options,
};

const TEXT: &str = "\
for i in range(n):
    b[i] = a[i] * x
    k = k + 1
";

struct Arrays(Vec<ArrayView>);

impl Host for Arrays {
    fn owner(&self, _: usize) -> Option<Owner> {
        None
    }
    fn arrays(&mut self) -> Result<Vec<ArrayView>, Reason> {
        Ok(self.0.clone())
    }
    fn poll(&mut self, _: &Launch) -> bool {
        false
    }
    fn is_alone(&self) -> bool {
        true
    }
    fn silent(&self) -> bool {
        false
    }
    fn warnings_stop(&self) -> bool {
        false
    }
    fn may_unlock(&self) -> bool {
        false
    }
    fn is_quiet(&self, _: usize) -> bool {
        false
    }
    fn unlocked(&mut self, work: &mut (dyn FnMut() + Send)) {
        work();
    }
}

fn view(memory: &mut [f64]) -> ArrayView {
    ArrayView {
        ptr: memory.as_mut_ptr().cast(),
        tags: std::ptr::null_mut(),
        rank: 1,
        extents: [memory.len() as i64, 0, 0, 0, 0, 0, 0, 0],
        strides: [8, 0, 0, 0, 0, 0, 0, 0],
        size: 8,
    }
}

struct Program {
    site: surface::Site,
    plan: Arc<Plan>,
}

impl Program {
    fn new() -> Program {
        set_options(Options {
            device: DeviceChoice::Serial,
            ..Options::default()
        });
        let names = |text: &str| text.split(' ').map(str::to_string).collect();
        let scope = ScopeInfo {
            module_level: false,
            local_names: names("i n a b x k"),
            bound_names: names("n a b x k"),
            ..ScopeInfo::default()
        };
        let site = parse_site(TEXT, 1, false, &scope).unwrap();
        let scalar = |ty| Capture::Scalar { ty, range: None };
        let capture = |path: &surface::AccessPath| match path.name.as_str() {
            _ if !path.captured => Capture::Unbound,
            "range" => Capture::Known(Known::Builtin(Builtin::Range)),
            "a" | "b" => Capture::Array {
                kind: ArrayKind::Ndarray,
                storage: Scalar::F64,
                elem: Ty::np(Scalar::F64),
                rank: 1,
                writable: true,
            },
            "x" => scalar(Ty::PY_FLOAT),
            _ => scalar(Ty::PY_INT),
        };
        let captures: Vec<Capture> = site.paths.values().map(capture).collect();
        let settings = lowering::Options {
            python_minor: 11,
            whole_ints: true,
            fp: FpMode::Strict,
            frames: 850,
        };
        let nest = lowering::specialise(&site, &captures, settings).unwrap();
        let plan = Arc::new(pipeline::plan(nest, &Options::default()).unwrap());
        Program { site, plan }
    }

    fn values(&self, a: ArrayView, b: ArrayView, n: i64, x: f64) -> Vec<Value> {
        let value = |path: &surface::AccessPath| match path.name.as_str() {
            "a" => Value::Array(a),
            "b" => Value::Array(b),
            "n" => Value::Int(n),
            "x" => Value::Float(x),
            "k" => Value::Int(0),
            _ => Value::None,
        };
        self.site.paths.values().map(value).collect()
    }

    fn run(&self, values: &[Value]) -> Box<Launch> {
        self.run_entry(Entry::new(values))
    }

    fn run_entry(&self, entry: Entry<'_, Value>) -> Box<Launch> {
        let values = entry.captures;
        let arrays = self.plan.analysed.nest().arrays.values();
        let views = arrays.map(|d| match values[d.capture as usize] {
            Value::Array(view) => view,
            _ => panic!("no array"),
        });
        let mut host = Arrays(views.collect());
        match pipeline::run(&self.plan, entry, &mut host) {
            Outcome::Launched(launch) => launch,
            other => panic!("{other:?}"),
        }
    }

    /// The third of three launches on eight elements, and its captures.
    fn settled(&self) -> (Box<Launch>, Vec<Value>) {
        let (mut a, mut b) = (vec![1.0; 8], vec![0.0; 8]);
        let values = self.values(view(&mut a), view(&mut b), 8, 3.0);
        assert!(!self.run(&values).repeated);
        self.run(&values);
        let launch = self.run(&values);
        assert!(launch.repeated && b == [3.0; 8]);
        (launch, values)
    }
}

#[test]
fn a_launch_on_other_arrays() {
    let program = Program::new();
    let (launch, values) = program.settled();
    let mut repeat = Repeat::of(&program.plan, launch, &values).expect("a small launch");
    let mut a: Vec<f64> = (0..8).map(f64::from).collect();
    let mut b = vec![0.0; 8];
    let mut run = |a: ArrayView, b: ArrayView, x: f64| {
        let ran = repeat.run(&program.values(a, b, 8, x), false);
        (ran, repeat.launch().ended, repeat.launch().iterations())
    };
    let whole = (Repeated::Ran, Ended::Finished, 8);
    assert_eq!(run(view(&mut a), view(&mut b), 0.5), whole);
    assert_eq!(b, [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5]);
    // A kernel for arrays apart must not run on one array.
    assert_eq!(run(view(&mut a), view(&mut a), 0.5).0, Repeated::Differs);
    assert_eq!(a[7], 7.0);
    // An overflow is for CPython to warn of.
    a[5] = 1e308;
    assert_eq!(
        run(view(&mut a), view(&mut b), 1e10).0,
        Repeated::GuardFailed
    );
    assert_eq!(run(view(&mut a), view(&mut b), 1.0), whole);
    assert_eq!(b, a);
}

#[test]
fn ints_decide_and_floats_do_not() {
    let program = Program::new();
    let (launch, values) = program.settled();
    let repeat = Repeat::of(&program.plan, launch, &values).expect("a small launch");
    let at = |name: &str| {
        let mut paths = program.site.paths.values();
        paths.position(|p| p.name == name).unwrap()
    };
    let (n, x) = (at("n"), at("x"));
    assert!(repeat.accepts(x, &values[x], &Value::Float(7.0)));
    assert!(repeat.accepts(n, &values[n], &Value::Int(8)));
    assert!(!repeat.accepts(n, &values[n], &Value::Int(7)));
    assert!(!repeat.accepts(n, &values[n], &Value::Bool(true)));
}

#[test]
fn a_launch_that_was_rolled_back_is_not_made_again() {
    let program = Program::new();
    program.settled();
    let (mut a, mut b) = (vec![1e308; 8], vec![0.0; 8]);
    let values = program.values(view(&mut a), view(&mut b), 8, 1e10);
    let launch = program.run(&values);
    assert!(matches!(launch.ended, Ended::Partial { .. }));
    assert!(Repeat::of(&program.plan, launch, &values).is_none());
}

#[test]
fn a_decision_holds_for_what_a_call_finds_in_the_caches() {
    let program = Program::new();
    let (mut a, mut b) = (vec![1.0; 8], vec![0.0; 8]);
    let values = program.values(view(&mut a), view(&mut b), 8, 3.0);
    for caches in [Caches::Warm, Caches::Cold, Caches::Shared, Caches::Warm] {
        let ready = Ready {
            caches,
            asleep: caches.are_cold(),
        };
        let entry = Entry {
            ready,
            ..Entry::new(&values)
        };
        assert_eq!(program.run_entry(entry).decision.ready, ready);
    }
}
