//! Runs programs in CPython and as typed nests, and compares the values of their names afterwards, bit by bit.

use std::collections::HashMap;
use std::io::Write as _;
use std::process::{Command, Stdio};

use nestwise_ir::{ArrayKind, LiveOutKind, Nest, Prov, Scalar, Ty, VarId};

use crate::lowering::specialise;
use crate::lowering::tests::eval::{Machine, Memory, V, enters};
use crate::lowering::tests::{Is, captures, options, parse};
use crate::site::captures::Capture;

/// One program: definitions, and the loop.
pub struct Program {
    pub setup: String,
    pub source: String,
}

/// The outcome of one program.
#[derive(Debug, PartialEq)]
pub enum Outcome {
    /// The values are CPython's.
    Same,
    /// A guard failed where CPython did (`true`) or did not (`false`) raise or warn.
    GuardFailure(bool),
    /// The nest was refused, for this reason; and whether CPython raised or warned.
    Refused(String, bool),
}

/// A described object: its type word, dimensions (`None`: a scalar), elements.
#[derive(Clone, Debug, PartialEq)]
struct Object {
    ty: String,
    dims: Option<Vec<usize>>,
    items: Vec<String>,
}

#[derive(Default, Debug)]
struct Run {
    pre: Vec<(String, Object)>,
    post: HashMap<String, Object>,
    trouble: Option<String>,
}

/// The path of a Python interpreter with NumPy.
fn python() -> String {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../.venv/bin/python");
    let named = std::env::var("PYTHON").ok();
    let candidates = named
        .into_iter()
        .chain([root.to_string(), "python3".to_string()]);
    for candidate in candidates {
        let found = Command::new(&candidate)
            .args(["-c", "import numpy"])
            .stderr(Stdio::null())
            .status();
        if found.is_ok_and(|s| s.success()) {
            return candidate;
        }
    }
    panic!("no Python with NumPy: set PYTHON")
}

fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c => out.push(c),
        }
    }
    out + "\""
}

fn run_cpython(programs: &[Program]) -> Vec<Run> {
    let pairs: Vec<String> = programs
        .iter()
        .map(|p| format!("[{},{}]", quote(&p.setup), quote(&p.source)))
        .collect();
    let mut child = Command::new(python())
        .args(["-c", include_str!("driver.py")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    let text = format!("[{}]", pairs.join(","));
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("Python ends");
    writer.join().expect("no panic").expect("written");
    assert!(output.status.success(), "the driver failed");
    let mut runs: Vec<Run> = Vec::new();
    for line in String::from_utf8(output.stdout).expect("text").lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let run = runs.last_mut();
        match (word, run) {
            ("program", _) => runs.push(Run::default()),
            ("raised" | "warned", Some(run)) => run.trouble = Some(line.to_string()),
            (_, Some(run)) => {
                let (name, rest) = rest.split_once(' ').expect("a name");
                let object = object(rest);
                if word == "pre" {
                    run.pre.push((name.to_string(), object));
                } else {
                    run.post.insert(name.to_string(), object);
                }
            }
            _ => panic!("{line}"),
        }
    }
    assert_eq!(runs.len(), programs.len());
    runs
}

fn object(text: &str) -> Object {
    let mut words = text.split_whitespace();
    if words.next() == Some("scalar") {
        let word = words.next().expect("a value").to_string();
        let ty = word.rsplit_once(':').expect("a type").0.to_string();
        return Object {
            ty,
            dims: None,
            items: vec![word],
        };
    }
    let ty = words.next().expect("a type").to_string();
    let dims = words
        .next()
        .expect("dimensions")
        .split(',')
        .map(|d| d.parse().expect("a dimension"))
        .collect();
    Object {
        ty,
        dims: Some(dims),
        items: words.map(str::to_string).collect(),
    }
}

fn numpy_scalar(name: &str) -> Scalar {
    match name {
        "bool" => Scalar::Bool,
        "int8" => Scalar::I8,
        "int16" => Scalar::I16,
        "int32" => Scalar::I32,
        "int64" => Scalar::I64,
        "uint8" => Scalar::U8,
        "uint16" => Scalar::U16,
        "uint32" => Scalar::U32,
        "uint64" => Scalar::U64,
        "float32" => Scalar::F32,
        "float64" => Scalar::F64,
        "complex128" => Scalar::C128,
        _ => panic!("{name}"),
    }
}

fn numpy_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "bool",
        Scalar::I8 => "int8",
        Scalar::I16 => "int16",
        Scalar::I32 => "int32",
        Scalar::I64 => "int64",
        Scalar::U8 => "uint8",
        Scalar::U16 => "uint16",
        Scalar::U32 => "uint32",
        Scalar::U64 => "uint64",
        Scalar::F32 => "float32",
        Scalar::F64 => "float64",
        Scalar::C128 => "complex128",
        _ => panic!("{scalar}"),
    }
}

