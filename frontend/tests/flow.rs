//! Tests of what sites capture and write, and of their interfaces.

use std::collections::HashSet;

use nestwise_frontend::site::bounds::{Atom, AtomKind};
use nestwise_frontend::{
    Interface, LoopKind, ScopeInfo, interface, parse_site, parse_value, surface_text,
};
use nestwise_ir::surface::Site;

const GLOBALS: &[&str] = &[
    "int",
    "range",
    "len",
    "zip",
    "enumerate",
    "reversed",
    "sum",
    "min",
    "max",
    "all",
    "any",
    "np",
    "helper",
];

/// A function scope where every name of the source is local and all but `unbound` are bound.
fn scope(source: &str, unbound: &str) -> ScopeInfo {
    let words = source.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let local_names: HashSet<String> = words
        .filter(|w| !w.is_empty() && !GLOBALS.contains(w))
        .map(str::to_owned)
        .collect();
    let bound_names = local_names
        .iter()
        .filter(|n| !unbound.split(' ').any(|u| u == *n))
        .cloned()
        .collect();
    ScopeInfo {
        module_level: false,
        local_names,
        bound_names,
        ..ScopeInfo::default()
    }
}

fn parse(source: &str, scope: &ScopeInfo) -> Site {
    parse_site(source, 1, false, scope).unwrap_or_else(|r| panic!("{source}: {r:?}"))
}

fn summary(i: &Interface) -> String {
    format!(
        "{} -> {} | {}",
        i.reads.join(" "),
        i.writes.join(" "),
        i.maybe.join(" ")
    )
}

/// Checks cases `(source, unbound names, "reads -> writes | maybe")`, or with a refusal's code and position instead.
fn check(cases: &[(&str, &str, &str)]) {
    for (source, unbound, expected) in cases {
        let scope = scope(source, unbound);
        let found = match interface(&parse(source, &scope), &scope) {
            Ok(i) => summary(&i),
            Err(r) => format!("{}:{} {}", r.span.line, r.span.column, r.error),
        };
        assert_eq!(found, *expected, "source:\n{source}\nunbound: {unbound}");
    }
}

#[test]
fn reads_writes_and_maybe() {
    check(&[
        ("for i in range(n): s += i", "i", "n s -> i s | "),
        ("for i in range(n): s = i", "i s", "n -> i s | "),
        // Assigned in a complete iteration: the value before is not needed.
        ("for i in range(n): s = i", "", "n -> i s | "),
        // An inner loop may run no trip: its names may keep their values, or have none.
        (
            "for i in r:\n  for j in q: s = j",
            "i j s",
            "r q -> i | j s",
        ),
        (
            "for i in r:\n  for j in q: s = j",
            "i",
            "r j q s -> i j s | ",
        ),
        (
            "for i in r:\n  if c: a = 1\n  else: a = 2; b = 3",
            "i a b",
            "r c -> i a | b",
        ),
        (
            "for i in r:\n  if c: a = 1\n  else: continue\n  b = 1",
            "i a b",
            "r c -> i | a b",
        ),
        (
            "for i in r:\n  a = 1\n  if c: break\n  b = 1",
            "i a b",
            "r c -> i a | b",
        ),
        (
            "for i in r:\n  a = 1\n  if c: return a\n  b = 1",
            "i a b",
            "r c -> i a | b",
        ),
        (
            "for i in r:\n  while True:\n    a = 1\n    if c: break\n  b = a",
            "i a b",
            "r c -> i a b | ",
        ),
        (
            "for i in r:\n  while c:\n    a = 1\n  b = a",
            "i a b",
            "r c -> i b | a",
        ),
        (
            "for i in r:\n  for j in q: a = 1\n  else: a = 2\n  b = a",
            "i j a b",
            "r q -> i a b | j",
        ),
        (
            "for i in r:\n  for j in q:\n    if j: break\n  else: a = 2\n  b = 1",
            "i j a b",
            "r q -> i b | j a",
        ),
        ("while c:\n  x = 1\n  c -= x", "x", "c -> c x | "),
        (
            "for i in r:\n  x = y if c else z\n  y = 1",
            "i x y",
            "r c z -> i x y | ",
        ),
        (
            "for i in r:\n  x = c or y\n  y = 1",
            "i x",
            "r c y -> i x y | ",
        ),
        ("for i, (a, b) in r: pass", "i a b", "r -> i a b | "),
        ("for i in r: A[i] += x", "i", "r A x -> i | "),
        ("for i in r: self.t += self.x[i]", "i", "r self -> i | "),
        (
            "for i in r:\n  row = A[i]\n  n = row.shape[0]",
            "i row n",
            "r A -> i row n | ",
        ),
        ("for t in r: a, b = b, a", "t", "r a b -> t a b | "),
        ("for i in r: i = i + 1", "i", "r -> i | "),
        ("for i in r: pass\nelse: x = y", "i x y", "r -> i | "),
        ("for n in range(n): pass", "", "n -> n | "),
    ]);
}

