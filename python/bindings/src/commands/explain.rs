//! `nestwise explain`: the way of one nest from its text to the verdicts of its loops, without its program.

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
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::commands::{fp_gain, priced};
use crate::objects::random::draws::Draw;
use crate::site::parsed::SiteText;

/// What `--sizes` says: a value for an int, extents for an array.
type Sizes = HashMap<String, Vec<i64>>;

/// Text of a function for inlining: see `sources.function_text`, with its name and file.
type FunctionText = (
    String,
    u32,
    bool,
    HashSet<String>,
    HashSet<String>,
    String,
    String,
);

/// Asks the package's Python half, which reads the module's text. An exception of its own is kept and raised at the end.
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
        let text = text.and_then(|t| t.extract::<Option<FunctionText>>());
        let found = self.or_keep(text).flatten();
        let found = found.and_then(|(text, line, indented, locals, free, name, file)| {
            let mut found =
                parse_function(&text, line, indented, &locals, &free, &name, &file).ok()?;
            found.library = Draw::named(&file).map(|d| d.work);
            Some(found)
        });
        let found = found.map(Arc::new);
        self.functions.insert(number, found.clone());
        found
    }
}

/// What became of one site.
struct Told {
    loops: Vec<LoopRecord>,
    /// The nest after the stage that was asked for.
    stage: Option<String>,
    /// What the stages of a run that come before any value is known took.
    seconds: [(&'static str, f64); 3],
}

/// The verdicts of a site's loops: a dictionary with `loops` (JSON) or the reason of a refusal, with the `types` that
/// were guessed, the names of `sizes` that it `used` or found `unfit`, and its text after the stage `after`.
pub fn explain<'py>(
    py: Python<'py>,
    text: &SiteText,
    describe: &Bound<'py, PyAny>,
    function: &Bound<'py, PyAny>,
    sizes: &Sizes,
    after: Option<&str>,
) -> PyResult<Bound<'py, PyDict>> {
    let answer = PyDict::new(py);
    let mut module = Module {
        describe,
        function,
        functions: HashMap::new(),
        failed: None,
    };
    let surface = match parse(text) {
        Ok(surface) => surface,
        Err(refused) => {
            tell_refusal(&answer, &refused)?;
            return Ok(answer);
        }
    };
    let (mut captures, described) = inferred_types::captures(&surface, &mut module);
    if let Some(error) = module.failed {
        return Err(error);
    }
    let types = PyDict::new(py);
    for (d, capture) in described.iter().zip(&captures) {
        if d.shared && matches!(capture, Capture::Scalar { .. } | Capture::Array { .. }) {
            types.set_item(&d.path, &d.words)?;
        }
    }
    answer.set_item("types", types)?;
    let applied = apply(&mut captures, &described, sizes);
    answer.set_item("used", applied.used)?;
    answer.set_item("unfit", applied.unfit)?;
    match tell(&surface, &captures, &applied.stated, after) {
        Ok(told) => {
            let loops = serde_json::to_string(&told.loops);
            let loops = loops.map_err(|e| PyValueError::new_err(e.to_string()))?;
            answer.set_item("loops", loops)?;
            answer.set_item("stage", told.stage)?;
            answer.set_item("seconds", HashMap::from(told.seconds))?;
        }
        Err(Reason::Refused {
            line,
            code,
            message,
            hint,
        }) => {
            answer.set_item("line", line)?;
            answer.set_item("code", code)?;
            answer.set_item("message", message)?;
            answer.set_item("hint", hint.unwrap_or_default())?;
        }
        Err(reason) => {
            answer.set_item("line", text.first_line)?;
            answer.set_item("code", reason.code())?;
            answer.set_item("message", reason.to_string())?;
            answer.set_item("hint", "")?;
        }
    }
    Ok(answer)
}

fn parse(text: &SiteText) -> Result<Site, WithSpan<Refusal>> {
    let first = |mut all: Vec<WithSpan<Refusal>>| all.swap_remove(0);
    let surface = text.read().map_err(first)?;
    interface(&surface, &text.scope)?;
    Ok(surface)
}

fn tell_refusal(answer: &Bound<'_, PyDict>, refused: &WithSpan<Refusal>) -> PyResult<()> {
    answer.set_item("line", refused.span.line)?;
    answer.set_item("code", refused.error.code())?;
    answer.set_item("message", refused.error.to_string())?;
    answer.set_item("hint", refused.error.hint().unwrap_or_default())
}

/// What the sizes say of these captures.
#[derive(Default)]
struct Applied {
    stated: Stated,
    /// The names that were found.
    used: HashSet<String>,
    /// Names that were found and do not fit, with what is wrong.
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

/// The way itself, the same as a call's as far as types decide.
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
    };
    let begun = Instant::now();
    let mut nest = lowering::specialise(surface, captures, settings)
        .map_err(|e| crate::site::parsed::refused(&e))?;
    let lower = begun.elapsed();
    let lowered = (after == Some("lower")).then(|| nest.to_string());
    fix(&mut nest, stated);
    let fixed = nest.clone();
    let begun = Instant::now();
    pipeline::prepare(&mut nest)?;
    let prove = begun.elapsed();
    let begun = Instant::now();
    drop(pipeline::verdicts(&nest, &options));
    let analyse = begun.elapsed();
    let seconds = [("lower", lower), ("prove", prove), ("analyse", analyse)];
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
        seconds: seconds.map(|(stage, time)| (stage, time.as_secs_f64())),
    })
}

/// Each access in the form that dependences are found by, then what was found.
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

/// The candidates in the order in which they are priced.
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
        let in_step = c.schedule.in_step.iter();
        parts.extend(in_step.map(|id| format!("{id} in step")));
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
