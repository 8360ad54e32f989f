//! Checks the surface nests, or the refusals, of small sources.

use std::collections::HashSet;

use nestwise_frontend::{ScopeInfo, parse_site, surface_text};

/// A scope in which every name is a bound local, except the builtins and modules.
fn scope_of(source: &str) -> ScopeInfo {
    let globals = [
        "range",
        "len",
        "zip",
        "enumerate",
        "reversed",
        "sum",
        "min",
        "max",
        "abs",
        "int",
        "np",
        "math",
    ];
    let words = source.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let names: HashSet<String> = words
        .filter(|w| !w.is_empty() && !globals.contains(w))
        .map(str::to_owned)
        .collect();
    ScopeInfo {
        module_level: false,
        local_names: names.clone(),
        bound_names: names,
        ..ScopeInfo::default()
    }
}

fn surface(source: &str) -> String {
    match parse_site(
        source,
        1,
        source.starts_with([' ', '\t']),
        &scope_of(source),
    ) {
        Ok(site) => surface_text::site(&site),
        Err(refusals) => {
            let show = |r: &nestwise_ir::WithSpan<_>| -> String {
                let error: &nestwise_frontend::Refusal = &r.error;
                format!("{}:{} {}\n", r.span.line, r.span.column, error.code())
            };
            refusals.iter().map(show).collect()
        }
    }
}

fn check(cases: &[(&str, &str)]) {
    for (source, expected) in cases {
        assert_eq!(
            surface(source),
            format!("{expected}\n"),
            "source:\n{source}"
        );
    }
}

/// Checks cases of one simple statement or expression statement in a loop.
fn check_statements(cases: &[(&str, &str)]) {
    for (source, expected) in cases {
        let nest = surface(&format!("for i in r:\n    {source}\n"));
        assert_eq!(
            nest,
            format!("for i in r:\n    {expected}\n"),
            "source: {source}"
        );
    }
}

/// Checks cases of an expression.
fn check_expressions(cases: &[(&str, &str)]) {
    for (source, expected) in cases {
        check_statements(&[(&format!("x = {source}"), &format!("x = {expected}"))]);
    }
}

/// Checks cases of a statement that is refused, with the refusals' positions inside it.
fn check_refused(cases: &[(&str, &str)]) {
    for (source, expected) in cases {
        let refusals = surface(&format!("for i in r:\n    {source}\n"));
        assert_eq!(refusals.trim_end(), *expected, "source: {source}");
    }
}

#[test]
fn loops() {
    check(&[
        (
            "for i in range(n): s += i",
            "for i in range(n):\n    s += i",
        ),
        (
            "for (i, (a, b)) in enumerate(zip(x, y)):\n  s = a",
            "for (i, (a, b,),) in enumerate(zip(x, y)):\n    s = a",
        ),
        ("for i, in x: pass", "for (i,) in x:\n    pass"),
        ("while n > 0:\n\tn //= 2\n", "while (n > 0):\n    n //= 2"),
        (
            "for i in r:\n  for j in r:\n    if a: break\n    continue\n  else:\n    b = 1\n",
            "for i in r:\n    for j in r:\n        if a:\n            break\n        continue\n    else:\n        b = 1",
        ),
        (
            "for i in r:\n  while a:\n    a = 0\n  else:\n    continue\n",
            "for i in r:\n    while a:\n        a = 0\n    else:\n        continue",
        ),
        (
            "for i in r:\n  if a: x = 1\n  elif b: x = 2\n  else: x = 3\n",
            "for i in r:\n    if a:\n        x = 1\n    else:\n        if b:\n            x = 2\n        else:\n            x = 3",
        ),
        // The loop's own else clause is CPython's, whatever it holds.
        (
            "for i in r:\n  x = i\nelse:\n  print(x)\n",
            "for i in r:\n    x = i",
        ),
        (
            "for i in r:\n  try:\n    x = a[i]\n  except (E, m.F): x = 1\n  else: y = x\n  finally: z = 2",
            "for i in r:\n    x = a[i]\n    y = x\n    z = 2",
        ),
        (
            "for i in r:\n  assert i\n  raise E(f'{i}')\n",
            "for i in r:\n    if (not i):\n        raise\n    raise",
        ),
        (
            "for i in r:\n  x = sum(i * j for i in a if i) + i\n",
            "for i in r:\n    x = (sum((i * j) for i in a if i) + i)",
        ),
        (
            "for i in [1, 2]:\n  f(i)\n  x = i in (1, 2.5) or i not in 'ab'\n",
            "for i in (1, 2,):\n    f(i)\n    x = ((not (not ((i == 1) or (i == 2.5)))) or (not (i in \"ab\")))",
        ),
        ("for A[i] in r: pass", "for A[i] in r:\n    pass"),
        ("for self.i in r: pass", "for self.i in r:\n    pass"),
    ]);
}

