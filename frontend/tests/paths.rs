//! Walks random nests along random paths, and checks that what a path reads and assigns is what the interface promises.

use std::collections::HashSet;

use nestwise_frontend::{Interface, ScopeInfo, interface, parse_site};
use nestwise_ir::PathId;
use nestwise_ir::surface::{Expr, ExprKind, Site, Stmt, StmtKind, Target};
use proptest::prelude::*;

const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// A generator of pseudo-random numbers from a seed (Knuth's MMIX generator).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
    fn name(&mut self) -> &'static str {
        NAMES[self.below(NAMES.len())]
    }
}

/// Writes a random block, whose nesting is limited by `depth`.
fn block(random: &mut Random, depth: usize, indent: usize, out: &mut String) {
    for _ in 0..=random.below(3) {
        let pad = " ".repeat(indent);
        let (x, y, z) = (random.name(), random.name(), random.name());
        match random.below(if depth == 0 { 6 } else { 12 }) {
            0 | 1 => *out += &format!("{pad}{x} = 1\n"),
            2 => *out += &format!("{pad}{x} = {y}\n"),
            3 => *out += &format!("{pad}{x} += 1\n"),
            4 => *out += &format!("{pad}{x}, {y} = {z}, 1\n"),
            5 => {
                *out += &format!(
                    "{pad}{}\n",
                    ["break", "continue", "pass", "return"][random.below(4)]
                )
            }
            6 | 7 => {
                *out += &format!("{pad}if {x}:\n");
                block(random, depth - 1, indent + 1, out);
                if random.below(2) == 0 {
                    *out += &format!("{pad}else:\n");
                    block(random, depth - 1, indent + 1, out);
                }
            }
            kind => {
                *out += &match kind {
                    8 => format!("{pad}while True:\n"),
                    9 => format!("{pad}while {x}:\n"),
                    _ => format!("{pad}for {x} in R:\n"),
                };
                block(random, depth - 1, indent + 1, out);
                if random.below(3) == 0 {
                    *out += &format!("{pad}else:\n");
                    block(random, depth - 1, indent + 1, out);
                }
            }
        }
    }
}

/// The way in which a statement ends.
#[derive(PartialEq)]
enum End {
    Normal,
    Break,
    Continue,
    Return,
    /// The path is too long to follow.
    Tired,
}

struct Path<'a> {
    site: &'a Site,
    interface: &'a Interface,
    random: Random,
    /// The names that have a value.
    bound: HashSet<&'a str>,
    /// The names that the site gave a value.
    assigned: HashSet<PathId>,
    fuel: u32,
}

