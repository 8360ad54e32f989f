//! Checks that no text makes the front end panic: whatever comes is a nest or a refusal.

use std::collections::HashSet;

use nestwise_frontend::{ScopeInfo, interface, parse_function, parse_site, surface_text};
use proptest::prelude::*;

const SOURCES: [&str; 6] = [
    "for i in range(n):\n    for j in range(i, m):\n        C[i, j] += A[i][k] * B[k, -1] if i < j <= n else 0.5e-3\n",
    "while x > 0 and not done:\n    x, self.y = y, x\n    if a: break\n    elif b: continue\n    else:\n        return x\nelse:\n    x = 1\n",
    "for i, (a, b) in enumerate(zip(x, y)):\n    s: float = max(a, b, key=c)\n    t = u = 'abc'[i] == \"d\"\n    \"\"\"doc\n    string\"\"\"\n",
    "    for p in self.points:\n        self.total += math.sqrt(p.x ** 2 + 0xFF // ~p.y)\n        print(f\"{p.x!r:>{w}}\")\n",
    "def f(a, b=1, *, c: int = 2):\n    global g\n    for v in a:\n        if v @ b: return v\n    return [v for v in a][1:2]\n",
    "f = lambda x, y=None: (yield) if x is None else {x: y}\n",
];

const PIECES: [&str; 40] = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ":",
    ",",
    ";",
    "\n",
    "\n    ",
    "\t",
    "\\",
    "\\\n",
    "'",
    "\"\"\"",
    "#",
    "\r",
    "\0",
    "é",
    "\u{feff}",
    "\u{1f600}",
    "f'",
    "b'\\x",
    "0x",
    "1e",
    "1_",
    "..",
    "**",
    ":=",
    "->",
    "@",
    "!",
    "lambda ",
    "for ",
    "else:",
    "async ",
    "match ",
    "not in ",
    "=",
];

fn read(source: &str) {
    let names = source
        .split(|c: char| !c.is_alphanumeric())
        .map(str::to_owned);
    let local_names: HashSet<String> = names.collect();
    let bound_names = local_names
        .iter()
        .filter(|n| n.len() % 2 == 1)
        .cloned()
        .collect();
    let indented = source.starts_with(' ');
    for module_level in [false, true] {
        let scope = ScopeInfo {
            module_level,
            local_names: local_names.clone(),
            bound_names: HashSet::clone(&bound_names),
            ..ScopeInfo::default()
        };
        match parse_site(source, 1, indented, &scope) {
            Ok(site) => {
                assert!(!surface_text::site(&site).is_empty());
                // A refusal is fine here.
                let _ = interface(&site, &scope);
            }
            Err(refusals) => {
                assert!(!refusals.is_empty());
                for refusal in refusals {
                    assert!(refusal.span.line >= 1 && !refusal.to_string().is_empty());
                }
            }
        }
    }
    if let Ok(function) = parse_function(source, 1, indented, &local_names, &bound_names, "f", "") {
        assert!(!surface_text::function(&function).is_empty());
    }
}

/// Changes a text: at about `at`, cuts `cut` characters and puts in a piece.
fn mutate(source: &mut String, at: usize, cut: usize, piece: &str) {
    let chars: Vec<char> = source.chars().collect();
    let at = at % (chars.len() + 1);
    let end = (at + cut).min(chars.len());
    *source = chars[..at]
        .iter()
        .chain(&piece.chars().collect::<Vec<_>>())
        .chain(&chars[end..])
        .collect();
}

#[test]
fn the_sources_themselves() {
    SOURCES.iter().for_each(|source| read(source));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_sources(
        source in prop::sample::select(&SOURCES[..]),
        changes in prop::collection::vec((0_usize..400, 0_usize..6, prop::sample::select(&PIECES[..])), 1..5),
    ) {
        let mut source = source.to_owned();
        for (at, cut, piece) in changes {
            mutate(&mut source, at, cut, piece);
        }
        read(&source);
    }

    #[test]
    fn any_text(source in "(for |while |def f)?\\PC{0,60}") {
        read(&source);
    }
}
