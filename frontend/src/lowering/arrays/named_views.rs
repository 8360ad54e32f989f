//! Names of parts of arrays (`column = A[:, k]`), and of arrays that are made (`d = A[i] - A[j]`).
//!
//! A part's name stands for the array and the numbers that say which part it is. An array that is made has memory of
//! its own for each web, which the next assignment writes anew: another name of all of it gets a copy ([`crate::lowering::arrays::alias`]), one of a
//! part borrows that memory ([`crate::lowering::arrays::borrowed_views`]).

use nestwise_ir::model::liveout::MadeArray;
use nestwise_ir::model::nest::{Expr, PartAxis};
use nestwise_ir::{ArrayKind, LiveOutKind, Span, Ty, VarId};

use crate::lowering::arrays::elementwise::{Elementwise, Node, unsupported};
use crate::lowering::arrays::view::{Axis, Section};
use crate::lowering::hir::Def;
use crate::lowering::lower::{Lower, Subst};
use crate::lowering::types::facts::{PartFact, Source};
use crate::lowering::types::live_ranges::WebId;
use crate::lowering::value::{Val, View};
use crate::lowering::{R, build, refuse};
use crate::refusal::Refusal;

/// For each axis the step of a range, or none for one place.
fn pattern(section: &Section) -> Vec<Option<i64>> {
    let step = |axis: &Axis| match axis {
        Axis::At(_) | Axis::New => None,
        Axis::Range { step, .. } => Some(*step),
    };
    section.axes.iter().map(step).collect()
}

/// The numbers that say which part it is.
pub(crate) fn numbers(section: &Section) -> Vec<Expr> {
    let of = |axis: &Axis| match axis {
        Axis::At(e) => vec![e.clone()],
        Axis::New => vec![],
        Axis::Range { start, len, .. } => vec![start.clone(), len.clone()],
    };
    section.axes.iter().flat_map(of).collect()
}

/// The part that these numbers say.
fn from_numbers(like: &Section, numbers: &[Expr]) -> Section {
    let mut numbers = numbers.iter().cloned();
    let mut next = || {
        numbers
            .next()
            .unwrap_or_else(|| Expr::int(0, Span::default()))
    };
    let axis = |axis: &Axis| match axis {
        Axis::At(_) => Axis::At(next()),
        Axis::New => Axis::New,
        Axis::Range { step, .. } => Axis::Range {
            start: next(),
            len: next(),
            step: *step,
        },
    };
    Section {
        axes: like.axes.iter().map(axis).collect(),
        ..*like
    }
}

/// What a name is given.
enum Named {
    /// A part of what another has.
    As(Source),
    /// All of the array that a web's assignments have made.
    Again(WebId),
}