#[test]
fn layout_of_the_text() {
    check(&[
        (
            "    for i in r:\n        x = i\n\n# comment\n        y = i\n",
            "for i in r:\n    x = i\n    y = i",
        ),
        (
            "\tfor i in r: # comment\n\t\tx = (i +\n1)\n",
            "for i in r:\n    x = (i + 1)",
        ),
        (
            "for i in r:\r\n  x = i; y = i;\r\n",
            "for i in r:\n    x = i\n    y = i",
        ),
        (
            "for i in r:\n  x = i \\\n   + 1",
            "for i in r:\n    x = (i + 1)",
        ),
        ("\u{feff}for i in r: x = i", "for i in r:\n    x = i"),
        (
            "for \u{3b1} in r: x = \u{3b1}",
            "for \u{3b1} in r:\n    x = \u{3b1}",
        ),
    ]);
}

#[test]
fn statements() {
    check_statements(&[
        ("i.x = 1", "i.x = 1"),
        ("a[i].x += 1", "a[i].x += 1"),
        ("a[i].x.y = a[i] is a[0]", "a[i].x.y = (a[i] is a[0])"),
        ("a = b[i] = self.c = i", "a = b[i] = self.c = i"),
        ("a, b = b, a", "(a, b,) = (b, a,)"),
        ("a = b = None", "a = b = None"),
        (
            "a = None if b else i",
            "if b:\n        a = None\n    else:\n        a = i",
        ),
        ("x = f(a, *b, *(i, 1))", "x = f(a, *b, *(i, 1,))"),
        ("[a, (b, c)] = t", "(a, (b, c,),) = t"),
        ("A[i][j], A[i, j] = 1, 2", "(A[i][j], A[i, j],) = (1, 2,)"),
        ("A[(i, j)] = 1", "A[i, j] = 1"),
        ("A[i, j] += B[i][j]", "A[i, j] += B[i][j]"),
        ("self.total -= x", "self.total -= x"),
        ("self.a.b[i].c[j] = 0", "self.a.b[i].c[j] = 0"),
        ("x: float = 2", "x = 2"),
        ("self.x: float = 2", "self.x = 2"),
        ("x: int", "pass"),
        ("'docstring'", "pass"),
        ("...", "pass"),
        ("None", "pass"),
        ("return", "return"),
        ("return None", "return None"),
        ("return i, x", "return (i, x,)"),
        (
            "x //= 2; x **= 2; x >>= 1; x <<= 1; x |= 1; x &= 1; x ^= 1; x %= 2; x *= 2; x /= 2",
            "x //= 2\n    x **= 2\n    x >>= 1\n    x <<= 1\n    x |= 1\n    x &= 1\n    x ^= 1\n    x %= 2\n    x *= 2\n    x /= 2",
        ),
    ]);
}

