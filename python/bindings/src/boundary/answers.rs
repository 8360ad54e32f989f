//! The answers about a site's text: its hook's interface, the verdicts of its loops, or the reason why there are none.

use std::collections::HashSet;

use nestwise_analysis::explain::{DependenceRecord, LoopRecord, ReductionRecord};
use nestwise_frontend::{Interface, Refusal};
use nestwise_ir::{WithSpan, surface};
use nestwise_runtime::Reason;

use crate::boundary::mapping::Mapping;
use crate::boundary::record;

record! {
    /// Why a loop stays in CPython.
    Refused {
        /// The line in the user's file; 0 where none is known.
        line: u32,
        /// The reason code.
        code: String,
        /// The reason as a sentence.
        message: String,
        /// A hint at what would change it; empty where nothing is known.
        hint: String,
    }
}

impl Refused {
    /// A refusal of the front end.
    pub fn of(refused: &WithSpan<Refusal>) -> Refused {
        Refused {
            line: refused.span.line,
            code: refused.error.code().into(),
            message: refused.error.to_string(),
            hint: refused.error.hint().unwrap_or_default().to_string(),
        }
    }

    /// The refusal for the reason of a later stage; `line` is the site's line, for reasons that have none.
    pub fn because(reason: Reason, line: u32) -> Refused {
        match reason {
            Reason::Refused {
                line,
                code,
                message,
                hint,
                ..
            } => Refused {
                line,
                code: code.to_string(),
                message: message.to_string(),
                hint: hint.unwrap_or_default().to_string(),
            },
            other => Refused {
                line,
                code: other.code().into(),
                message: other.to_string(),
                hint: String::new(),
            },
        }
    }
}

record! {
    /// A part of a site whose results are recorded while the site runs natively.
    Point {
        /// The line of its beginning.
        line: u32,
        /// The column of its beginning, in bytes.
        column: u32,
        /// The line of its end.
        end_line: u32,
        /// The column behind its end, in bytes.
        end_column: u32,
        /// The part is a statement, not an expression.
        statement: bool,
    }
}

record! {
    /// A part of the iterable of a site's own loop that is computed once, for the hook.
    Computed {
        /// Its name among `reads`.
        name: String,
        /// Where it stands in the iterable: the argument of the call there, and so on; empty for the iterable itself.
        place: Vec<u32>,
    }
}

record! {
    /// The interface of a site's hook, or why the loop is not a site; then all other fields are empty.
    Lowered {
        /// Why the loop is not a site.
        refused: Option<Refused>,
        /// Local names that the hook is given the values of.
        reads: Vec<String>,
        /// Local names that the hook always gives a value.
        writes: Vec<String>,
        /// Local names that the hook may give a value.
        maybe: Vec<String>,
        /// The loop may leave the function by `return`.
        returns: bool,
        /// Names that the gate is given the values of, to tell whether a call is worth it.
        sizes: Vec<String>,
        /// The parts whose results are recorded, in their order.
        points: Vec<Point>,
        /// The parts of the iterable that are computed once, in their order.
        computed: Vec<Computed>,
    }
}

impl Point {
    fn of(point: &surface::Point) -> Point {
        Point {
            line: point.start.line,
            column: point.start.column,
            end_line: point.end.line,
            end_column: point.end.column,
            statement: point.statement,
        }
    }
}

impl Lowered {
    /// The interface of a site. `judged`: a gate judges calls by their sizes, so that `sizes` is filled in.
    pub fn of(interface: &Interface, judged: bool, site: &surface::Site) -> Lowered {
        let computed = |part: &surface::Computed| Computed {
            name: site.paths[part.path].name.clone(),
            place: part.place.clone(),
        };
        Lowered {
            refused: None,
            reads: interface.reads.clone(),
            writes: interface.writes.clone(),
            maybe: interface.maybe.clone(),
            returns: interface.returns,
            // Without sizes there is still the gate's switch.
            sizes: if judged {
                interface.sizes.clone()
            } else {
                vec![]
            },
            points: site.points.iter().map(Point::of).collect(),
            computed: site.computed.iter().map(computed).collect(),
        }
    }

    /// The answer for a loop that is not a site.
    pub fn refused(refused: Option<Refused>) -> Lowered {
        Lowered {
            refused,
            reads: vec![],
            writes: vec![],
            maybe: vec![],
            returns: false,
            sizes: vec![],
            points: vec![],
            computed: vec![],
        }
    }
}

