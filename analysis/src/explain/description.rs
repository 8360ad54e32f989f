//! Descriptions of verdicts, as a user reads them.

use nestwise_ir::schedule::{AntiDependenceCopy, RedOp};
use nestwise_ir::{AccessId, ArrayId, LoopId, Nest, VarId};

use crate::dependence::{Dependence, Kind, Property};
use crate::parallelism::verdict::{Analysis, Condition, LoopInfo, Verdict, Why};
use crate::structure::Exit;
use crate::values::condition;
use crate::values::forms::{Form, NestNames};

impl Analysis {
    /// The description of an access: `A[i, j - 1]`.
    pub fn access_text(&self, nest: &Nest, id: AccessId) -> String {
        let names = NestNames {
            nest,
            forms: &self.forms,
        };
        let Some(a) = self.forms.access(id) else {
            return "?".to_string();
        };
        let array = nest.arrays.get(a.array).map_or("?", |d| d.name.as_str());
        let index: Vec<String> = a
            .index
            .iter()
            .map(|f| match f {
                Form::Aff(a) => a.show(&names),
                _ => "?".to_string(),
            })
            .collect();
        format!("{array}[{}]", index.join(", "))
    }

    /// The description of a verdict.
    pub fn explain(&self, nest: &Nest, id: LoopId) -> String {
        let Some(info) = self.loop_info(id) else {
            return "unknown loop".to_string();
        };
        let free = [Some(&info.verdict), info.otherwise.as_ref()];
        let mut told = free.into_iter().flatten();
        if let Some(text) = told.find_map(|v| self.at_once(nest, info, v)) {
            return text;
        }
        match &info.verdict {
            Verdict::Serial(Why::Scalar(v, line)) if info.float_sums.contains(v) => format!(
                "serial: `{}` (assigned on line {line}) adds up floats, whose order counts (--fp fast frees it)",
                var_name(nest, *v)
            ),
            Verdict::Serial(why) => format!("serial: {}", self.why(nest, why)),
            _ => "parallel".to_string(),
        }
    }

    /// How a loop's iterations can run in parallel, and on what condition; `None` if they run in order.
    fn at_once(&self, nest: &Nest, info: &LoopInfo, verdict: &Verdict) -> Option<String> {
        let name = |a: &ArrayId| nest.arrays.get(*a).map_or("?", |d| d.name.as_str());
        let mut parts = vec!["parallel".to_string()];
        let condition = match verdict {
            Verdict::Parallel => None,
            Verdict::Reduction(vars) => {
                parts.extend(combined(nest, vars));
                None
            }
            Verdict::When(c) => Some(self.condition(nest, c)),
            Verdict::Serial(_) => return None,
        };
        let into = |(a, op): &(ArrayId, RedOp)| format!("{} in `{}`", op_name(*op), name(a));
        parts.extend(info.array_reductions.iter().map(into));
        let copied = info.private_arrays.iter();
        parts.extend(copied.map(|a| format!("copies of `{}`", name(a))));
        let before = |r: &AntiDependenceCopy| {
            format!("reading `{}` as it was before the loop", name(&r.array))
        };
        parts.extend(info.anti_dependence_copies.iter().map(before));
        let along = info.carried.iter().map(|v| var_name(nest, *v));
        parts.extend(along.map(|v| format!("`{v}` computed from its counter")));
        let comma = if parts.len() > 1 { "," } else { "" };
        let text = parts.join(", ");
        Some(match condition {
            Some(condition) => format!("{text}{comma} if {condition}"),
            None => text,
        })
    }

