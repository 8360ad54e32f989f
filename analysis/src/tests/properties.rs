//! Tests that execute random nests: nothing that is claimed of them may be refuted by what they do.

use std::collections::{HashMap, HashSet};

use nestwise_ir::model::nest::{BinOp, Expr, ExprKind, LiveOutKind, Nest, StmtKind};
use nestwise_ir::schedule::{AntiDependenceCopy, RedOp, ThreadLoop};
use nestwise_ir::{ArrayId, FpMode, LoopId, VarId};
use proptest::prelude::*;

use crate::dataflow::undo::{Region, UndoPlan, undo_plan};
use crate::guards::{GuardSet, apply};
use crate::launch_info::LaunchInfo;
use crate::parallelism::verdict::{Analysis, Options, Verdict, analyse, analyse_with};
use crate::schedule::{Candidate, Rewrite, candidates, grid_loops};
use crate::testing::{
    Case, Memory, Outcome, Reversed, Touch, Trace, Value, case, choices, counting_case, neighbours,
    run, run_ranges, run_reversed, split_case,
};
use crate::values::interval::Interval;
use crate::{BoundsPlan, prove};

/// Whether two values are equal to the bit; all NaNs are equal.
fn same_value(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float(x), Value::Float(y)) => {
            x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan()
        }
        _ => a == b,
    }
}

pub(super) fn same_arrays(a: &Memory, b: &Memory) -> bool {
    a.data
        .iter()
        .zip(&b.data)
        .all(|(x, y)| x.len() == y.len() && x.iter().zip(y).all(|(v, w)| same_value(v, w)))
}

pub(super) fn outs(n: &Nest) -> Vec<VarId> {
    n.live_outs
        .iter()
        .flat_map(|o| match &o.kind {
            LiveOutKind::Var(v) => vec![*v],
            LiveOutKind::Tuple(vars) => vars.clone(),
            LiveOutKind::Object(object) => object.vars(),
            _ => vec![],
        })
        .collect()
}

pub(super) fn same_outs(n: &Nest, a: &Memory, b: &Memory) -> bool {
    outs(n)
        .iter()
        .all(|v| match (a.vars[v.index()], b.vars[v.index()]) {
            (Some(x), Some(y)) => same_value(&x, &y),
            (x, y) => x.is_none() && y.is_none(),
        })
}

/// The nest after the launch's proofs.
pub(super) fn resolved(c: &Case, n: &Nest) -> Nest {
    let plan = BoundsPlan::new(n);
    let mut set = GuardSet::new(plan.guards());
    plan.resolve(&c.values, &mut set);
    apply(n, &set)
}

fn check_proofs(c: &Case, before: &Trace) -> Result<Nest, TestCaseError> {
    let mut proven = c.nest.clone();
    prove(&mut proven);
    let mut last = proven.clone();
    for (what, n) in [
        ("prove", proven.clone()),
        ("resolve", resolved(c, &c.nest)),
        ("both", resolved(c, &proven)),
    ] {
        let after = run(&n, c.memory.clone());
        let failed = matches!(before.outcome, Outcome::GuardFailure(_));
        prop_assert!(
            matches!(after.outcome, Outcome::GuardFailure(_)) == failed
                && !matches!(after.outcome, Outcome::Violation(_)),
            "{what}: {:?} became {:?}\n{}",
            before.outcome,
            after.outcome,
            c.text
        );
        prop_assert!(
            same_arrays(&before.memory, &after.memory),
            "{what} changed a result\n{}",
            c.text
        );
        last = n;
    }
    Ok(last)
}

/// The request to run the iterations of a loop on threads in another order.
fn mapped(t: &ThreadLoop) -> Reversed {
    let sometimes = t.reductions.iter().filter(|r| r.1 == RedOp::Last);
    Reversed {
        id: t.id,
        last: [t.last_values.clone(), sometimes.map(|r| r.0).collect()].concat(),
        private: t.private.clone(),
        anti_dependence_copies: t
            .anti_dependence_copies
            .iter()
            .map(|r| (r.array, r.reads.clone()))
            .collect(),
    }
}