impl Lower<'_> {
    /// Assigns a part of an array, or an array that is computed, to a local.
    pub fn assign_array(&mut self, def: Def, web: WebId, tree: Elementwise, span: Span) -> R<()> {
        let (source, section) = match tree.part() {
            Some(section) if section.has_new_axes() => {
                return Err(unsupported("a name of an array with a new axis", span));
            }
            Some(section) => match self.source_of(section, def, web, tree.whole, span)? {
                Named::As(source) => {
                    if !tree.whole {
                        self.facts.demand(web, |f| &mut f.parted);
                    }
                    (source, section.clone())
                }
                Named::Again(owner) => match self.name_again(web, owner, &tree, span)? {
                    Some(section) => (Source::Made(web), section),
                    None => return Ok(()),
                },
            },
            None => match self.make(web, &tree, span)? {
                Some(section) => (Source::Made(web), section),
                None => return Ok(()),
            },
        };
        self.assign_part(def, web, source, section, span)
    }

    /// Assigns a new list to a local.
    pub fn assign_list(&mut self, def: Def, web: WebId, list: Elementwise, span: Span) -> R<()> {
        match self.make_list(web, &list, span)? {
            Some(section) => self.assign_part(def, web, Source::Made(web), section, span),
            None => Ok(()),
        }
    }

    fn assign_part(
        &mut self,
        def: Def,
        web: WebId,
        source: Source,
        section: Section,
        span: Span,
    ) -> R<()> {
        let part = PartFact {
            source,
            axes: pattern(&section),
        };
        let fact = &mut self.facts.webs[web];
        match &fact.part {
            None => {
                fact.part = Some(part);
                self.facts.changed = true;
            }
            Some(before) if *before == part => {}
            Some(_) => return Err(self.type_changes(web, span)),
        }
        let fact = &self.facts.webs[web];
        if !fact.kinds.is_empty() || (fact.view.is_some() && !fact.carries()) {
            return Err(self.type_changes(web, span));
        }
        self.name_part(def, web, section, span)
    }

    /// Whether a web that is assigned an array from outside has had another one, or arrays that the nest makes. The name of the array
    /// may turn out to become one of those, too.
    pub fn may_become_made(&self, web: WebId, view: &View) -> bool {
        let fact = &self.facts.webs[web];
        let whole = view.index.is_empty() && self.arrays[view.array].kind == ArrayKind::Ndarray;
        let other = matches!(fact.view, Some((capture, 0)) if capture != view.capture);
        whole && fact.kinds.is_empty() && (other || fact.made.is_some())
    }

    /// Assigns an array from outside as a copy: refused in the end, if it is still one then.
    pub fn assign_from_outside(&mut self, def: Def, web: WebId, view: View, span: Span) -> R<()> {
        self.outside.get_or_insert((web, span));
        let tree = self.operand(Val::View(view), span)?;
        match self.make(web, &tree, span)? {
            Some(section) => self.assign_part(def, web, Source::Made(web), section, span),
            None => Ok(()),
        }
    }

    /// Whose array a part is of, or all of one. Memory of the nest's own has one name.
    fn source_of(
        &mut self,
        section: &Section,
        def: Def,
        web: WebId,
        whole: bool,
        span: Span,
    ) -> R<Named> {
        if self.arrays[section.array].kind != ArrayKind::Scratch {
            return Ok(Named::As(Source::Capture(section.capture)));
        }
        match self.owner(section.array) {
            Some(owner) if !whole && owner != web => {
                self.borrow_part(web, owner, span)?;
                Ok(Named::As(Source::Made(owner)))
            }
            Some(owner) if self.takes_over.contains(&def.def) => {
                if owner != web && self.webs.entry[web].is_some() {
                    self.facts.join.get_or_insert(def.local);
                }
                Ok(Named::As(Source::Made(owner)))
            }
            Some(owner) if self.returns_own(def, owner) => Ok(Named::As(Source::Made(owner))),
            Some(owner) if owner == web && whole => Ok(Named::As(Source::Made(web))),
            Some(owner) if whole => Ok(Named::Again(owner)),
            _ => {
                let what = "a name of a part of an array that the loop makes".into();
                Err(refuse(span, Refusal::Unsupported { what }))
            }
        }
    }

    /// Whether a call returns an array that it has made: its own name of that is gone then.
    fn returns_own(&self, def: Def, owner: WebId) -> bool {
        let local = self.webs.local.get(owner);
        self.open_calls.last().is_some_and(|(results, own)| {
            results.contains(&def.local) && local.is_some_and(|l| own.contains(l))
        })
    }

    /// Whether a call's result is an array that the call has made: nobody else has it.
    pub fn is_own_result(&self, tree: &Elementwise) -> bool {
        let Node::Part(section) = &tree.node else {
            return false;
        };
        self.arrays[section.array].kind == ArrayKind::Scratch
    }

    fn name_part(&mut self, def: Def, web: WebId, section: Section, span: Span) -> R<()> {
        let observed = self.observed(def);
        let alone = self.alone(def.def, web);
        let before = numbers(&section);
        let stable = before.iter().all(|e| self.is_stable(e, 8));
        let needs_var = self.facts.webs[web].needs_var;
        let mut section = section;
        if observed || needs_var || !(alone && stable) {
            let vars = self.web_view_vars(web, before.len());
            // They may be computed from the very variables being assigned.
            let before: Vec<Expr> = before.into_iter().map(|e| self.spill(e)).collect();
            for (var, e) in vars.iter().zip(before) {
                self.emit_let(*var, e);
                if alone {
                    self.stable.push(*var);
                }
            }
            if !(alone && stable) {
                section = from_numbers(&section, &self.read_vars(&vars, span));
            }
        }
        if observed {
            self.observe_part(def, web, &section, span)?;
        }
        if alone {
            self.substs.push((web, Subst::Part(section)));
        }
        self.part_is_there(web, span);
        Ok(())
    }

    fn read_vars(&self, vars: &[VarId], span: Span) -> Vec<Expr> {
        let read = |v: &VarId| build::var(*v, Ty::PY_INT, span);
        vars.iter().map(read).collect()
    }

    /// What a name of a part stands for.
    pub fn read_part(
        &mut self,
        web: WebId,
        part: &PartFact,
        subst: Option<Subst>,
        stale: bool,
        span: Span,
    ) -> R<Elementwise> {
        if let Source::Capture(capture) = part.source
            && stale
            && self.trades_places(capture)
        {
            let what = format!("{} across a swap of arrays", self.web_name(web));
            return Err(refuse(span, Refusal::Unsupported { what }));
        }
        self.check_part_is_there(web, span);
        let whole = matches!(part.source, Source::Made(_)) && !self.facts.webs[web].parted;
        let of = |l: &Self, section| Elementwise {
            whole,
            ..Elementwise::of(section, &l.arrays)
        };
        if let Some(Subst::Part(section)) = subst {
            return Ok(of(self, section));
        }
        let (capture, array) = self.array_of(part.source, span)?;
        if let (Source::Made(owner), Some(made)) = (part.source, self.facts.webs[web].made.clone())
            && made.starts.is_some()
            && owner == web
        {
            // Of one shape from the beginning to the end.
            let whole = self.all_of(array, span)?;
            return Ok(of(self, whole));
        }
        self.facts.demand(web, |f| &mut f.needs_var);
        let zero = || Expr::int(0, span);
        let axis = |step: &Option<i64>| match step {
            None => Axis::At(zero()),
            Some(step) => Axis::Range {
                start: zero(),
                len: zero(),
                step: *step,
            },
        };
        let like = Section {
            capture,
            array,
            axes: part.axes.iter().map(axis).collect(),
        };
        let vars = self.web_view_vars(web, numbers(&like).len());
        let section = from_numbers(&like, &self.read_vars(&vars, span));
        Ok(of(self, section))
    }

    fn array_of(&mut self, source: Source, span: Span) -> R<(u32, nestwise_ir::ArrayId)> {
        match source {
            Source::Capture(capture) => Ok((capture, self.slot(capture, span)?)),
            Source::Made(web) => match self.made_array(web, span)? {
                Some((array, _)) => Ok((self.arrays[array].capture, array)),
                None => Err(refuse(
                    span,
                    Refusal::Internal {
                        message: "an array that nothing makes".into(),
                    },
                )),
            },
        }
    }

    /// How a web's part is written back.
    pub fn part_out(&mut self, web: WebId, span: Span) -> R<Option<LiveOutKind>> {
        let Some(part) = self.facts.webs[web].part.clone() else {
            return Ok(None);
        };
        let (_, array) = self.array_of(part.source, span)?;
        let count = part.axes.iter().map(|a| 1 + usize::from(a.is_some())).sum();
        let mut vars = self.web_view_vars(web, count).into_iter();
        let mut next = || vars.next().unwrap_or(VarId(0));
        let axis = |step: &Option<i64>| match step {
            None => PartAxis::At(next()),
            Some(step) => PartAxis::Range {
                start: next(),
                len: next(),
                step: *step,
            },
        };
        let axes: Vec<PartAxis> = part.axes.iter().map(axis).collect();
        Ok(Some(match part.source {
            Source::Capture(_) => LiveOutKind::Part(array, axes),
            Source::Made(owner) if self.is_borrowed(web, owner) => {
                let rank = self.arrays[array].rank as usize;
                let own = self.web_view_vars(owner, 2 * rank);
                let lens = own.chunks(2).filter_map(|axis| axis.last().copied());
                let made = MadeArray {
                    array,
                    lens: lens.collect(),
                    same: self.parts_objects(web, owner),
                    viewed: self.viewed(owner),
                };
                LiveOutKind::MadePart(made, axes)
            }
            Source::Made(owner) => {
                let len = |axis: &PartAxis| match axis {
                    PartAxis::Range { len, .. } => Some(*len),
                    PartAxis::At(_) => None,
                };
                LiveOutKind::Made(MadeArray {
                    array,
                    lens: axes.iter().filter_map(len).collect(),
                    same: self.same_objects(web),
                    viewed: self.viewed(owner),
                })
            }
        }))
    }
}
