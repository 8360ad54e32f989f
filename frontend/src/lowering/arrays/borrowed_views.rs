//! Names of parts of arrays that the nest makes: `d = x - x[i]; dx = d[:, 0]`.
//!
//! Such a name stands for elements of the memory that the array lies in, as long as that is the array: when another one is made
//! there, the name goes on to have what CPython has kept for it, and the nest has not. So a flag says whether that has happened since
//! the name was given its part. A read is an event then, and so is the end of an iteration of the top loop with a name that somebody
//! may look at behind the nest; there it becomes a part of the object that the array becomes.
//!
//! The array's name may begin with an array from outside, of which its memory is a copy. Another flag says whether the part is of that
//! one: a store through it is an event then, and behind the nest it is a part of that. An array with parts has no second name.

use nestwise_ir::model::liveout::SameAs;
use nestwise_ir::{Span, Ty, UnOp, VarId};

use crate::lowering::arrays::alias::Flag;
use crate::lowering::arrays::elementwise::unsupported;
use crate::lowering::lower::Lower;
use crate::lowering::types::live_ranges::WebId;
use crate::lowering::{R, build};

impl Lower<'_> {
    /// A web is given a part of what the owner has made.
    pub fn borrow_part(&mut self, web: WebId, owner: WebId, span: Span) -> R<()> {
        self.check_alone(owner, span)?;
        self.facts.changed |= self.facts.borrowed.insert((web, owner));
        // What the array is as long as is asked for when it becomes an object.
        self.facts.demand(owner, |f| &mut f.needs_var);
        if self.starts(owner).is_some() {
            let left = self.name_flag(Flag::Left(self.webs.local[owner]));
            let left = build::var(left, Ty::PY_BOOL, span);
            let flag = self.name_flag(Flag::OfEntry(web));
            self.emit_let(flag, build::unary(UnOp::Not, left, Ty::PY_BOOL, false));
        }
        Ok(())
    }

    /// An array of which there are parts has one name, or its name has nothing but arrays that lie there: flags tell of names what
    /// objects they hold, not of what parts are of.
    pub fn check_alone(&self, owner: WebId, span: Span) -> R<()> {
        let name = self.webs.local[owner];
        let webs = self.webs.local.iter().zip(&self.facts.webs);
        let places = webs.filter(|(local, fact)| **local == name && fact.made.is_some());
        // Given to itself, it has other memory.
        let again = self.names(name).len() > 1 && places.count() > 1
            || self.facts.aliases.contains(&(name, name));
        match again && !self.borrowers(owner).is_empty() {
            true => Err(unsupported(
                "a name of a part of an array that has several names",
                span,
            )),
            false => Ok(()),
        }
    }

    /// The array from outside that a web's name begins with.
    fn starts(&self, owner: WebId) -> Option<u32> {
        let made = self.facts.webs[owner].made.as_ref();
        made.and_then(|made| made.starts)
    }

    /// The webs of names of parts of what one has made.
    fn borrowers(&self, owner: WebId) -> Vec<WebId> {
        let borrowed = self.facts.borrowed.iter();
        let own = borrowed.filter(|(_, of)| *of == owner);
        own.map(|(web, _)| *web).collect()
    }

    /// Before a store into what a web has made: no name has it as a part of what is outside.
    pub fn check_no_part_of_entry(&mut self, owner: WebId, span: Span) {
        if self.starts(owner).is_some() {
            for web in self.borrowers(owner) {
                let flag = build::var(self.name_flag(Flag::OfEntry(web)), Ty::PY_BOOL, span);
                self.emit_check(build::unary(UnOp::Not, flag, Ty::PY_BOOL, false));
            }
        }
    }

    /// What the object may be that a part is of.
    pub fn parts_objects(&mut self, web: WebId, owner: WebId) -> Vec<(VarId, SameAs)> {
        let entry = self.starts(owner).map(SameAs::Entry);
        let entry = entry.map(|entry| (self.name_flag(Flag::OfEntry(web)), entry));
        entry.into_iter().chain(self.same_objects(owner)).collect()
    }

    pub fn is_borrowed(&self, web: WebId, owner: WebId) -> bool {
        self.facts.borrowed.contains(&(web, owner))
    }

    fn borrows(&self, web: WebId) -> bool {
        self.facts.borrowed.iter().any(|(name, _)| *name == web)
    }

    /// A web was given its part.
    pub fn part_is_there(&mut self, web: WebId, span: Span) {
        if self.borrows(web) {
            self.set_gone(web, false, span);
            self.there.insert(web);
            self.gone.remove(&web);
        }
    }

    /// Another array is made where parts were of.
    pub fn parts_are_gone(&mut self, owner: WebId, span: Span) {
        for web in self.borrowers(owner) {
            self.set_gone(web, true, span);
            self.there.remove(&web);
            self.gone.insert(web);
            self.lost.push(web);
            if self.starts(owner).is_some() {
                let flag = self.name_flag(Flag::OfEntry(web));
                self.emit_let(flag, build::boolean(false, Ty::PY_BOOL, span));
            }
        }
    }

    fn set_gone(&mut self, web: WebId, gone: bool, span: Span) {
        let flag = self.name_flag(Flag::Gone(web));
        self.emit_let(flag, build::boolean(gone, Ty::PY_BOOL, span));
    }

    /// Before a name is read: it has its part. Where that was given to it a few statements before, and nothing made since, nothing
    /// needs to ask.
    pub fn check_part_is_there(&mut self, web: WebId, span: Span) {
        if self.borrows(web) && !self.there.contains(&web) {
            self.check_not_gone(web, span);
        }
    }

    fn check_not_gone(&mut self, web: WebId, span: Span) {
        let gone = build::var(self.name_flag(Flag::Gone(web)), Ty::PY_BOOL, span);
        self.emit_check(build::unary(UnOp::Not, gone, Ty::PY_BOOL, false));
    }

    /// Before an iteration of the top loop ends: names that somebody may look at afterwards have their parts.
    pub fn check_parts_left(&mut self, span: Span) -> R<()> {
        let borrowed: Vec<WebId> = self.facts.borrowed.iter().map(|(web, _)| *web).collect();
        for web in borrowed {
            let place = self.hir.locals.get(self.webs.local[web]);
            let exits = self.webs.exit.get(self.webs.local[web]);
            let last = exits.is_some_and(|defs| {
                defs.iter()
                    .any(|def| self.webs.of_def.get(*def) == Some(&web))
            });
            if place.is_some_and(|l| l.place.is_some()) && last {
                if self.gone.contains(&web) {
                    let what = "a name of a part of an array that the loop makes anew behind it";
                    return Err(unsupported(what, span));
                }
                self.check_part_is_there(web, span);
            }
        }
        Ok(())
    }
}
