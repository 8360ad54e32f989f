//! Checks that the text form says all of a nest.

use crate::model::nest::{Expr, Nest, Stmt};
use crate::text::read;

/// Checks that reading the text form of `nest` gives `nest` again.
///
/// # Panics
/// If it does not, positions and the interpreter's work aside.
pub fn assert_round_trip(nest: &Nest) {
    let text = nest.to_string();
    let again = read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(text, again.to_string());
    let (ours, read) = (bare(nest), bare(&again));
    if ours != read {
        let at = ours.bytes().zip(read.bytes()).take_while(|(a, b)| a == b);
        let at = at.count().saturating_sub(200);
        let part = |s: &str| s.chars().skip(at).take(400).collect::<String>();
        panic!("{text}\n{}\nwas read as\n{}", part(&ours), part(&read));
    }
}

/// The debug text of a nest without positions and work.
fn bare(nest: &Nest) -> String {
    let mut nest = nest.clone();
    nest.work = Default::default();
    for id in nest.loops.ids().collect::<Vec<_>>() {
        nest.loops[id].span = Default::default();
    }
    for id in nest.accesses.ids().collect::<Vec<_>>() {
        nest.accesses[id].span = Default::default();
    }
    nest.prologue.iter_mut().for_each(stmt);
    stmt(&mut nest.top);
    format!("{nest:?}")
}

fn stmt(s: &mut Stmt) {
    s.span = Default::default();
    s.exprs_mut().into_iter().for_each(expr);
    s.blocks_mut().into_iter().flatten().for_each(stmt);
}

fn expr(e: &mut Expr) {
    e.span = Default::default();
    e.children_mut().into_iter().for_each(expr);
}
