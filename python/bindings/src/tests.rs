//! Tests with an interpreter in the test process: what the extension reads of Python's objects, and that reading runs
//! none of the user's code.

use std::ffi::CString;

use nestwise_frontend::site::captures::{Alike, Capture};
use nestwise_runtime::Value;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::bind::classify;
use crate::objects::{attributes, functions, iterables, layout, lists, records};

/// Runs `statements`, then `f` on what each of `names` holds.
fn with<T>(
    statements: &str,
    names: &[&str],
    f: impl FnOnce(Python<'_>, Vec<Bound<'_, PyAny>>) -> T,
) -> T {
    Python::initialize();
    Python::attach(|py| {
        let globals = PyDict::new(py);
        let code = CString::new(statements).expect("no zero byte");
        py.run(&code, Some(&globals), None)
            .expect("the statements run");
        let found = |name: &&str| {
            globals
                .get_item(name)
                .ok()
                .flatten()
                .expect("a name that was assigned")
        };
        f(py, names.iter().map(found).collect())
    })
}

/// The signature word and the value of what `expression` gives.
fn classified(expression: &str) -> (u64, Value) {
    with(&format!("x = {expression}"), &["x"], |py, found| {
        // SAFETY: a live object.
        unsafe { classify::classify(py, None, found[0].as_ptr(), false, false) }
    })
}

#[test]
fn the_layout_of_objects_is_as_it_is_read() {
    with("", &[], |_, _| assert!(layout::self_check()));
}

#[test]
fn numbers_are_told_by_their_exact_types() {
    for (expression, ty) in [
        ("3", "py.i64"),
        ("2.5", "py.f64"),
        ("True", "py.bool"),
        ("1j", "py.c128"),
    ] {
        let word = classified(expression).0;
        let found = classify::scalar_type(word).map(|t| t.to_string());
        assert!(
            word & 0xff == classify::SCALAR && found.is_some(),
            "{expression}: {found:?}"
        );
        assert_eq!(found.as_deref(), Some(ty), "{expression}");
    }
    // A subclass may have operators of its own.
    let own = with("class I(int): pass\nx = I(3)", &["x"], |py, found| unsafe {
        // SAFETY: a live object.
        classify::classify(py, None, found[0].as_ptr(), false, false).0
    });
    assert_ne!(own & 0xff, classify::SCALAR);
}

#[test]
fn small_ints_share_a_signature_and_large_ones_do_not() {
    assert_eq!(classified("7").0, classified("2**31 - 1").0);
    assert_ne!(classified("7").0, classified("-1").0);
    assert_ne!(classified("7").0, classified("2**40").0);
}

#[test]
fn sequences_are_arrays_where_they_are_regular() {
    let rank = |expression: &str| match classify::array_type(classified(expression).0) {
        Some(Capture::Array { rank, writable, .. }) => Some((rank, writable)),
        _ => None,
    };
    assert_eq!(rank("[1, 2, 3]"), Some((1, true)));
    assert_eq!(rank("(1.0, 2.0)"), Some((1, false)));
    assert_eq!(rank("[[1.0], [2.0]]"), Some((2, true)));
    assert_eq!(rank("b'abc'"), Some((1, false)));
    assert_eq!(rank("bytearray(b'abc')"), Some((1, true)));
    assert_eq!(rank("'abc'"), Some((1, false)));
    assert_eq!(
        rank("__import__('array').array('d', [1.0])"),
        Some((1, true))
    );
}

#[test]
fn tuples_of_several_types_are_records() {
    let (word, _) = classified("[(0, 1, 0.5), (1, 2, 0.25)]");
    assert!(matches!(
        classify::alike(word),
        Some(Alike::Tuples(3)) | None
    ));
    let (word, _) = classified("[('a', 1), ('b', 2)]");
    assert_eq!(word & 0xff, classify::OBJECTS);
    assert!(matches!(classify::alike(word), Some(Alike::Tuples(2))));
}

const CLASSES: &str = "
ran = []
class Plain:
    def __init__(self):
        self.x = 1.5
    def step(self):
        return self.x
class Watched:
    def __init__(self):
        object.__setattr__(self, 'x', 1.5)
    def __getattribute__(self, name):
        ran.append(name)
        return object.__getattribute__(self, name)
class Computed:
    @property
    def x(self):
        ran.append('x')
        return 1.5
class Guarded:
    def __setattr__(self, name, value):
        ran.append(name)
plain, watched, computed, guarded = Plain(), Watched(), Computed(), Guarded()
";