    /// The description of a condition.
    pub fn condition(&self, nest: &Nest, c: &Condition) -> String {
        let names = NestNames {
            nest,
            forms: &self.forms,
        };
        let mut parts = vec![];
        if !c.absent.is_empty() {
            parts.push(condition::none_holds(&c.absent, &names));
        }
        for (array, property) in &c.elements {
            let name = nest.arrays.get(*array).map_or("?", |d| d.name.as_str());
            parts.push(match property {
                Property::Distinct => format!("len(set({name})) == len({name})"),
                Property::Sorted => format!("sorted({name}) == list({name})"),
            });
        }
        let mut texts: Vec<String> = vec![];
        for id in &c.in_bounds {
            let text = format!("`{}`", self.access_text(nest, *id));
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts.truncate(4);
        if !texts.is_empty() {
            parts.push(format!("in bounds: {}", texts.join(", ")));
        }
        parts.join(", and ")
    }

    /// The description of a reason.
    pub fn why(&self, nest: &Nest, why: &Why) -> String {
        match why {
            Why::While => {
                "a `while` loop decides after each iteration whether there is another".into()
            }
            Why::Exit(Exit::Break, line) => format!("it may be left early on line {line}"),
            Why::Exit(Exit::Return, line) => format!("it may return on line {line}"),
            Why::Scalar(v, line) => format!(
                "`{}` (assigned on line {line}) carries its value from one iteration to the next",
                var_name(nest, *v)
            ),
            Why::HostCall(line) => format!("CPython is called on line {line}"),
            Why::Rebind(line) => format!("its iterations swap arrays on line {line}"),
            Why::Overlap(a, b) => {
                let name = |a: &ArrayId| nest.arrays.get(*a).map_or("?", |d| d.name.as_str());
                format!("`{}` and `{}` may overlap in memory", name(a), name(b))
            }
            Why::Budget => "there are too many pairs of accesses to look at all of them".into(),
            Why::Dependence(d) => self.dependence_text(nest, d),
        }
    }

    fn dependence_text(&self, nest: &Nest, d: &Dependence) -> String {
        let line = |a: AccessId| nest.accesses.get(a).map_or(0, |a| a.span.line);
        let (src, dst) = (self.access_text(nest, d.src), self.access_text(nest, d.dst));
        let (did, does) = match d.kind {
            Kind::Flow => ("written", "read"),
            Kind::Anti => ("read", "written"),
            Kind::Output => ("written", "written"),
        };
        let at = d.loops.iter().position(|l| Some(*l) == d.carrier);
        let carrier = d.carrier.and_then(|id| nest.loops.get(id));
        let name = carrier.map_or("the loop", |l| l.name.as_str());
        let n = at.and_then(|i| d.distance.get(i).copied().flatten());
        let later = match n {
            Some(1) => format!("in the next iteration of `{name}`"),
            Some(n) if n > 1 => format!("{n} iterations of `{name}` later"),
            _ => format!("in a later iteration of `{name}`"),
        };
        format!(
            "an element {did} as `{src}` (line {}) may be {does} as `{dst}` (line {}) {later}",
            line(d.src),
            line(d.dst)
        )
    }
}

/// The operations by which variables are combined, as words; variables without a name are left out.
fn combined(nest: &Nest, vars: &[(VarId, RedOp)]) -> Vec<String> {
    let name = |v: VarId| nest.vars.get(v).map_or("", |d| d.name.as_str());
    let mut parts: Vec<String> = vec![];
    for (v, op) in vars
        .iter()
        .filter(|(v, op)| !name(*v).is_empty() && !matches!(op, RedOp::Along(_) | RedOp::Last))
    {
        let along = vars
            .iter()
            .filter(|r| r.1 == RedOp::Along(*v))
            .map(|r| name(r.0));
        let with: Vec<String> = along
            .filter(|n| !n.is_empty() && *n != name(*v))
            .map(|n| format!("`{n}`"))
            .collect();
        let with = match with.is_empty() {
            true => String::new(),
            false => format!(" with {}", with.join(" and ")),
        };
        parts.push(format!("{} of `{}`{with}", op_name(*op), name(*v)));
    }
    parts
}

fn var_name(nest: &Nest, v: VarId) -> String {
    let name = nest
        .vars
        .get(v)
        .map(|d| d.name.clone())
        .filter(|n| !n.is_empty());
    name.unwrap_or_else(|| "a temporary".to_string())
}

fn op_name(op: RedOp) -> &'static str {
    match op {
        RedOp::Add => "sum",
        RedOp::Mul => "product",
        RedOp::Min => "minimum",
        RedOp::Max => "maximum",
        RedOp::And => "conjunction",
        RedOp::Or => "disjunction",
        RedOp::Xor => "exclusive or",
        RedOp::Along(_) => "position",
        RedOp::Last => "last value",
    }
}