/// An access to a copied array that contradicts [`AntiDependenceCopy`]: a load of an element that the loop wrote
/// before, a store too many iterations after a load of its element, or a load outside its window.
fn misnamed<'t>(
    touches: &'t [Touch],
    id: LoopId,
    copied: &AntiDependenceCopy,
    n: &Nest,
) -> Option<&'t Touch> {
    // Per execution of the loop and element: the iterations in which it was read, whether it was written.
    let mut seen: HashMap<_, (Vec<u64>, bool)> = HashMap::new();
    touches.iter().find(|t| {
        let level = t.iterations.iter().position(|(l, _)| *l == id);
        let Some(level) = level.filter(|_| n.accesses[t.access].array == copied.array) else {
            return false;
        };
        let now = t.iterations[level].1;
        let key = (t.iterations[..level].to_vec(), t.element);
        let (read, written) = seen.entry(key).or_default();
        if t.store {
            *written = true;
            let far = |k: &u64| copied.reach.is_some_and(|reach| now > k + u64::from(reach));
            return read.iter().any(far);
        }
        if !copied.reads.contains(&t.access) {
            return false;
        }
        read.push(now);
        let outside = copied.window.is_some_and(|w| {
            let (_, counter) = t.counters.iter().find(|(l, _)| *l == id).expect("a `for`");
            let by = i128::from(t.index[w.axis as usize]) - i128::from(w.scale) * counter;
            by < w.least.into() || by > w.most.into()
        });
        *written || outside
    })
}

/// Two accesses, by their indices in `touches`, of different iterations of one execution of a loop to one element, one
/// of them storing; `None` if there are none.
pub(super) fn conflict(touches: &[Touch], id: LoopId) -> Option<(usize, usize)> {
    // Per execution of the loop and element: the first iteration that touched it and the first that stored.
    type Seen = (Option<(u64, usize)>, Option<(u64, usize)>);
    type Key = (Vec<(LoopId, u64)>, usize, usize);
    let mut seen: HashMap<Key, Seen> = HashMap::new();
    for (at, t) in touches.iter().enumerate() {
        let Some(level) = t.iterations.iter().position(|(l, _)| *l == id) else {
            continue;
        };
        let now = t.iterations[level].1;
        let key = (t.iterations[..level].to_vec(), t.object, t.element);
        let entry = seen.entry(key).or_default();
        let (any, stored) = *entry;
        if let Some((k, other)) = stored.filter(|(k, _)| *k != now) {
            let _ = k;
            return Some((other, at));
        }
        if t.store {
            if let Some((k, other)) = any
                && k != now
            {
                return Some((other, at));
            }
            entry.1 = stored.or(Some((now, at)));
        }
        // A later iteration's touch replaces an earlier one's only if there is none.
        entry.0 = any.or(Some((now, at)));
    }
    None
}

/// A read of an array in an iteration of a loop that has not written the element before, if there is one.
fn flows_in<'t>(touches: &'t [Touch], n: &Nest, id: LoopId, array: ArrayId) -> Option<&'t Touch> {
    let mut written = HashSet::new();
    touches.iter().find(|t| {
        let level = t.iterations.iter().position(|(l, _)| *l == id);
        let Some(level) = level.filter(|_| n.accesses[t.access].array == array) else {
            return false;
        };
        let key = (t.iterations[..=level].to_vec(), t.element);
        if t.store {
            written.insert(key);
            return false;
        }
        !written.contains(&key)
    })
}

pub(super) fn check_verdicts(c: &Case, n: &Nest, before: &Trace) -> Result<(), TestCaseError> {
    verdicts_hold(c, n, before, &analyse(n, FpMode::Strict))
}

