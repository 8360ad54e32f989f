//! `nestwise explain`: takes one nest from its text to the verdicts of its loops, without running its program.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::sync::Arc;
use std::time::Instant;

use nestwise_analysis::explain::stated_sizes::{Stated, fix};
use nestwise_analysis::explain::{LoopRecord, assuming, records};
use nestwise_analysis::{Analysis, LaunchInfo, candidates};
use nestwise_frontend::inferred_types::{self, Described, Evidence};
use nestwise_frontend::site::captures::Capture;
use nestwise_frontend::{Refusal, interface, lowering, parse_function, surface_text};
use nestwise_ir::surface::{Function, Site};
use nestwise_ir::{Nest, WithSpan};
use nestwise_runtime::{Reason, options, pipeline};
use pyo3::prelude::*;

use crate::boundary::answers::{Explained, LoopVerdict, Refused, StageSeconds};
use crate::boundary::function_text::FunctionText;
use crate::boundary::mapping::Mapping;
use crate::commands::{fp_gain, priced};
use crate::host::recursion;
use crate::objects::random::draws::Draw;
use crate::site::parsed::SiteText;

/// The sizes that `--sizes` states: one value for an int, the extents for an array.
type Sizes = HashMap<String, Vec<i64>>;

/// A function with its name: `nestwise.inferred_types.infer.NamedFunction`.
#[derive(FromPyObject)]
struct NamedFunction {
    text: FunctionText,
    name: String,
    /// The method of a random generator that the function stands for; empty for a user's function.
    library: String,
}

/// The evidence of types that the package's Python half finds in the module's text. Its first exception is kept, and
/// raised at the end.
struct Module<'a, 'py> {
    describe: &'a Bound<'py, PyAny>,
    function: &'a Bound<'py, PyAny>,
    functions: HashMap<u32, Option<Arc<Function>>>,
    failed: Option<PyErr>,
}

impl Module<'_, '_> {
    fn or_keep<T>(&mut self, asked: PyResult<T>) -> Option<T> {
        asked
            .map_err(|e| self.failed = self.failed.take().or(Some(e)))
            .ok()
    }
}

impl Evidence for Module<'_, '_> {
    fn describe(&mut self, function: Option<u32>, path: &str) -> String {
        let words = self.describe.call1((function, path));
        let words = words.and_then(|w| w.extract::<String>());
        self.or_keep(words).unwrap_or_else(|| "other ?".into())
    }

    fn function(&mut self, number: u32) -> Option<Arc<Function>> {
        if let Some(known) = self.functions.get(&number) {
            return known.clone();
        }
        let text = self.function.call1((number,));
        let text = text.and_then(|t| t.extract::<Option<NamedFunction>>());
        let found = self.or_keep(text).flatten();
        let found = found.and_then(|f| {
            let locals = f.text.local_names.into_iter().collect();
            let free = f.text.free_names.into_iter().collect();
            let (text, line, indented) = (&f.text.text, f.text.first_line, f.text.indented);
            let mut found =
                parse_function(text, line, indented, &locals, &free, &f.name, &f.library).ok()?;
            found.library = Draw::named(&f.library).map(|d| d.work);
            Some(found)
        });
        let found = found.map(Arc::new);
        self.functions.insert(number, found.clone());
        found
    }
}

/// The result of explaining one site.
struct Told {
    loops: Vec<LoopRecord>,
    /// The nest after the stage that was asked for.
    stage: Option<String>,
    /// The time spent in the stages of a run that come before any value is known.
    seconds: StageSeconds,
}

/// Explains a site: the verdicts of its loops, what the stated sizes were applied to, and the nest as text after the
/// stage `after`. Raises what the package's Python half raises.
pub fn explain(
    text: &SiteText,
    describe: &Bound<'_, PyAny>,
    function: &Bound<'_, PyAny>,
    sizes: &Sizes,
    after: Option<&str>,
) -> PyResult<Explained> {
    let mut answer = Explained {
        refused: None,
        types: Mapping::default(),
        used: HashSet::new(),
        unfit: Mapping::default(),
        loops: vec![],
        stage: None,
        seconds: None,
    };
    let mut module = Module {
        describe,
        function,
        functions: HashMap::new(),
        failed: None,
    };
    let surface = match parse(text) {
        Ok(surface) => surface,
        Err(refused) => {
            answer.refused = Some(Refused::of(&refused));
            return Ok(answer);
        }
    };
    let (mut captures, described) = inferred_types::captures(&surface, &mut module);
    if let Some(error) = module.failed {
        return Err(error);
    }
    let shown = described.iter().zip(&captures).filter(|(d, capture)| {
        d.shared && matches!(capture, Capture::Scalar { .. } | Capture::Array { .. })
    });
    answer.types = shown
        .map(|(d, _)| (d.path.clone(), d.words.clone()))
        .collect();
    let applied = apply(&mut captures, &described, sizes);
    answer.used = applied.used;
    answer.unfit = applied.unfit.into_iter().collect();
    match tell(&surface, &captures, &applied.stated, after) {
        Ok(told) => {
            answer.loops = told.loops.into_iter().map(LoopVerdict::from).collect();
            answer.stage = told.stage;
            answer.seconds = Some(told.seconds);
        }
        Err(reason) => answer.refused = Some(Refused::because(reason, text.first_line)),
    }
    Ok(answer)
}

fn parse(text: &SiteText) -> Result<Site, WithSpan<Refusal>> {
    let first = |mut all: Vec<WithSpan<Refusal>>| all.swap_remove(0);
    let surface = text.read().map_err(first)?;
    interface(&surface, &text.scope)?;
    Ok(surface)
}