fn flags(source: &str, unbound: &str) -> String {
    let scope = scope(source, unbound);
    surface_text::paths(&parse(source, &scope).paths)
        .trim_end()
        .replace('\n', ", ")
}

#[test]
fn paths() {
    assert_eq!(
        flags("for i in range(n): y[i] = np.sqrt(self.x[i])", "i"),
        "local i w, global range c, local n c, local y c, global np c, attr np.sqrt c, local self c, attr self.x c"
    );
    // An attribute of what the site assigns is no capture, and neither is what hangs on it.
    assert_eq!(
        flags("for row in A: s += row.shape.x", "row"),
        "local row w, local A c, local s cw, attr row.shape, attr row.shape.x"
    );
    assert_eq!(
        flags("for i in r: self.a.b = i", "i"),
        "local i w, local r c, local self c, attr self.a c, attr self.a.b w"
    );
    assert_eq!(
        flags("for i in r:\n  if c: self.b = i", "i"),
        "local i w, local r c, local c c, local self c, attr self.b cw"
    );
    assert_eq!(
        flags("for i in r:\n  g.x = 1\n  y = g.x", "i y"),
        "local i w, local r c, local g c, attr g.x w, local y w"
    );
}

#[test]
fn module_level_names_are_global() {
    let scope = ScopeInfo {
        module_level: true,
        ..ScopeInfo::default()
    };
    let site = parse("for i in range(n):\n  s += i\n  if s: t = 1\n", &scope);
    let flags = surface_text::paths(&site.paths);
    assert_eq!(
        flags,
        "global i w\nglobal range c\nglobal n c\nglobal s cw\nglobal t cw\n"
    );
    let i = interface(&site, &scope).expect("no local can be unbound");
    assert_eq!(summary(&i), " ->  | ");
    let names =
        |ids: &[nestwise_ir::PathId]| ids.iter().map(|&p| site.dotted_name(p)).collect::<Vec<_>>();
    assert_eq!(names(&i.stores), ["i", "s", "t"]);
    assert_eq!(names(&i.pass_through), ["t"]);
}

#[test]
fn the_rest_of_an_interface() {
    let source = "while a.x < b.x:\n  a.x += c.y\n  d.z = b.y\n  if a: return 1\n";
    let scope = scope(source, "");
    let site = parse(source, &scope);
    let i = interface(&site, &scope).expect("all bound");
    assert_eq!((i.kind, i.returns), (LoopKind::While, true));
    let pairs: Vec<_> = i
        .distinct
        .iter()
        .map(|&(p, q)| (site.dotted_name(p), site.dotted_name(q)))
        .collect();
    assert_eq!(pairs, [("a".to_owned(), "b".to_owned())]);
    assert_eq!(i.atoms, None);
    assert_eq!(i.write_order.len(), i.writes.len());
}

/// Expressions with a loop in them: what is known of them, and how often their loops turn where each atom is 10.
#[test]
fn expressions() {
    for (source, expected) in [
        ("[k * c for k in range(n)]", "n c | n | 10"),
        (
            "[[i * j for j in range(m)] for i in range(n)]",
            "n m | n m | 110",
        ),
        (
            "sum(i * j for i in range(n) for j in range(m))",
            "n m | n m | 110",
        ),
        (
            "sum(i * j for i in range(n) for j in range(i))",
            "n | n | 60",
        ),
        (
            "[x for x in A if all(x != y for y in B)]",
            "A B | len(A) len(B) | 110",
        ),
        ("max(helper(x) for x in A)", "A | none | 10"),
    ] {
        let scope = scope(source, "i j k x y");
        let site = parse_value(&format!("{source}\n"), 3, &scope);
        let site = site.unwrap_or_else(|r| panic!("{source}: {r:?}"));
        let i = interface(&site, &scope).unwrap_or_else(|r| panic!("{source}: {r}"));
        assert_eq!(i.kind, LoopKind::Value);
        assert_eq!(
            (i.writes.as_slice(), i.maybe.len()),
            (&["<value>".to_owned()][..], 0)
        );
        let atoms = words_of(&site, i.atoms.as_deref());
        let turns = i.effort.operations(&vec![10.0; i.effort.atoms.len()]).turns;
        // One more is the turn in which the value is computed.
        let told = format!("{} | {atoms} | {}", i.reads.join(" "), turns - 1.0);
        assert_eq!(told, expected, "{source}");
    }
}