/// Checks that no loop that an analysis calls parallel has iterations that touch one element, and that they may run in
/// another order.
pub(super) fn verdicts_hold(
    c: &Case,
    n: &Nest,
    before: &Trace,
    a: &Analysis,
) -> Result<(), TestCaseError> {
    let trace = run(n, c.memory.clone());
    for id in n.loops.ids() {
        let info = a.loop_info(id).expect("every loop");
        if !matches!(info.verdict, Verdict::Parallel | Verdict::Reduction(_)) {
            continue;
        }
        let updated = info.array_reductions.iter().map(|r| r.0);
        let unshared: Vec<ArrayId> = updated.chain(info.private_arrays.iter().copied()).collect();
        let copied = |t: &Touch| {
            info.anti_dependence_copies
                .iter()
                .any(|r| r.reads.contains(&t.access))
        };
        let is_shared = |t: &Touch| !unshared.contains(&n.accesses[t.access].array) && !copied(t);
        let shared: Vec<Touch> = trace
            .touches
            .iter()
            .filter(|t| is_shared(t))
            .cloned()
            .collect();
        if let Some((x, y)) = conflict(&shared, id) {
            let (x, y) = (&shared[x], &shared[y]);
            prop_assert!(
                false,
                "{id} is called parallel, but {x:?} and {y:?}\n{}",
                c.text
            );
        }
        if before.outcome != Outcome::Done {
            continue;
        }
        for array in &info.private_arrays {
            if let Some(t) = flows_in(&trace.touches, n, id, *array) {
                prop_assert!(
                    false,
                    "{array} is called private in {id}, but {t:?}\n{}",
                    c.text
                );
            }
        }
        for copied in &info.anti_dependence_copies {
            if let Some(t) = misnamed(&trace.touches, id, copied, n) {
                prop_assert!(false, "{copied:?} in {id}, but {t:?}\n{}", c.text);
            }
        }
        let reversed = mapped(&ThreadLoop {
            anti_dependence_copies: info.anti_dependence_copies.clone(),
            reductions: info.reductions.clone(),
            last_values: info.last_values.clone(),
            private: info.private_arrays.clone(),
            ..ThreadLoop::plain(id)
        });
        let backwards = run_reversed(n, c.memory.clone(), Some(reversed));
        prop_assert_eq!(
            backwards.outcome,
            Outcome::Done,
            "{} reversed\n{}",
            id,
            &c.text
        );
        prop_assert!(
            same_arrays(&trace.memory, &backwards.memory),
            "{id} reversed\n{}",
            c.text
        );
        for v in outs(n) {
            let (p, q) = (
                trace.memory.vars[v.index()],
                backwards.memory.vars[v.index()],
            );
            prop_assert!(p == q, "{id} reversed: {v} {p:?} {q:?}\n{}", c.text);
        }
    }
    Ok(())
}

/// The launch information for these values, with tiles so small that short loops have several.
pub(super) fn launch_info(c: &Case, n: &Nest, tile: [u32; 2]) -> LaunchInfo {
    let plan = BoundsPlan::new(n);
    let mut set = GuardSet::new(plan.guards());
    let mut info = LaunchInfo::guess(n, FpMode::Strict);
    info.assumed.nonempty = plan.resolve(&c.values, &mut set).nonempty;
    info.tile = tile;
    // Whatever is legal, not only what pays.
    info.eager = true;
    info
}

/// The rewritten candidates of a nest for a launch.
pub(super) fn rewritten(n: &Nest, info: &LaunchInfo) -> Vec<Candidate> {
    let all = candidates(n, &analyse_with(n, info.assumed.clone()), info);
    all.into_iter().filter(|c| c.nest.is_some()).collect()
}

fn check_candidates(c: &Case, n: &Nest, before: &Trace) -> Result<(), TestCaseError> {
    for tile in [[0, 1], [1, 0], [2, 1]] {
        let mut info = launch_info(c, n, tile);
        // Only what is legal without undo can be compared after a guard failure; without one, undo changes nothing.
        info.undo = before.outcome == Outcome::Done;
        for cand in rewritten(n, &info) {
            check_candidate(c, n, before, &cand)?;
        }
    }
    Ok(())
}

/// The options under which a candidate's loops were mapped.
fn options(cand: &Candidate) -> Options {
    Options {
        nonempty: cand.schedule.nonempty,
        ..Options::new(FpMode::Strict)
    }
}