#[test]
fn precedence_and_grouping() {
    check_expressions(&[
        ("[a, [b]] * c", "([a, [b]] * c)"),
        ("[a + b for a in (1, 2)]", "[(a + b) for a in (1, 2,)]"),
        ("a + b * c", "(a + (b * c))"),
        ("(a + b) * c", "((a + b) * c)"),
        ("a - b - c", "((a - b) - c)"),
        ("-a ** -b ** c", "(-(a ** (-(b ** c))))"),
        ("-2 ** 2", "(-(2 ** 2))"),
        ("(-2) ** 2", "((-2) ** 2)"),
        ("a | b ^ c & d << e", "(a | (b ^ (c & (d << e))))"),
        ("not a == b", "(not (a == b))"),
        ("not a and b or c", "(((not a) and b) or c)"),
        ("a and b and c", "(a and b and c)"),
        ("a and (b and c)", "(a and (b and c))"),
        ("a < b <= c != d", "(a < b <= c != d)"),
        ("(a < b) < c", "((a < b) < c)"),
        ("a if b else c if d else e", "(a if b else (c if d else e))"),
        ("~a // +b % c", "(((~a) // (+b)) % c)"),
        ("a.b.c", "a.b.c"),
        ("A[i].shape[0]", "A[i].shape[0]"),
        ("A[-1]", "A[(-1)]"),
        ("f(a, b)(c, k=d)", "f(a, b)(c, k=d)"),
        ("()", "()"),
        ("(((a)))", "a"),
    ]);
}

