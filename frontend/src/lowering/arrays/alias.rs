//! Second names of arrays that operations make: `x = x_new`, `before = x`.
//!
//! The second name gets a copy. Two things tell that from one object with two names: a store into it through one of them, and
//! what the names hold afterwards. So a flag for each two names that may have one object says whether they do. A store into an
//! array that has two names is an event, and behind the nest both are bound to one object.

use std::collections::BTreeSet;

use nestwise_ir::model::liveout::SameAs;
use nestwise_ir::{ArrayId, Expr, Span, Ty, UnOp, VarId};

use crate::lowering::arrays::elementwise::{Elementwise, Node, unsupported};
use crate::lowering::arrays::view::Section;
use crate::lowering::hir::LocalId;
use crate::lowering::lower::Lower;
use crate::lowering::types::live_ranges::WebId;
use crate::lowering::{R, build};

/// Names of one array whose flags are kept, at most.
const MAX_NAMES: usize = 4;

/// What a bool variable says, at run time, of the objects that names of arrays hold.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Flag {
    /// Two names hold one object.
    Same(LocalId, LocalId),
    /// A name holds what another one held at entry.
    Entry(LocalId, LocalId),
    /// A name no longer holds what it held at entry.
    Left(LocalId),
    /// A web's name holds a part of an array that is no more: another one was made where that was.
    Gone(WebId),
    /// A web's name holds a part of what the array's name held at entry.
    OfEntry(WebId),
    /// A web's name holds a view of an array as large that nothing names.
    Viewed(WebId),
}