fn ty_of(word: &str) -> Ty {
    match word.split_once(':').expect("a type") {
        ("py", "bool") => Ty::PY_BOOL,
        ("py", "int") => Ty::PY_INT,
        ("py", "float") => Ty::PY_FLOAT,
        ("py", "complex") => Ty::PY_COMPLEX,
        ("py", "char") => Ty::CHAR,
        (_, name) => Ty::np(numpy_scalar(name)),
    }
}

fn f64_of(bits: &str) -> f64 {
    f64::from_bits(u64::from_str_radix(bits, 16).expect("bits"))
}

fn value(word: &str) -> V {
    let (ty, text) = word.rsplit_once(':').expect("a value");
    match ty {
        "py:bool" | "np:bool" => V::Bool(text == "1"),
        "py:float" | "np:float32" | "np:float64" => V::Float(f64_of(text)),
        "py:complex" | "np:complex128" => {
            let (re, im) = text.split_once(',').expect("two parts");
            V::Complex(f64_of(re), f64_of(im))
        }
        _ => V::Int(text.parse().expect("an int")),
    }
}

/// The capture of an object, and how its elements lie in memory.
fn capture(object: &Object) -> (Is, Vec<V>) {
    let values: Vec<V> = object.items.iter().map(|w| value(w)).collect();
    let Some(dims) = &object.dims else {
        let ty = ty_of(&object.ty);
        let is = match values[0] {
            V::Int(v) if ty == Ty::PY_INT && i64::try_from(v).is_err() => {
                if u64::try_from(v).is_ok() {
                    Is::Scalar(Ty::py(Scalar::U64))
                } else {
                    Is::Other("int")
                }
            }
            // As the hook does: the sign of an int is part of the signature.
            V::Int(v) if ty == Ty::PY_INT && v >= 0 => Is::Ranged(ty, 0, i64::MAX),
            _ => Is::Scalar(ty),
        };
        return (is, values);
    };
    let rank = dims.len() as u32;
    let (kind, elem) = object.ty.split_once(':').expect("a kind");
    if kind == "ndarray" {
        let scalar = numpy_scalar(elem);
        return (
            Is::Array(ArrayKind::Ndarray, scalar, Ty::np(scalar), rank),
            values,
        );
    }
    if kind == "str" {
        return (
            Is::Array(ArrayKind::Str, Scalar::Char, Ty::CHAR, rank),
            values,
        );
    }
    if kind == "bytes" {
        return (
            Is::Array(ArrayKind::Bytes, Scalar::U8, Ty::PY_INT, rank),
            values,
        );
    }
    if let Some(code) = kind.strip_prefix("array.") {
        let (storage, elem) = match code {
            "i" => (Scalar::I32, Ty::PY_INT),
            "b" => (Scalar::I8, Ty::PY_INT),
            "d" => (Scalar::F64, Ty::PY_FLOAT),
            "f" => (Scalar::F32, Ty::PY_FLOAT),
            _ => panic!("{code}"),
        };
        return (
            Is::Array(ArrayKind::ArrayArray, storage, elem, rank),
            values,
        );
    }
    let kind = if kind == "list" {
        ArrayKind::List
    } else {
        ArrayKind::Tuple
    };
    let mut types: Vec<Ty> = object
        .items
        .iter()
        .map(|w| ty_of(w.rsplit_once(':').expect("a type").0))
        .collect();
    types.sort();
    types.dedup();
    match types.as_slice() {
        [one] if one.prov == Prov::Py => (Is::Array(kind, one.repr, *one, rank), values),
        [Ty::PY_INT, Ty::PY_FLOAT] => {
            let tagged = values.iter().map(|v| match v {
                V::Int(i) => V::Num(*i as f64, true),
                V::Float(f) => V::Num(*f, false),
                other => *other,
            });
            (
                Is::Array(kind, Scalar::Num, Ty::PY_NUM, rank),
                tagged.collect(),
            )
        }
        _ => (Is::Other("list"), values),
    }
}