#[test]
fn expressions_that_are_no_sites() {
    for (source, code) in [
        ("[k for k in range(3)]", "small"),
        ("any(x == c for x in (1, 2, 5))", "small"),
        ("[late for k in range(n)]", "possibly-unbound"),
        ("sum(a for b in A for a in a)", "possibly-unbound"),
        ("[(k := x) for x in A]", "expression"),
        ("A[0] = 1", "not-a-loop"),
    ] {
        let scope = scope(source, "k x b late");
        let told = parse_value(&format!("{source}\n"), 3, &scope)
            .map_err(|all| all[0].error.code())
            .and_then(|site| interface(&site, &scope).map_err(|r| r.error.code()));
        assert_eq!(told.err(), Some(code), "{source}");
    }
}

fn atoms(source: &str) -> String {
    let scope = scope(source, "i j k x row v m2 best");
    let site = parse(source, &scope);
    let i = interface(&site, &scope).unwrap_or_else(|r| panic!("{source}: {r}"));
    words_of(&site, i.atoms.as_deref())
}

fn words_of(site: &Site, atoms: Option<&[Atom]>) -> String {
    let Some(plan) = atoms else {
        return "none".to_owned();
    };
    let words = plan.iter().map(|atom| {
        let path = site.dotted_name(atom.path);
        match atom.kind {
            AtomKind::Int => path,
            AtomKind::Len => format!("len({path})"),
            AtomKind::Dim(k) => format!("dim({path}, {k})"),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn atoms_of_nests() {
    for (source, expected) in [
        ("for i in range(n): pass", "n"),
        (
            "for i in range(1, n - 1, 2):\n  for j in range(i, m): pass",
            "n m",
        ),
        ("for i in range(10): pass", ""),
        (
            "for i in range(len(A)):\n  for j in range(len(A[i])): pass",
            "len(A) dim(A, 1)",
        ),
        (
            "for i in range(A.shape[0]):\n  for j in range(A.shape[1] // 2): pass",
            "len(A) dim(A, 1)",
        ),
        ("for row in A:\n  for x in row: pass", "len(A) dim(A, 1)"),
        (
            "for i in range(n):\n  row = A[i]\n  for x in row: pass",
            "n dim(A, 1)",
        ),
        ("for i, x in enumerate(A): pass", "len(A)"),
        ("for x in zip(f(a), A): pass", "none"),
        (
            "for i in range(n):\n  for x in zip(A[i], B): s = x",
            "n dim(A, 1)",
        ),
        ("for i in range(self.n): pass", "self.n"),
        (
            "for i in range(n):\n  m2 = n - i\n  for j in range(m2): pass",
            "n",
        ),
        (
            "for i in range(n):\n  m2 = m2 * 2\n  for j in range(m2): pass",
            "none",
        ),
        (
            "for i in range(n):\n  for k in range(p[i], p[i + 1]): pass",
            "none",
        ),
        ("for i in range(n):\n  while c: c -= 1", "none"),
        ("for i in range(a + b + c + d + e): pass", "a b c d e"),
        ("for i in range(n): s = helper(i)", "none"),
        (
            "for i in range(n): s = np.sqrt(i) + sum(A[i])",
            "n dim(A, 1)",
        ),
        ("for i in range(min(n, m)): pass", "n m"),
        ("for i in reversed(range(int(n / 2))): pass", "n"),
        ("for i in range(2 ** n): pass", "none"),
        ("for x in (1, 2): pass", ""),
    ] {
        if source.contains("m2 * 2") {
            // Read before it is assigned: bound for this one.
            let scope = scope(source, "i j");
            assert_eq!(
                interface(&parse(source, &scope), &scope)
                    .expect("bound")
                    .atoms,
                None
            );
            continue;
        }
        assert_eq!(atoms(source), expected, "{source}");
    }
}

#[test]
fn definitions_that_fan_out_are_asked_once() {
    let mut source = "for i in range(n):\n  x0 = n\n".to_owned();
    for k in 1..15 {
        let p = k - 1;
        source += &format!("  x{k} = x{p} * x{p} * x{p} * x{p} * x{p} * x{p} * x{p} * x{p}\n");
    }
    source += "  for j in range(x14): pass\n";
    assert_eq!(atoms(&source), "n");
}

/// Names that may be arrays used as a whole, with the fewest subscripts that they have anywhere; counters and functions
/// are left out.
#[test]
fn names_that_may_be_arrays_used_as_a_whole() {
    let told = |source: &str| {
        let scope = scope(source, "i row t");
        let site = parse(source, &scope);
        let i = interface(&site, &scope).unwrap_or_else(|r| panic!("{source}: {r}"));
        let names = i
            .whole_array_uses
            .iter()
            .map(|w| (site.dotted_name(w.path), w.axes));
        let mut told: Vec<_> = names
            .filter(|(name, _)| !["i", "n", "np"].contains(&name.as_str()))
            .map(|(name, axes)| format!("{name} {axes}"))
            .collect();
        told.sort();
        told.join(", ")
    };
    for (source, expected) in [
        ("for i in range(n): c[i] = a[i] * x", "a 1, c 1, x 0"),
        (
            "for i in range(n): c[i, :] = a[i, 1:] + b[i, 2]",
            "a 1, b 2, c 1",
        ),
        ("for i in range(n): c += a[i][2]", "a 2, c 0"),
        ("for i in range(len(a)): t = a.shape[0]", "a.shape 1"),
        ("for i in range(n): t = a[i].size", ""),
        ("for row in a: t = row.sum()", "a 1, row 0"),
        ("for i in range(n): c[b[i]] = np.exp(a)", "a 0, b 1, c 1"),
    ] {
        assert_eq!(told(source), expected, "{source}");
    }
}

#[test]
fn efforts_of_nests() {
    // Turns of all loops together, and elements read or written.
    let counted = |source: &str, sizes: &[f64]| {
        let scope = scope(source, "i j k x row v");
        let site = parse(source, &scope);
        let i = interface(&site, &scope).unwrap_or_else(|r| panic!("{source}: {r}"));
        assert!(i.atoms.is_some(), "{source}");
        let all = i.effort.operations(sizes);
        (all.turns, all.elements)
    };
    for (source, sizes, turns, elements) in [
        ("for i in range(n): pass", &[7.0][..], 7.0, 0.0),
        ("for i in range(n): a[i] = b[i]", &[7.0], 7.0, 14.0),
        ("for i in range(n): a[i] += b[i]", &[7.0], 7.0, 21.0),
        (
            "for i in range(n):\n  for j in range(m): a[i, j] = 0",
            &[3.0, 5.0],
            18.0,
            15.0,
        ),
        // Begins near 0, whatever is said; half as many for a step of 2.
        ("for i in range(1, n, 2): pass", &[10.0], 5.0, 0.0),
        ("for i in range(n, 0, -1): pass", &[10.0], 10.0, 0.0),
        ("for i in range(min(n, m)): pass", &[10.0, 4.0], 4.0, 0.0),
        ("for i in range(n // 4): pass", &[20.0], 5.0, 0.0),
        // No difference of sizes is larger than both; of a triangle it is half of that.
        (
            "for i in range(n):\n  for j in range(n - i): pass",
            &[4.0],
            12.0,
            0.0,
        ),
        (
            "for i in range(n):\n  for j in range(n - m): pass",
            &[4.0, 2.0],
            20.0,
            0.0,
        ),
        // Around a number, whatever that is.
        (
            "for i in range(n):\n  for j in range(i - 1, i + 2): pass",
            &[4.0],
            16.0,
            0.0,
        ),
        (
            "for i in range(n):\n  for j in range(max(0, i - 2), min(3 + i, n)): pass",
            &[4.0],
            24.0,
            0.0,
        ),
        // A loop that may be left; a loop inside it that is left is another matter.
        (
            "for i in range(100):\n  for j in range(2):\n    if a[i]: break",
            &[],
            300.0,
            200.0,
        ),
        (
            "for i in range(100):\n  if a[i]: break",
            &[],
            99.0 / 100f64.ln(),
            99.0 / 100f64.ln(),
        ),
        // Every other turn takes a branch.
        (
            "for i in range(n):\n  if i: a[i] = b[i]\n  else:\n    for j in range(4): pass",
            &[8.0],
            24.0,
            8.0,
        ),
        ("for i in range(n): s = sum(A[i])", &[2.0, 9.0], 20.0, 2.0),
        ("for x in (1, 2): pass", &[], 2.0, 0.0),
    ] {
        assert_eq!(counted(source, sizes), (turns, elements), "{source}");
    }
    let source = "for i in range(1 << n): pass";
    assert_eq!(counted(source, &[5.0]).0, f64::INFINITY);
    // The larger a size, the more there is to do.
    let source = "for i in range(n):\n  for j in range(i, m): a[i, j] = b[j % m]";
    let (few, many) = (counted(source, &[3.0, 4.0]), counted(source, &[4.0, 4.0]));
    assert!(few.0 < many.0 && few.1 < many.1);
}