/// The stated sizes, applied to captures.
#[derive(Default)]
struct Applied {
    stated: Stated,
    /// The stated names that were found and fit.
    used: HashSet<String>,
    /// The stated names that were found and do not fit, with what is wrong.
    unfit: HashMap<String, String>,
}

fn apply(captures: &mut [Capture], described: &[Described], sizes: &Sizes) -> Applied {
    let mut out = Applied::default();
    for (index, (d, capture)) in described.iter().zip(captures).enumerate() {
        let Some(said) = sizes.get(&d.path).filter(|_| d.shared) else {
            continue;
        };
        match (capture, &said[..]) {
            (Capture::Scalar { ty, range }, [value]) if ty.repr.is_int() => {
                *range = Some((*value, *value));
                out.stated.ints.insert(index as u32, *value);
                out.used.insert(d.path.clone());
            }
            (Capture::Array { rank, .. }, _) if said.len() == *rank as usize => {
                out.stated.extents.insert(index as u32, said.clone());
                out.used.insert(d.path.clone());
            }
            _ => {
                let given = match said.len() {
                    1 => "one number is".to_string(),
                    n => format!("{n} extents are"),
                };
                let what = format!("{} is taken for `{}`, and {given} given", d.path, d.words);
                out.unfit.insert(d.path.clone(), what);
            }
        }
    }
    out
}

/// Runs the stages up to the verdicts, which are those of a call as far as types decide, and times them.
fn tell(
    surface: &Site,
    captures: &[Capture],
    stated: &Stated,
    after: Option<&str>,
) -> Result<Told, Reason> {
    let options = options();
    let settings = lowering::Options {
        python_minor: options.python_minor,
        whole_ints: true,
        fp: options.fp,
        frames: recursion::USUAL,
    };
    let begun = Instant::now();
    let mut nest = lowering::specialise(surface, captures, settings)
        .map_err(|e| crate::site::parsed::refused(&e))?;
    let lower = begun.elapsed();
    let lowered = (after == Some("lower")).then(|| nest.to_string());
    fix(&mut nest, stated);
    let fixed = nest.clone();
    let begun = Instant::now();
    let (nest, ranges) = pipeline::prove(pipeline::accept(nest)?);
    let prove = begun.elapsed();
    let begun = Instant::now();
    drop(pipeline::verdicts(&nest, &ranges, &options));
    let analyse = begun.elapsed();
    let seconds = StageSeconds {
        lower: lower.as_secs_f64(),
        prove: prove.as_secs_f64(),
        analyse: analyse.as_secs_f64(),
    };
    let mut loops = records(&nest, options.fp);
    fp_gain::tell(&mut loops, &fixed, captures, stated, &options);
    let stage = match after {
        Some("parse") => Some(surface_text::site(surface)),
        Some("lower") => lowered,
        Some("prove") => Some(nest.to_string()),
        Some("analyse") => Some(analysed(&nest, &assuming(&nest, options.fp), &loops)),
        Some("schedule") => Some(scheduled(&nest, options.fp)),
        Some("price") => Some(priced::text(&fixed, captures, stated, &options)),
        _ => None,
    };
    Ok(Told {
        loops,
        stage,
        seconds,
    })
}

/// The text after the stage `analyse`: each access in the form in which dependences are found, then each loop's verdict
/// and dependences.
fn analysed(nest: &Nest, analysis: &Analysis, loops: &[LoopRecord]) -> String {
    let mut out = String::new();
    for (id, access) in nest.accesses.iter() {
        let what = if access.store { "store" } else { "load" };
        let form = analysis.access_text(nest, id);
        let _ = writeln!(out, "{id} {what} {form} (line {})", access.span.line);
    }
    for (id, l) in nest.loops.ids().zip(loops) {
        let _ = writeln!(out, "{id} line {}: {}", l.line, analysis.explain(nest, id));
        for d in &l.dependences {
            let distance = d.distance.iter().map(|n| match n {
                Some(n) => n.to_string(),
                None => "?".into(),
            });
            let distance: Vec<String> = distance.collect();
            let _ = writeln!(
                out,
                "  {} {} line {} -> line {} ({}) distance ({})",
                d.kind,
                d.name,
                d.source_line,
                d.sink_line,
                d.direction.join(", "),
                distance.join(", ")
            );
        }
    }
    out
}

/// The text after the stage `schedule`: the candidate schedules, in the order in which they are priced.
fn scheduled(nest: &Nest, fp: nestwise_ir::FpMode) -> String {
    let verdicts = assuming(nest, fp);
    let info = LaunchInfo {
        assumed: verdicts.options.clone(),
        ..LaunchInfo::guess(nest, fp)
    };
    let mut out = String::new();
    for c in candidates(nest, &verdicts, &info) {
        let mut parts: Vec<String> = vec![];
        parts.extend(
            c.schedule
                .threads
                .iter()
                .map(|t| format!("{} on threads", t.id)),
        );
        let lanes = c.schedule.vector.iter();
        parts.extend(lanes.map(|(id, n)| format!("{id} in {n} lanes")));
        let vectors = c.schedule.independent.iter();
        parts.extend(vectors.map(|id| format!("{id} on vectors")));
        let lockstep = c.schedule.lockstep.iter();
        parts.extend(lockstep.map(|id| format!("{id} lockstep")));
        parts.extend(
            c.schedule
                .split
                .iter()
                .map(|id| format!("{id} without its ends")),
        );
        if parts.is_empty() {
            parts.push("in order".into());
        }
        let _ = writeln!(out, "{:?}: {}", c.kind.rewrite, parts.join(", "));
    }
    out
}