/// A value as the driver writes it.
fn word(v: V, ty: Ty, numpy: bool) -> String {
    let bits = |f: f64| {
        if f.is_nan() {
            "nan".to_string()
        } else {
            format!("{:016x}", f.to_bits())
        }
    };
    let text = match v {
        V::Bool(b) => i32::from(b).to_string(),
        V::Int(i) => i.to_string(),
        V::Float(f) => bits(f),
        V::Complex(re, im) => format!("{},{}", bits(re), bits(im)),
        V::Num(f, true) => return format!("py:int:{}", f as i128),
        V::Num(f, false) => return format!("py:float:{}", bits(f)),
    };
    if numpy {
        return format!("np:{}:{text}", numpy_name(ty.repr));
    }
    let name = match ty.repr {
        Scalar::Bool => "bool",
        Scalar::F64 => "float",
        Scalar::C128 => "complex",
        Scalar::Char => "char",
        Scalar::I64 | Scalar::U64 => "int",
        other => panic!("a Python value in {other}"),
    };
    format!("py:{name}:{text}")
}

/// Whether two values are written alike; all NaNs count as equal, since their payloads and signs are not compared.
fn same_words(ours: &str, theirs: &str) -> bool {
    if ours == theirs {
        return true;
    }
    let part = |w: &str| -> Vec<String> {
        let (ty, text) = w.rsplit_once(':').expect("a value");
        let float = ty.contains("float") || ty.contains("complex");
        let canonical = |p: &str| match u64::from_str_radix(p, 16) {
            Ok(b) if float && p.len() == 16 && f64::from_bits(b).is_nan() => "nan".to_string(),
            _ => p.to_string(),
        };
        std::iter::once(ty.to_string())
            .chain(text.split(',').map(canonical))
            .collect()
    };
    part(ours) == part(theirs)
}

/// The `def` blocks of a setup, by name.
fn functions(setup: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in setup.lines() {
        if let Some(rest) = line.strip_prefix("def ") {
            let name = rest.split('(').next().expect("a name").to_string();
            found.push((name, format!("{line}\n")));
            inside = true;
        } else if inside && line.starts_with(' ') {
            if let Some((_, text)) = found.last_mut() {
                text.push_str(line);
                text.push('\n');
            }
        } else {
            inside = false;
        }
    }
    found
}