pub(super) fn check_candidate(
    c: &Case,
    n: &Nest,
    before: &Trace,
    cand: &Candidate,
) -> Result<(), TestCaseError> {
    let (Some(nest), kind) = (&cand.nest, cand.kind) else {
        return Ok(());
    };
    prop_assert!(kind.rewrite != Rewrite::None);
    if let Err(e) = nestwise_ir::verifier::verify(nest) {
        prop_assert!(false, "{kind:?}: {e}\n{}", c.text);
    }
    if before.outcome != Outcome::Done {
        return Ok(());
    }
    let same = |what: &str, after: &Trace| {
        let text = format!("{kind:?}, {what}\n{}\n{nest}", c.text);
        prop_assert_eq!(after.outcome, Outcome::Done, "{}", text);
        prop_assert!(same_arrays(&before.memory, &after.memory), "{text}");
        prop_assert!(same_outs(n, &before.memory, &after.memory), "{text}");
        let runs = |l: &LoopId| cand.schedule.nonempty.contains(*l);
        let wrong = after.idle.iter().find(|l| runs(l));
        prop_assert!(wrong.is_none(), "{wrong:?} is empty: {text}");
        Ok(())
    };
    // Whatever ranges of the top loop's iterations are run at a time.
    for range in [1, 2, 3, u64::MAX] {
        let trace = run_ranges(nest, c.memory.clone(), range);
        same(&format!("{range} at a time"), &trace)?;
    }
    let trace = run(nest, c.memory.clone());
    for t in &cand.schedule.threads {
        let copied: Vec<ArrayId> = t.copied().collect();
        let before: Vec<_> = t
            .anti_dependence_copies
            .iter()
            .flat_map(|r| r.reads.clone())
            .collect();
        let is_shared = |t: &&Touch| {
            !copied.contains(&nest.accesses[t.access].array) && !before.contains(&t.access)
        };
        let shared: Vec<Touch> = trace.touches.iter().filter(is_shared).cloned().collect();
        let met = conflict(&shared, t.id).map(|(x, y)| (&shared[x], &shared[y]));
        prop_assert!(
            met.is_none(),
            "{} on threads, but {met:?}\n{}\n{nest}",
            t.id,
            c.text
        );
    }
    let info = analyse_with(nest, options(cand));
    // In a loop that is split, only the interior may run in any order.
    let mapped_whole = |id: &&LoopId| !cand.schedule.split.contains(id);
    let free = cand.schedule.independent.iter().filter(mapped_whole);
    let free = free.filter_map(|id| {
        let last_values = info.loop_info(*id)?.last_values.clone();
        Some(ThreadLoop {
            last_values,
            ..ThreadLoop::plain(*id)
        })
    });
    // What would run on a device's grid.
    let launch = LaunchInfo {
        assumed: options(cand),
        ..LaunchInfo::guess(nest, FpMode::Strict)
    };
    let axes = grid_loops(nest, &info, &launch, 0).into_iter();
    let axes = axes.flat_map(|g| g.axes);
    let axes = axes.filter_map(|id| info.may_run_parallel(id));
    for t in cand
        .schedule
        .threads
        .iter()
        .cloned()
        .chain(free)
        .chain(axes)
    {
        let backwards = run_reversed(nest, c.memory.clone(), Some(mapped(&t)));
        same(&format!("{} reversed", t.id), &backwards)?;
    }
    Ok(())
}

fn check_undo(c: &Case, n: &Nest, before: &Trace) -> Result<(), TestCaseError> {
    let plan = undo_plan(n);
    prop_assert!(
        plan.may_roll_back()
            || before.outcome == Outcome::Done
            || before.outcome == Outcome::Broke
            || before.outcome == Outcome::Budget
            || before.outcome == Outcome::Returned
    );
    let trace = run(n, c.memory.clone());
    let swaps = c.text.contains("swap");
    for t in trace.touches.iter().filter(|t| t.store) {
        let slot = plan.slots.iter().find(|s| s.array.index() == t.object);
        prop_assert!(slot.is_some(), "{:?} is not in the plan\n{}", t, &c.text);
        if let Some(Region::Rows { axis, lo, hi }) = slot.map(|s| s.region) {
            let at = i128::from(t.index[axis as usize]) - t.top.expect("a top counter");
            let inside = Interval::new(lo.into(), hi.into()).contains(at);
            prop_assert!(inside, "{t:?} is outside rows {lo}..={hi}\n{}", c.text);
        }
    }
    if before.outcome != Outcome::Done || swaps {
        return Ok(());
    }
    // Again, over the results of idempotent slots and the restored others.
    let mut again = c.memory.clone();
    for s in plan.slots.iter().filter(|s| s.idempotent) {
        again.data[s.array.index()] = trace.memory.data[s.array.index()].clone();
    }
    let second = run(n, again);
    prop_assert!(
        same_arrays(&trace.memory, &second.memory),
        "not idempotent\n{}",
        c.text
    );
    check_undo_of_one(c, n, &plan)
}