impl<'a> Path<'a> {
    fn read(&mut self, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::Path(path) => self.read_path(*path),
            ExprKind::Tuple(items) => items.iter().for_each(|e| self.read(e)),
            _ => {}
        }
    }

    fn read_path(&mut self, path: PathId) {
        let p = &self.site.paths[path];
        let is_global = !self.interface.reads.contains(&p.name) && !p.written;
        if p.written && !p.captured && !self.assigned.contains(&path) {
            // Checked where it is read: a path without a value is CPython's from before this iteration.
            return;
        }
        assert!(
            is_global || self.bound.contains(p.name.as_str()),
            "{} is read without a value",
            p.name
        );
        assert!(
            self.assigned.contains(&path) || p.captured,
            "{} is not captured",
            p.name
        );
    }

    fn assign(&mut self, target: &Target) {
        match target {
            Target::Path(path) => {
                self.assigned.insert(*path);
                self.bound.insert(&self.site.paths[*path].name);
            }
            Target::Subscript(..) | Target::Attr(..) => {}
            Target::Tuple(items) => items.iter().for_each(|item| self.assign(item)),
        }
    }

    fn block(&mut self, stmts: &'a [Stmt]) -> End {
        for stmt in stmts {
            match self.stmt(stmt) {
                End::Normal => {}
                end => return end,
            }
        }
        End::Normal
    }

    fn stmt(&mut self, stmt: &'a Stmt) -> End {
        if self.fuel == 0 {
            return End::Tired;
        }
        self.fuel -= 1;
        match &stmt.kind {
            StmtKind::Assign { targets, value } => {
                self.read(value);
                targets.iter().for_each(|t| self.assign(t));
            }
            StmtKind::AugAssign { target, .. } => {
                if let Target::Path(path) = target {
                    self.read_path(*path);
                }
                self.assign(target);
            }
            StmtKind::If { test, body, orelse } => {
                self.read(test);
                let taken = if self.random.below(2) == 0 {
                    body
                } else {
                    orelse
                };
                return self.block(taken);
            }
            StmtKind::For { .. } | StmtKind::While { .. } => return self.run_loop(stmt, false),
            StmtKind::Break => return End::Break,
            StmtKind::Continue => return End::Continue,
            StmtKind::Return(_) => return End::Return,
            StmtKind::Call(value) => self.read(value),
            StmtKind::Raise => return End::Tired,
            StmtKind::Pass => {}
        }
        End::Normal
    }

    fn run_loop(&mut self, stmt: &'a Stmt, top: bool) -> End {
        let (body, orelse) = match &stmt.kind {
            StmtKind::For {
                iter, body, orelse, ..
            } => {
                self.read(iter);
                (body, orelse)
            }
            StmtKind::While { body, orelse, .. } => (body, orelse),
            _ => unreachable!("a loop"),
        };
        loop {
            let forever = match &stmt.kind {
                StmtKind::While { test, .. } => {
                    self.read(test);
                    matches!(test.kind, ExprKind::Bool(true))
                }
                _ => false,
            };
            if !forever && self.random.below(3) == 0 {
                return self.block(orelse);
            }
            if let StmtKind::For { target, .. } = &stmt.kind {
                self.assign(target);
            }
            let end = self.block(body);
            if end == End::Tired {
                return End::Tired;
            }
            if top {
                self.check_boundary();
            }
            match end {
                End::Break => return End::Normal,
                End::Return => return End::Return,
                _ => {}
            }
        }
    }

    /// Checks a point where the hook may hand over: every name it assigns has a value.
    fn check_boundary(&self) {
        for name in &self.interface.writes {
            assert!(
                self.bound.contains(name.as_str()),
                "{name} is written back without a value"
            );
        }
        for &path in &self.assigned {
            let name = &self.site.paths[path].name;
            let known = self.interface.writes.contains(name) || self.interface.maybe.contains(name);
            assert!(known, "{name} is assigned and not given back");
        }
    }
}

fn scope(bound: usize) -> ScopeInfo {
    let names = || NAMES.iter().map(|n| (*n).to_owned());
    let is_bound = |i: &usize| bound >> i & 1 == 1;
    ScopeInfo {
        module_level: false,
        local_names: names().collect(),
        bound_names: names()
            .enumerate()
            .filter(|(i, _)| is_bound(i))
            .map(|(_, n)| n)
            .collect(),
        ..ScopeInfo::default()
    }
}

/// Walks a random nest; returns whether it was accepted, and so walked.
fn walk(seed: u64, bound: usize) -> bool {
    let mut random = Random(seed);
    let top = ["for a in R:\n", "while b:\n", "while True:\n"][random.below(3)];
    let mut source = top.to_owned();
    block(&mut random, 3, 1, &mut source);
    let scope = scope(bound);
    let site = parse_site(&source, 1, false, &scope).expect("all of it is supported");
    let Ok(interface) = interface(&site, &scope) else {
        return false;
    };
    for name in &interface.reads {
        assert!(
            scope.bound_names.contains(name),
            "{name} is passed without a value\n{source}"
        );
    }
    for name in &interface.maybe {
        assert!(
            !scope.bound_names.contains(name),
            "{name} had a value\n{source}"
        );
    }
    for path in 0..30 {
        let mut path = Path {
            site: &site,
            interface: &interface,
            random: Random(seed ^ (path << 32)),
            bound: scope.bound_names.iter().map(String::as_str).collect(),
            assigned: HashSet::new(),
            fuel: 300,
        };
        path.run_loop(&site.top, true);
    }
    true
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_path_reads_and_assigns_what_the_interface_says(seed in any::<u64>(), bound in 0_usize..64) {
        walk(seed, bound);
    }
}

#[test]
fn enough_nests_are_accepted() {
    let accepted = (0..1000).filter(|&seed| walk(seed, 63)).count();
    assert_eq!(accepted, 1000, "with every name bound nothing is refused");
    let accepted = (0..1000).filter(|&seed| walk(seed, 0)).count();
    assert!(accepted > 30, "{accepted}");
}
