//! Tests of functions for inlining.

use std::collections::HashSet;

use nestwise_frontend::{parse_function, surface_text};

fn parse(source: &str, free: &[&str]) -> String {
    let free: HashSet<String> = free.iter().map(|s| (*s).to_owned()).collect();
    let indented = source.starts_with(' ');
    match parse_function(source, 1, indented, &HashSet::new(), &free, "f", "file.py") {
        Ok(f) => surface_text::function(&f) + &surface_text::paths(&f.paths),
        Err(r) => format!("{} {}", r.span.line, r.error),
    }
}

#[test]
fn functions() {
    for (source, expected) in [
        (
            "def f(x, y=2): return x + y",
            "def f(x, y=2):\n    return (x + y)\nlocal x\nlocal y\n",
        ),
        (
            "f = lambda x: x * k",
            "def f(x):\n    return (x * k)\nlocal x\nlocal k c\n",
        ),
        (
            "  def f(a: int, b: float = -1.5) -> int:\n    '''doc'''\n    t: int = a\n    return g(t)\n",
            "def f(a, b=(-1.5)):\n    pass\n    t = a\n    return g(t)\nlocal a\nlocal b\nlocal t w\nglobal g c\n",
        ),
        (
            "def f(a):\n  s = 0\n  for v in a: s += v\n  return s\n",
            "def f(a):\n    s = 0\n    for v in a:\n        s += v\n    return s\nlocal a\nlocal s w\nlocal v w\n",
        ),
        (
            "def f(a):\n  global n\n  return a.shape[n]\n",
            "def f(a):\n    pass\n    return a.shape[n]\nlocal a\nattr a.shape c\nglobal n c\n",
        ),
        (
            "def f(a, *b, c=1): return f(*b, a)",
            "def f(a, *b, c=1):\n    return f(*b, a)\nlocal a\nlocal c\nlocal b\nglobal f c\n",
        ),
        (
            "def f(a=None): return math.pi",
            "def f(a=None):\n    return math.pi\nlocal a\nglobal math c\nattr math.pi c\n",
        ),
    ] {
        assert_eq!(parse(source, &["k"]), expected, "{source}");
    }
}

#[test]
fn refused_functions() {
    for (source, expected) in [
        (
            "@d\ndef f(): return 1",
            "1 the function f cannot be inlined: it is decorated",
        ),
        (
            "def f(**a): return 1",
            "1 the function f cannot be inlined: it takes any keyword arguments",
        ),
        (
            "async def f(): return 1",
            "1 the function f cannot be inlined: it is asynchronous",
        ),
        (
            "def g(): return 1",
            "1 the function f cannot be inlined: it is not what stands in the source file",
        ),
        (
            "def f():\n  yield 1",
            "2 yield inside the nest is not supported",
        ),
        (
            "def f():\n  def g(): pass",
            "2 `def` inside the nest is not supported",
        ),
        (
            "def f():\n  global n\n  n = 1",
            "1 the function f cannot be inlined: it assigns a global or nonlocal name",
        ),
        (
            "def f():\n  nonlocal k\n  k = 1",
            "1 the function f cannot be inlined: it assigns a global or nonlocal name",
        ),
        (
            "def f():\n  g.x = 1",
            "1 the function f cannot be inlined: it assigns an attribute",
        ),
        (
            "def f(a=[]): return a",
            "1 the function a cannot be inlined: it has a default value that is not a literal",
        ),
        (
            "def f():\n  if g: x = 1\n  return x",
            "3 x may have no value when the loop starts",
        ),
        (
            "f = lambda x: x; g = lambda x: -x",
            "1 the function f cannot be inlined: it stands beside other code or is not a plain function",
        ),
        (
            "x = 1",
            "1 the function f cannot be inlined: it stands beside other code or is not a plain function",
        ),
        (
            "def f():\n  break",
            "2 `break` inside the nest is not supported",
        ),
    ] {
        assert_eq!(parse(source, &["k"]), expected, "{source}");
    }
}