/// Checks that the first iteration can run again over its results.
fn check_undo_of_one(c: &Case, n: &Nest, plan: &UndoPlan) -> Result<(), TestCaseError> {
    let mut one = n.clone();
    let StmtKind::For(top) = &mut one.top.kind else {
        return Ok(());
    };
    let Some(step) = top.step.as_int().filter(|s| *s > 0) else {
        return Ok(());
    };
    let first = |op: BinOp, a: Expr, b: Expr| Expr {
        ty: a.ty,
        span: a.span,
        kind: ExprKind::Binary {
            op,
            a: Box::new(a),
            b: Box::new(b),
            guard: false,
        },
    };
    let behind = Expr::int(step as i64, top.start.span);
    let behind = first(BinOp::Add, top.start.clone(), behind);
    top.stop = first(BinOp::Min, top.stop.clone(), behind);
    let trace = run(&one, c.memory.clone());
    if trace.outcome != Outcome::Done {
        return Ok(());
    }
    let mut again = c.memory.clone();
    for s in plan.slots.iter().filter(|s| s.idempotent_alone) {
        again.data[s.array.index()] = trace.memory.data[s.array.index()].clone();
    }
    let second = run(&one, again);
    prop_assert!(
        same_arrays(&trace.memory, &second.memory),
        "one iteration is not idempotent\n{}",
        c.text
    );
    Ok(())
}

fn check(c: Case) -> Result<(), TestCaseError> {
    nestwise_ir::verifier::verify(&c.nest).map_err(TestCaseError::fail)?;
    let before = run(&c.nest, c.memory.clone());
    prop_assert!(
        !matches!(before.outcome, Outcome::Violation(_)),
        "{:?}\n{}",
        before.outcome,
        c.text
    );
    if before.outcome == Outcome::Budget {
        return Ok(());
    }
    let n = check_proofs(&c, &before)?;
    check_verdicts(&c, &n, &before)?;
    check_candidates(&c, &n, &before)?;
    check_undo(&c, &n, &before)
}

/// The configuration of a test: as many cases as proptest is told, at least `cases`. A failing case is kept in
/// `proptest-regressions/`, and tried first.
pub(super) fn at_least(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases: ProptestConfig::default().cases.max(cases),
        max_shrink_iters: 4000,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(at_least(700))]

    #[test]
    fn claims_hold(bytes in prop::collection::vec(any::<u8>(), 20..160)) {
        check(case(&bytes))?;
    }

    /// Splitting loops that have to be split keeps their meaning.
    #[test]
    fn parts_keep_the_meaning(bytes in prop::collection::vec(any::<u8>(), 10..50)) {
        check(split_case(&bytes))?;
    }

    /// Every rewriting keeps the meaning of nests that have many.
    #[test]
    fn rewritings_keep_the_meaning(bytes in prop::collection::vec(any::<u8>(), 10..70)) {
        check(neighbours(&bytes))?;
    }
}

proptest! {
    #![proptest_config(at_least(300))]

    /// Claims hold for subscripts and bounds that conditions choose.
    #[test]
    fn claims_about_choices_hold(bytes in prop::collection::vec(any::<u8>(), 10..80)) {
        check(choices(&bytes))?;
    }

    /// Computing variables that count along from counters keeps the meaning.
    #[test]
    fn counting_keeps_the_meaning(bytes in prop::collection::vec(any::<u8>(), 10..90)) {
        check(counting_case(&bytes))?;
    }
}

