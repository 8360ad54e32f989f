use nestwise_frontend::builtins::{Builtin, Known};
use nestwise_frontend::site::captures::Capture;
use nestwise_frontend::{ScopeInfo, lowering, parse_site};
use nestwise_ir::{ArrayKind, FpMode, Ty, surface};

use crate::estimate::walk::*;
use crate::value::Value;

/// A loop nest over `n` and an array of floats `a`.
fn nest(text: &str) -> Nest {
    let names = |text: &str| text.split(' ').map(str::to_string).collect();
    let scope = ScopeInfo {
        module_level: false,
        local_names: names("i j s n a"),
        bound_names: names("i j s n a"),
        ..ScopeInfo::default()
    };
    let site = parse_site(text, 1, false, &scope).expect("a loop that is read");
    let scalar = |ty| Capture::Scalar { ty, range: None };
    let capture = |path: &surface::AccessPath| match path.name.as_str() {
        _ if !path.captured => Capture::Unbound,
        "range" => Capture::Known(Known::Builtin(Builtin::Range)),
        "a" => Capture::Array {
            kind: ArrayKind::Ndarray,
            storage: Scalar::F64,
            elem: Ty::np(Scalar::F64),
            rank: 1,
            writable: true,
        },
        "s" => scalar(Ty::PY_FLOAT),
        "__getitem__" | "__setitem__" => Capture::Unbound,
        _ => scalar(Ty::PY_INT),
    };
    let captures: Vec<Capture> = site.paths.values().map(capture).collect();
    let options = lowering::Options {
        python_minor: 11,
        whole_ints: true,
        fp: FpMode::Strict,
        frames: 850,
    };
    lowering::specialise(&site, &captures, options).expect("a nest")
}

fn followed(text: &str, a: &mut [f64]) -> Found {
    let nest = nest(text);
    let n = a.len() as i64;
    let view = ArrayView {
        ptr: a.as_mut_ptr().cast(),
        tags: std::ptr::null_mut(),
        rank: 1,
        extents: [n, 0, 0, 0, 0, 0, 0, 0],
        strides: [8, 0, 0, 0, 0, 0, 0, 0],
        size: 8,
    };
    follow(&nest, Source::Memory(view), n)
}

fn follow(nest: &Nest, source: Source<'_>, n: i64) -> Found {
    let followed = Followed::of(nest);
    let sources = nest.arrays.values().map(|_| source).collect();
    let dims = vec![[n, 0, 0, 0, 0, 0, 0, 0]; nest.arrays.len()];
    let mut walk = Walk::new(nest, &followed, sources, &dims);
    let values: Vec<Option<Number>> = nest
        .vars
        .values()
        .map(|v| v.live_in.map(|_| Number::Int(n)))
        .collect();
    for sample in 0..8 {
        walk.sample(sample, &values);
    }
    walk.found()
}

#[test]
fn what_is_stored_is_what_is_loaded() {
    let text = "for i in range(n):\n  while a[i] > 0.0:\n    a[i] = a[i] - 1.0\n";
    assert_eq!(followed(text, &mut [7.0; 40]).trips[1], Some(7.0));
}

/// A list of floats.
struct List(Vec<f64>);

impl HasValue for List {
    fn value(&self) -> &Value {
        &Value::None
    }
    fn element(&self, at: &[i64]) -> Value {
        let found = at.first().and_then(|k| self.0.get(*k as usize));
        found.map_or(Value::None, |v| Value::Float(*v))
    }
}

#[test]
fn elements_of_lists_are_followed_too() {
    let text = "for i in range(n):\n  while a[i] > 0.0:\n    a[i] = a[i] - 1.0\n";
    let nest = nest(text);
    let list = List(vec![5.0; 40]);
    assert_eq!(follow(&nest, Source::List(&list), 40).trips[1], Some(5.0));
    assert_eq!(follow(&nest, Source::Own, 40).trips[1], None);
}

#[test]
fn loops_under_conditions_are_reached_as_often_as_these_hold() {
    let text = "for i in range(n):\n  if i % 10 == 3:\n    for j in range(n):\n      s += a[j]\n";
    let reached = followed(text, &mut [1.0; 100]).reached[1];
    // One in ten, or none, of the eight that are followed.
    assert!(
        reached.is_some_and(|r| (0.01..0.3).contains(&r)),
        "{reached:?}"
    );
    let text = "for i in range(n):\n  if i >= 0:\n    for j in range(n):\n      s += a[j]\n";
    let reached = followed(text, &mut [1.0; 100]).reached[1];
    assert!(reached.is_some_and(|r| r > 0.9), "{reached:?}");
    // Under none.
    let text = "for i in range(n):\n  for j in range(n):\n    s += a[j]\n";
    assert_eq!(followed(text, &mut [1.0; 100]).reached, [None, None]);
}

#[test]
fn loops_are_followed_in_a_row_where_data_decide_conditions() {
    let text = "for i in range(n):\n  if a[i] > 0.5:\n    s += a[i]\n";
    let coin = |k: u32| {
        let mixed = k.wrapping_mul(0x9e37_79b1);
        let mixed = (mixed ^ mixed >> 15).wrapping_mul(0x85eb_ca77);
        f64::from(mixed >> 16 & 1)
    };
    let mut coins: Vec<f64> = (0..400).map(coin).collect();
    let surprise = followed(text, &mut coins).surprise;
    assert!(surprise.is_some_and(|s| s > 0.3), "{surprise:?}");
    assert_eq!(followed(text, &mut vec![1.0; 400]).surprise, Some(0.0));
    // Nothing there rests on data.
    let text = "for i in range(n):\n  if i > 7:\n    s += a[i]\n";
    assert_eq!(followed(text, &mut coins).surprise, None);
}