impl Lower<'_> {
    /// Names that may hold one object with another one, which is the first of them.
    pub fn names(&self, name: LocalId) -> Vec<LocalId> {
        let mut names = vec![name];
        let mut known = 0;
        while let Some(of) = names.get(known).copied() {
            known += 1;
            for (a, b) in &self.facts.aliases {
                let other = if *a == of { *b } else { *a };
                if (*a == of || *b == of) && !names.contains(&other) {
                    names.push(other);
                }
            }
        }
        names
    }

    /// Those of them that hold arrays from outside at first, with the captures.
    pub fn starting(&self, names: &[LocalId]) -> Vec<(LocalId, u32)> {
        let webs = self.webs.local.iter().zip(&self.facts.webs);
        let starts = webs.filter_map(|(name, fact)| Some((*name, fact.made.as_ref()?.starts?)));
        starts.filter(|(name, _)| names.contains(name)).collect()
    }

    pub fn name_flag(&mut self, flag: Flag) -> VarId {
        if let Some(var) = self.name_flags.get(&flag) {
            return *var;
        }
        let var = self.hidden(Ty::PY_BOOL);
        self.name_flags.insert(flag, var);
        var
    }

    fn same(&mut self, a: LocalId, b: LocalId) -> VarId {
        self.name_flag(Flag::Same(a.min(b), a.max(b)))
    }

    /// `name = other`, of an array that `owner` has made, or holds at first.
    pub fn name_again(
        &mut self,
        web: WebId,
        owner: WebId,
        tree: &Elementwise,
        span: Span,
    ) -> R<Option<Section>> {
        let (name, other) = (self.webs.local[web], self.webs.local[owner]);
        self.facts.changed |= self.facts.aliases.insert((name, other));
        for web in [web, owner] {
            self.check_alone(web, span)?;
        }
        let names = self.names(name);
        if names.len() > MAX_NAMES {
            return Err(unsupported("so many names of one array", span));
        }
        if name == other && (names.len() > 1 || self.facts.borrowed.iter().any(|b| b.1 == owner)) {
            // It would count as an array of its own.
            return Err(unsupported("a name that is assigned what it holds", span));
        }
        let Some(section) = self.make(web, tree, span)? else {
            return Ok(None);
        };
        if name == other {
            return Ok(Some(section));
        }
        let read = |var| build::var(var, Ty::PY_BOOL, span);
        if self.facts.webs[owner].viewed {
            let viewed = read(self.name_flag(Flag::Viewed(owner)));
            self.note_viewed(web, Some(viewed), span);
        }
        for third in &names[1..] {
            let now = match *third == other {
                true => build::boolean(true, Ty::PY_BOOL, span),
                false => read(self.same(other, *third)),
            };
            let flag = self.same(name, *third);
            self.emit_let(flag, now);
        }
        for (first, _) in self.starting(&names) {
            let mut now = read(self.name_flag(Flag::Entry(other, first)));
            if first == other {
                let left = read(self.name_flag(Flag::Left(other)));
                now = build::or(now, build::unary(UnOp::Not, left, Ty::PY_BOOL, false));
            }
            let flag = self.name_flag(Flag::Entry(name, first));
            self.emit_let(flag, now);
        }
        Ok(Some(section))
    }

    /// Notes whether a web's name holds a view, if it ever does (none: it does not).
    pub fn note_viewed(&mut self, web: WebId, viewed: Option<Expr>, span: Span) {
        let known = self.facts.webs[web].viewed;
        if viewed.is_some() && !known {
            self.facts.webs[web].viewed = true;
            self.facts.changed = true;
        }
        if viewed.is_some() || known {
            let no = build::boolean(false, Ty::PY_BOOL, span);
            let flag = self.name_flag(Flag::Viewed(web));
            self.emit_let(flag, viewed.unwrap_or(no));
        }
    }

    /// The flag that tells whether a web's name holds a view, if it ever does.
    pub fn viewed(&mut self, web: WebId) -> Option<VarId> {
        let ever = self.facts.webs[web].viewed;
        ever.then(|| self.name_flag(Flag::Viewed(web)))
    }

    /// A web's name holds a new array.
    pub fn made_anew(&mut self, web: WebId, span: Span) {
        self.parts_are_gone(web, span);
        let name = self.webs.local[web];
        let names = self.names(name);
        let mut borrowed = self.facts.borrowed.iter();
        let is_asked_for = self.facts.updated.contains(&name)
            || borrowed.any(|(_, owner)| self.webs.local[*owner] == name);
        if names.len() == 1 && is_asked_for {
            let left = self.name_flag(Flag::Left(name));
            self.emit_let(left, build::boolean(true, Ty::PY_BOOL, span));
        }
        if names.len() == 1 {
            return;
        }
        let no = || build::boolean(false, Ty::PY_BOOL, span);
        for other in &names[1..] {
            let flag = self.same(name, *other);
            self.emit_let(flag, no());
        }
        for (first, _) in self.starting(&names) {
            let flag = self.name_flag(Flag::Entry(name, first));
            self.emit_let(flag, no());
            if first == name {
                let left = self.name_flag(Flag::Left(name));
                self.emit_let(left, build::boolean(true, Ty::PY_BOOL, span));
            }
        }
    }

    /// What is stored into was made since, where its name held an array from outside at first: others may have that.
    pub fn check_left(&mut self, array: ArrayId, span: Span) {
        let Some(owner) = self.owner(array) else {
            return;
        };
        let name = self.webs.local[owner];
        self.facts.changed |= self.facts.updated.insert(name);
        let left = self.name_flag(Flag::Left(name));
        self.emit_check(build::var(left, Ty::PY_BOOL, span));
    }

    /// What is stored into has one name, and is no array from outside that another name held at first.
    pub fn check_one_name(&mut self, array: ArrayId, span: Span) {
        let Some(owner) = self.owner(array) else {
            return;
        };
        self.check_no_part_of_entry(owner, span);
        let names = self.names(self.webs.local[owner]);
        for other in &names[1..] {
            let flag = build::var(self.same(names[0], *other), Ty::PY_BOOL, span);
            self.emit_check(build::unary(UnOp::Not, flag, Ty::PY_BOOL, false));
        }
        if names.len() > 1 {
            for (first, _) in self.starting(&names) {
                let flag = self.name_flag(Flag::Entry(names[0], first));
                let flag = build::var(flag, Ty::PY_BOOL, span);
                self.emit_check(build::unary(UnOp::Not, flag, Ty::PY_BOOL, false));
            }
        }
    }

    /// The web whose assignments make the arrays that lie there.
    pub fn owner(&self, array: ArrayId) -> Option<WebId> {
        let mut made = self.made.iter();
        made.find(|(_, own)| **own == array).map(|(web, _)| *web)
    }

    /// Whether no name but some may hold the array.
    pub fn is_named_by(&self, tree: &Elementwise, own: &[LocalId]) -> bool {
        let owner = match &tree.node {
            Node::Part(section) => self.owner(section.array),
            _ => None,
        };
        let Some(owner) = owner else { return true };
        self.names(self.webs.local[owner])
            .iter()
            .all(|name| own.contains(name))
    }

    /// What else may be the object that a web's name holds at the end, by flags.
    pub fn same_objects(&mut self, web: WebId) -> Vec<(VarId, SameAs)> {
        let names = self.names(self.webs.local[web]);
        let mut all = vec![];
        for other in &names[1..] {
            let flag = self.same(names[0], *other);
            let webs = &self.webs.local;
            let made = self.made.iter().filter(|(web, _)| webs[**web] == *other);
            // In an order of their own, or each run would have another nest.
            let arrays: BTreeSet<ArrayId> = made.map(|(_, array)| *array).collect();
            all.extend(arrays.into_iter().map(|array| (flag, SameAs::Made(array))));
        }
        if names.len() > 1 {
            for (first, capture) in self.starting(&names) {
                all.push((
                    self.name_flag(Flag::Entry(names[0], first)),
                    SameAs::Entry(capture),
                ));
            }
        }
        all
    }
}