#[test]
fn literals() {
    check_expressions(&[
        ("1_000", "1000"),
        ("0xFF + 0b11 + 0o17", "((255 + 3) + 15)"),
        (
            "170141183460469231731687303715884105727",
            "170141183460469231731687303715884105727",
        ),
        ("1e3", "1000.0"),
        (".5 + 5. + 1_0.2_5e-1_0", "((0.5 + 5.0) + 1.025e-9)"),
        ("1e400", "inf"),
        ("0.1", "0.1"),
        ("2j", "2.0j"),
        ("True or False", "(True or False)"),
        ("'a' \"b\"", "\"ab\""),
        (r"'\x41\u0042\103\n\''", r#""ABC\n'""#),
        ("b'\\xff\\0'", "b\"\\xff\\x00\""),
        (r"r'\d'", r#""\\d""#),
    ]);
}

#[test]
fn refused_statements() {
    check_refused(&[
        ("exec(i)", "2:4 expression-statement"),
        ("out.close(i)", "2:4 expression-statement"),
        ("x", "2:4 expression-statement"),
        ("yield i", "2:4 expression"),
        ("x = yield", "2:8 expression"),
        ("await x", "2:4 expression"),
        ("del x", "2:4 statement"),
        ("import x", "2:4 statement"),
        ("from x import y", "2:4 statement"),
        ("global x", "2:4 statement"),
        ("nonlocal x", "2:4 statement"),
        ("def f(): pass", "2:4 statement"),
        ("class C: pass", "2:4 statement"),
        ("with x: y = 1", "2:4 statement"),
        ("try: x = 1\n    except: x = 2", "2:4 statement"),
        (
            "try: x = 1\n    except (E, m.SystemExit): x = 2",
            "2:4 statement",
        ),
        (
            "try:\n      if x: continue\n    finally: x = 2",
            "2:4 statement",
        ),
        ("match x:\n      case 1: y = 1", "2:4 statement"),
        ("a, *b = x", "2:7 star"),
        ("f().x = 1", "2:4 assign-target"),
        ("self.x: int", "2:4 expression"),
        ("x @= y", "2:4 matmul"),
    ]);
}

#[test]
fn refused_expressions() {
    check_refused(&[
        ("x = ...", "2:8 expression"),
        ("x = a[i,]", "2:10 expression"),
        ("x = (y := 1)", "2:9 expression"),
        ("x = lambda: 1", "2:8 expression"),
        ("x = [a for a, c[0] in b]", "2:8 expression"),
        ("x = sum(a for c in b for a in a)", "2:34 possibly-unbound"),
        ("x = list(a for a in b)", "2:13 expression"),
        ("x = {a: b}", "2:8 expression"),
        ("x = {a}", "2:8 expression"),
        ("x = f'{i}'", "2:8 expression"),
        ("x = [*a]", "2:9 star"),
        ("x = f(**a)", "2:10 star"),
        ("x = a is 1", "2:8 comparison"),
        ("x = a is b is c", "2:8 comparison"),
        ("a[0] = None", "2:11 expression"),
        (
            "x = 170141183460469231731687303715884105728",
            "2:8 int-too-large",
        ),
        (r"x = '\ud800'", "2:8 expression"),
        (r"x = '\N{BULLET}'", "2:8 expression"),
        ("x = self.__y", "2:8 private-name"),
        ("x = \u{fb01}", "2:8 respelled-name"),
    ]);
}

#[test]
fn all_refusals_are_reported_in_order() {
    let source =
        "for i in r:\n  print(i)\n  x = {1}\n  if a is 1:\n    del x\n  é = f(y[lambda: 1]) + {}\n";
    let expected =
        "3:6 expression\n4:5 comparison\n5:4 statement\n6:11 expression\n6:25 expression\n";
    assert_eq!(surface(source), expected);
}

#[test]
fn positions_are_those_of_the_file() {
    let source = "    for i in r:\n        é = 1; x = {i}\n";
    let refusals = parse_site(source, 40, true, &scope_of(source)).expect_err("a set display");
    assert_eq!((refusals[0].span.line, refusals[0].span.column), (41, 20));
}

#[test]
fn what_is_no_loop() {
    for source in [
        "x = 1",
        "for i in r: pass\nx = 1",
        "",
        "if a:\n  for i in r: pass",
        "# nothing",
    ] {
        assert_eq!(surface(source), "1:0 not-a-loop\n", "{source}");
    }
    for source in [
        "for i in",
        "for i in r:\n",
        "for i in r:\nx = 1",
        "for i in r: x = (",
        "for i in r: x = 'a",
        "for i in r: x = 1__0",
        "for i in r: x = ?",
    ] {
        assert!(
            surface(source).contains(" parse"),
            "{source}: {}",
            surface(source)
        );
    }
    let newer = "for i in r: x = f'{d['a']}'";
    assert_eq!(surface(newer), "1:16 expression\n");
}

#[test]
fn deep_and_large_texts_are_refused_and_do_not_overflow() {
    let in_loop = |body: String| surface(&format!("for i in r:\n  x = {body}\n"));
    assert!(in_loop("-".repeat(150) + "y").starts_with("for"));
    assert!(in_loop(vec!["y"; 150].join(" + ")).starts_with("for"));
    assert!(in_loop("-".repeat(300) + "y").contains("too-deep"));
    assert!(in_loop(vec!["y"; 900].join(" + ")).contains("too-deep"));
    assert!(in_loop("-".repeat(100_000) + "y").contains("too-large"));
    assert!(in_loop("y".to_owned() + &".a".repeat(100_000)).contains("too-large"));
    assert!(in_loop("(".repeat(900) + "y" + &")".repeat(900)).starts_with("for"));
    assert!(in_loop(format!("f'{{{}y}}'", "-".repeat(100_000))).contains("expression"));
    let mut elifs = "for i in r:\n  if a: x = 1\n".to_owned();
    assert!(surface(&(elifs.clone() + &"  elif b: x = 2\n".repeat(100))).starts_with("for"));
    elifs += &"  elif b: x = 2\n".repeat(20_000);
    assert!(surface(&elifs).contains("too-deep"));
    let nested: String = (0..1000).map(|d| " ".repeat(d) + "for i in r:\n").collect();
    assert!(surface(&(nested + &" ".repeat(1000) + "x = 1\n")).contains("too-deep"));
}

#[test]
fn annotations_of_a_module_are_kept_by_cpython() {
    let scope = ScopeInfo {
        module_level: true,
        ..ScopeInfo::default()
    };
    let refusals =
        parse_site("for i in r:\n  x: int = i\n", 1, false, &scope).expect_err("refused");
    assert_eq!(refusals[0].error.code(), "expression");
}

#[test]
fn messages_and_hints() {
    let refusals =
        parse_site("for i in r:\n  exec(i)\n", 7, false, &scope_of("i r")).expect_err("refused");
    assert_eq!(
        refusals[0].to_string(),
        "line 8: the call of exec for its effect is not supported"
    );
    assert!(refusals[0].error.hint().is_some());
}