#[test]
fn attributes_are_read_only_where_that_runs_nobodys_code() {
    with(
        CLASSES,
        &["plain", "watched", "computed", "ran"],
        |py, found| {
            let name = PyString::intern(py, "x");
            let reads = |object: &Bound<'_, PyAny>| {
                // SAFETY: a live object; the new reference is given up.
                let value = unsafe {
                    Bound::from_owned_ptr_or_opt(py, attributes::read(py, object.as_ptr(), &name))
                };
                value.map(|v| v.extract::<f64>().expect("a float"))
            };
            assert_eq!(reads(&found[0]), Some(1.5));
            assert_eq!(reads(&found[1]), None);
            assert_eq!(reads(&found[2]), None);
            assert_eq!(found[3].len().expect("a list"), 0);
        },
    );
}

#[test]
fn attributes_are_set_only_where_that_runs_nobodys_code() {
    with(
        CLASSES,
        &["plain", "guarded", "computed", "ran"],
        |py, found| {
            let name = PyString::intern(py, "x");
            // SAFETY: live objects.
            let writable = |object: &Bound<'_, PyAny>| unsafe {
                attributes::writable(py, object.as_ptr(), &name)
            };
            assert_eq!([0, 1, 2].map(|k| writable(&found[k])), [true, false, false]);
            assert_eq!(found[3].len().expect("a list"), 0);
        },
    );
}

#[test]
fn iterables_are_counted_without_taking_an_element() {
    let statements = "
each = [range(2, 10, 3), [1, 2, 3], 'abcd', enumerate([5, 6]), zip([1, 2, 3], 'ab'), (i for i in range(3)), {1: 2}]
taken = iter([1, 2, 3])
next(taken)
partly = enumerate(taken)
";
    with(statements, &["each", "partly"], |_, found| {
        let counters: Vec<_> = found[0]
            .try_iter()
            .expect("a list")
            .map(|one| iterables::counter(&one.expect("an element")))
            .collect();
        let from_zero = |length| Some((0, length, 1));
        let expected = [
            Some((2, 10, 3)),
            from_zero(3),
            from_zero(4),
            from_zero(2),
            from_zero(2),
            None,
            None,
        ];
        assert_eq!(counters, expected);
        assert_eq!(iterables::counter(&found[1]), from_zero(2));
        assert_eq!(found[1].try_iter().expect("an iterator").count(), 2);
    });
}

#[test]
fn records_are_of_one_class_and_stand_once() {
    let statements = format!(
        "{CLASSES}\nalike = [Plain(), Plain()]\nmixed = [Plain(), Computed()]\ntwice = [plain, plain]"
    );
    with(&statements, &["alike", "mixed", "twice"], |_, found| {
        // SAFETY: live lists, which nothing changes meanwhile.
        let objects = |k: usize| unsafe { records::alike(found[k].as_ptr()) };
        assert_eq!(objects(0).map(<[_]>::len), Some(2));
        assert!(objects(1).is_none());
        assert!(records::are_distinct(objects(0).expect("of one class")));
        assert!(!records::are_distinct(objects(2).expect("of one class")));
    });
}

#[test]
fn bound_methods_come_apart_and_closures_are_read() {
    let statements = format!(
        "{CLASSES}
def make():
    k = 7
    def f(x):
        return x + k
    return f
closure = make()
step = plain.step
builtin = len"
    );
    with(
        &statements,
        &["step", "plain", "closure", "builtin"],
        |py, found| {
            let (_, receiver) = functions::method(py, found[0].as_ptr()).expect("a bound method");
            assert!(receiver.is(&found[1]));
            let cells = functions::closure(py, found[2].as_ptr());
            let values: Vec<i64> = cells
                .iter()
                .map(|c| c.extract(py).expect("an int"))
                .collect();
            assert_eq!(values, [7]);
            assert!(functions::code_of(py, found[2].as_ptr()).is_some());
            assert!(functions::code_of(py, found[3].as_ptr()).is_none());
            assert!(functions::method(py, found[3].as_ptr()).is_none());
        },
    );
}

#[test]
fn bools_are_no_ints_in_lists() {
    with("x = [True, 3, 2.5, 'a']", &["x"], |_, found| {
        // SAFETY: a live list.
        let items = unsafe { lists::items(found[0].as_ptr()) }.expect("an exact list");
        let are = items.iter().map(|item| lists::is_int_or_float(*item));
        assert_eq!(are.collect::<Vec<_>>(), [false, true, true, false]);
    });
}