record! {
    /// The text of a method of a random number generator, as a function.
    RandomText {
        /// The function's lines.
        text: String,
        /// Its local names.
        local_names: HashSet<String>,
    }
}

record! {
    /// One variable of a reduction.
    Reduction {
        /// The variable's name, as the user wrote it.
        name: String,
        /// How partial results are combined.
        op: &'static str,
    }
}

record! {
    /// A dependence in the words of the source.
    Dependence {
        /// `flow`, `anti` or `output`.
        kind: &'static str,
        /// The array or the variable.
        name: String,
        /// Line of the earlier access.
        source_line: u32,
        /// Line of the later access.
        sink_line: u32,
        /// The direction for each loop around both accesses, outermost first: `<`, `=`, `>` or `*`.
        direction: Vec<String>,
        /// The distance for each loop around both accesses, in iterations; `None` where it is not one number.
        distance: Vec<Option<i64>>,
    }
}

record! {
    /// What one loop may do.
    LoopVerdict {
        /// Line of the `for` or `while`.
        line: u32,
        /// The loop variables as written; empty for `while`.
        var: String,
        /// The number of loops of the nest around this one.
        depth: u32,
        /// `parallel`, `reduction`, `when` or `serial`.
        verdict: &'static str,
        /// How a reduction combines partial results, where one kind of operation does.
        op: Option<&'static str>,
        /// What must hold for a `when` to be parallel.
        condition: Option<String>,
        /// The reason why the loop may do no more than its verdict says.
        because: Option<String>,
        /// A hint at what would change the verdict, where that is known.
        hint: Option<String>,
        /// How many times as fast the nest would be under `--fp fast`.
        gain: Option<f64>,
        /// How many times as fast the nest would be under `--fp faithful`.
        faithful_gain: Option<f64>,
        /// The conditions that the verdict assumes; every launch checks them.
        assumes: Vec<String>,
        /// The variables that are privatised: each iteration has its own copy.
        private: Vec<String>,
        /// The arrays with an anti-dependence copy, made before the loop, that some accesses read.
        copied_before: Vec<String>,
        /// Variables that are combined from partial results.
        reductions: Vec<Reduction>,
        /// The dependences from one iteration to a later one.
        dependences: Vec<Dependence>,
    }
}

impl From<ReductionRecord> for Reduction {
    fn from(r: ReductionRecord) -> Reduction {
        Reduction {
            name: r.name,
            op: r.op,
        }
    }
}

impl From<DependenceRecord> for Dependence {
    fn from(d: DependenceRecord) -> Dependence {
        Dependence {
            kind: d.kind,
            name: d.name,
            source_line: d.source_line,
            sink_line: d.sink_line,
            direction: d.direction,
            distance: d.distance,
        }
    }
}

impl From<LoopRecord> for LoopVerdict {
    fn from(l: LoopRecord) -> LoopVerdict {
        LoopVerdict {
            line: l.line,
            var: l.var,
            depth: l.depth,
            verdict: l.verdict,
            op: l.op,
            condition: l.condition,
            because: l.because,
            hint: l.hint,
            gain: l.gain,
            faithful_gain: l.faithful_gain,
            assumes: l.assumes,
            private: l.private,
            copied_before: l.copied_before,
            reductions: l.reductions.into_iter().map(Reduction::from).collect(),
            dependences: l.dependences.into_iter().map(Dependence::from).collect(),
        }
    }
}

record! {
    /// Seconds spent in the stages of a run that come before any value is known.
    StageSeconds {
        /// Seconds spent in lowering the surface nest to a typed nest.
        lower: f64,
        /// Seconds spent in static proofs.
        prove: f64,
        /// Seconds spent in finding verdicts.
        analyse: f64,
    }
}

record! {
    /// The verdicts of a site's loops, or why there are none.
    Explained {
        /// Why there are no verdicts.
        refused: Option<Refused>,
        /// The descriptions of the types assumed for the site's access paths, by dotted name.
        types: Mapping<String>,
        /// Names of the stated sizes that the site uses.
        used: HashSet<String>,
        /// The stated sizes that do not fit, by name, with what is wrong.
        unfit: Mapping<String>,
        /// The loops, in source order.
        loops: Vec<LoopVerdict>,
        /// The nest after the stage that was asked for, as text.
        stage: Option<String>,
        /// The time that each stage took; `None` where the site was refused.
        seconds: Option<StageSeconds>,
    }
}