fn check(program: &Program, run: &Run) -> Outcome {
    let context = || format!("\n{}\n{}\n{:?}", program.setup, program.source, run.trouble);
    let mut names: Vec<(&str, Is)> = Vec::new();
    let mut data: HashMap<&str, (Object, Vec<V>)> = HashMap::new();
    for (name, object) in &run.pre {
        let (is, values) = capture(object);
        names.push((name, is));
        data.insert(name, (object.clone(), values));
    }
    let functions: Vec<(String, &'static str)> = functions(&program.setup)
        .into_iter()
        .map(|(n, t)| (n, &*Box::leak(t.into_boxed_str())))
        .collect();
    names.extend(functions.iter().map(|(n, t)| (n.as_str(), Is::Fun(t))));
    let bound: Vec<&str> = names.iter().map(|(n, _)| *n).collect();
    let site = parse(&program.source, &bound);
    let captured = captures(&site, &names);
    let nest = match specialise(&site, &captured, options()) {
        Ok(nest) => nest,
        Err(e) => {
            assert!(e.error.code() != "internal", "{e}{}", context());
            if run.trouble.is_none()
                && std::env::var("NESTWISE_SHOW").is_ok_and(|w| e.to_string().contains(&w))
            {
                println!("=== refused: {e}\n{}---\n{}", program.setup, program.source);
            }
            return Outcome::Refused(e.to_string(), run.trouble.is_some());
        }
    };
    // Flat captures behind the site's are globals of functions.
    let mut name_of: HashMap<u32, String> = HashMap::new();
    for (id, _) in site.paths.iter() {
        name_of.insert(id.0, site.dotted_name(id));
    }
    for capture in &captured {
        if let Capture::User {
            function, first, ..
        } = capture
        {
            for (id, _) in function.paths.iter() {
                name_of.insert(
                    first + id.0,
                    nestwise_ir::surface::dotted_name(&function.paths, id),
                );
            }
        }
    }
    let mut memory = HashMap::new();
    let mut live_in = HashMap::new();
    for (index, name) in &name_of {
        let constant = match name.as_str() {
            "math.pi" => Some(V::Float(std::f64::consts::PI)),
            "math.inf" => Some(V::Float(f64::INFINITY)),
            _ => None,
        };
        if let Some(v) = constant {
            live_in.insert(*index, v);
        }
        let Some((object, values)) = data.get(name.as_str()) else {
            continue;
        };
        match &object.dims {
            None => drop(live_in.insert(*index, values[0])),
            Some(dims) => drop(memory.insert(
                *index,
                Memory {
                    dims: dims.clone(),
                    data: values.clone(),
                },
            )),
        }
    }
    for decl in nest.arrays.values() {
        // Ints become tagged numbers where floats are stored.
        if decl.storage == Scalar::Num {
            for v in &mut memory.get_mut(&decl.capture).expect("memory").data {
                match *v {
                    V::Int(i) => *v = V::Num(i as f64, true),
                    V::Float(f) => *v = V::Num(f, false),
                    _ => {}
                }
            }
        }
    }
    let loses =
        |v: &nestwise_ir::VarDecl| v.live_in.is_some_and(|c| !enters(live_in[&c], v.ty.repr));
    if nest.vars.values().any(loses) {
        return Outcome::GuardFailure(run.trouble.is_some());
    }
    let mut machine = Machine::new(&nest, memory, &live_in);
    if !machine.run() {
        return Outcome::GuardFailure(run.trouble.is_some());
    }
    assert!(
        run.trouble.is_none(),
        "no guard failure where CPython raised or warned{}\n{nest}",
        context()
    );
    compare(&nest, &machine, &site, run, &|| {
        format!("{}\n{nest}", context())
    });
    Outcome::Same
}

fn compare(
    nest: &Nest,
    machine: &Machine,
    site: &nestwise_ir::surface::Site,
    run: &Run,
    context: &dyn Fn() -> String,
) {
    // Arrays in place, under the names of the slots.
    for decl in nest.arrays.values() {
        let swapped = nest
            .live_outs
            .iter()
            .any(|o| matches!(o.kind, LiveOutKind::Slot(_)));
        let Some(theirs) = run.post.get(&decl.name).filter(|_| !swapped) else {
            continue;
        };
        let written = site
            .paths
            .iter()
            .any(|(id, p)| p.written && site.dotted_name(id) == decl.name);
        if written {
            continue;
        }
        let ours = &machine.memory[&decl.capture];
        same_array(
            &ours.data, decl.elem, decl.kind, theirs, &decl.name, context,
        );
    }
    for out in &nest.live_outs {
        let name = site.dotted_name(out.path);
        let assigned = match out.assigned {
            Some(flag) => machine.var(flag) == V::Bool(true),
            None => machine.trips > 0 || matches!(out.kind, LiveOutKind::Slot(_)),
        };
        if !assigned {
            continue;
        }
        let Some(theirs) = run.post.get(&name) else {
            panic!("{name} has no value{}", context())
        };
        let scalar = |var: &VarId| {
            let decl = &nest.vars[*var];
            let numpy = match decl.ty.prov {
                Prov::Py => false,
                Prov::Np => true,
                Prov::Dyn => machine.var(decl.np_tag.expect("a tag")) == V::Bool(true),
            };
            word(machine.var(*var), decl.ty, numpy)
        };
        match &out.kind {
            LiveOutKind::Var(var) => {
                let decl = &nest.vars[*var];
                let ours = scalar(var);
                let ok = theirs.dims.is_none() && same_words(&ours, &theirs.items[0]);
                // A character is a string of length one.
                let char = decl.ty == Ty::CHAR && theirs.items.first() == Some(&ours);
                assert!(
                    ok || char,
                    "{name}: {ours}, CPython has {theirs:?}{}",
                    context()
                );
            }
            LiveOutKind::View(array, index) => {
                let decl = &nest.arrays[*array];
                let object = &machine.memory[&decl.capture];
                let mut at = 0;
                for (axis, var) in index.iter().enumerate() {
                    let V::Int(k) = machine.var(*var) else {
                        panic!("an index")
                    };
                    at = at * object.dims[axis] + k as usize;
                }
                let rest: usize = object.dims[index.len()..].iter().product();
                let data = &object.data[at * rest..(at + 1) * rest];
                same_array(data, decl.elem, decl.kind, theirs, &name, context);
            }
            LiveOutKind::Tuple(vars) => {
                assert_eq!(theirs.dims, Some(vec![vars.len()]), "{name}{}", context());
                for (var, theirs) in vars.iter().zip(&theirs.items) {
                    let ours = scalar(var);
                    assert!(
                        same_words(&ours, theirs),
                        "{name}: {ours}, CPython has {theirs}{}",
                        context()
                    );
                }
            }
            // The driver's programs append to nothing and assign no None; tests/programs does.
            LiveOutKind::None(_) => panic!("{name} is None{}", context()),
            LiveOutKind::Appended { .. } => panic!("{name} is appended to{}", context()),
            LiveOutKind::Object(_) => panic!("{name} is an object{}", context()),
            LiveOutKind::Part(..) | LiveOutKind::Made(_) | LiveOutKind::MadePart(..) => {
                panic!("{name} is a part of an array{}", context())
            }
            LiveOutKind::Slot(array) => {
                let decl = &nest.arrays[*array];
                let object = &machine.memory[&machine.slots[array.index()]];
                same_array(&object.data, decl.elem, decl.kind, theirs, &name, context);
            }
        }
    }
    // What is not assigned keeps its value.
    for (name, before) in run.pre.iter().filter(|(_, o)| o.dims.is_none()) {
        let touched = nest.live_outs.iter().any(|o| {
            site.dotted_name(o.path) == *name
                && o.assigned
                    .map_or(machine.trips > 0, |f| machine.var(f) == V::Bool(true))
        });
        assert!(
            touched || run.post.get(name) == Some(before),
            "{name} should have changed{}",
            context()
        );
    }
}

fn same_array(
    ours: &[V],
    elem: Ty,
    kind: ArrayKind,
    theirs: &Object,
    name: &str,
    context: &dyn Fn() -> String,
) {
    let numpy = kind == ArrayKind::Ndarray;
    let words: Vec<String> = ours.iter().map(|v| word(*v, elem, numpy)).collect();
    let same = words.len() == theirs.items.len()
        && words
            .iter()
            .zip(&theirs.items)
            .all(|(a, b)| same_words(a, b));
    assert!(
        same,
        "{name}: {words:?}, CPython has {:?}{}",
        theirs.items,
        context()
    );
}

/// Runs the programs both ways. A difference, or a nest that means nothing, fails the test after all have run.
pub fn outcomes(programs: &[Program]) -> Vec<Outcome> {
    let runs = run_cpython(programs);
    let mut failures = 0;
    let mut outcomes = Vec::new();
    for (program, run) in programs.iter().zip(&runs) {
        match std::panic::catch_unwind(|| check(program, run)) {
            Ok(outcome) => outcomes.push(outcome),
            Err(_) => {
                failures += 1;
                if failures <= 12 {
                    println!(
                        "=== failed\n{}---\n{}{:?}",
                        program.setup, program.source, run.trouble
                    );
                }
            }
        }
    }
    assert_eq!(failures, 0, "programs failed");
    outcomes
}