/// Bytes like those that proptest generates.
pub(super) fn some_bytes(seed: &mut u64, count: usize) -> Vec<u8> {
    let mut byte = || {
        *seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (*seed >> 33) as u8
    };
    (0..count).map(|_| byte()).collect()
}

/// By kind of rewriting: the number of candidates that random nests have, and of those that run on threads.
fn met(cases: impl Iterator<Item = Case>) -> HashMap<&'static str, (u32, u32)> {
    let mut met: HashMap<&str, (u32, u32)> = HashMap::new();
    for c in cases {
        let n = resolved(&c, &c.nest);
        for cand in rewritten(&n, &launch_info(&c, &n, [1, 1])) {
            let entry = met.entry(match cand.kind.rewrite {
                Rewrite::None => "none",
                Rewrite::InductionSubstitution => "induction-substitution",
                Rewrite::ScalarReplacement => "scalar-replacement",
                Rewrite::Interchange(LoopId(0)) => "top interchange",
                Rewrite::Interchange(_) => "interchange",
                Rewrite::Distribution => "distribution",
                Rewrite::Wavefront => "wavefront",
                Rewrite::IndexSetSplitting => "split",
                Rewrite::LoopVersioning => "loop-versioning",
            });
            let (all, threads) = entry.or_default();
            *all += 1;
            *threads += u32::from(cand.kind.threads);
        }
    }
    println!("{met:?}");
    met
}

/// The nests of neighbours have rewritings of every kind, on threads too.
#[test]
fn every_rewriting_is_met() {
    let mut seed = 7u64;
    let near = (0..600).map(|_| neighbours(&some_bytes(&mut seed, 60)));
    let mut met = met(near);
    let mut seed = 7u64;
    let along = (0..600).map(|_| counting_case(&some_bytes(&mut seed, 60)));
    met.extend(crate::tests::properties::met(along).remove_entry("induction-substitution"));
    let apart = (0..300).map(|_| split_case(&some_bytes(&mut seed, 40)));
    met.extend(crate::tests::properties::met(apart).remove_entry("split"));
    let often = |kind: &str, least: (u32, u32)| {
        let (all, threads) = met.get(kind).copied().unwrap_or_default();
        assert!(all >= least.0 && threads >= least.1, "{kind}: {met:?}");
    };
    often("induction-substitution", (60, 40));
    often("split", (60, 60));
    often("wavefront", (40, 40));
    often("distribution", (60, 20));
    often("interchange", (10, 0));
    often("top interchange", (20, 10));
}

/// The random nests exercise what they are meant to.
#[test]
fn random_nests_are_not_trivial() {
    let mut seed = 1u64;
    let (mut done, mut failures, mut parallel, mut serial, mut rewritten, mut proven, mut idem) =
        (0, 0, 0, 0, 0, 0, 0);
    let mut touched = 0;
    for _ in 0..600 {
        let c = case(&some_bytes(&mut seed, 150));
        let t = run(&c.nest, c.memory.clone());
        done += u32::from(t.outcome == Outcome::Done && t.touches.len() > 3);
        failures += u32::from(matches!(t.outcome, Outcome::GuardFailure(_)));
        touched += t.touches.len();
        let n = resolved(&c, &c.nest);
        proven += crate::guards::count_set(&c.nest) - crate::guards::count_set(&n);
        let a = analyse(&n, FpMode::Strict);
        for l in &a.loops {
            match l.verdict {
                Verdict::Parallel | Verdict::Reduction(_) => parallel += 1,
                _ => serial += 1,
            }
        }
        let all = candidates(&n, &a, &LaunchInfo::guess(&n, FpMode::Strict));
        rewritten += all.iter().filter(|c| c.nest.is_some()).count();
        idem += undo_plan(&n).slots.iter().filter(|s| s.idempotent).count();
    }
    let seen = format!(
        "done {done} failures {failures} parallel {parallel} serial {serial} rewritten {rewritten} \
         proven {proven} idempotent {idem} touches {touched}"
    );
    println!("{seen}");
    assert!(
        done > 100
            && failures > 50
            && parallel > 100
            && serial > 50
            && rewritten > 50
            && touched > 10_000,
        "{seen}"
    );
}
