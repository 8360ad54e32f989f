//! Reads statements.

use std::collections::BTreeMap;

use crate::model::ids::{AccessId, LoopId, ScopeId};
use crate::model::nest::{Access, For, LoopDecl, Stmt, StmtKind, While};
use crate::model::span::Span;
use crate::text::cursor::{Cursor, Read};
use crate::text::lines::{Line, Lines};
use crate::text::types::Declared;

/// The deepest nesting of blocks.
const DEPTH: usize = 300;

/// Reads blocks, and declares the loops and accesses that stand in them.
pub(super) struct Blocks<'a, 'b> {
    pub(super) declared: Declared<'b>,
    pub(super) lines: &'b mut Lines<'a>,
    pub(super) loops: BTreeMap<LoopId, LoopDecl>,
    pub(super) accesses: BTreeMap<AccessId, Access>,
    /// One more than the largest number of a scope.
    pub(super) scopes: u32,
    /// The loops around the current statement.
    pub(super) open: Vec<LoopId>,
}

impl<'a> Blocks<'a, '_> {
    /// Reads the statements with an indentation of `level`.
    pub(super) fn block(&mut self, level: usize) -> Read<Vec<Stmt>> {
        let mut all = vec![];
        while let Some(line) = self.lines.peek() {
            if line.level < level {
                break;
            }
            if line.level > level || level > DEPTH {
                return Cursor::of(line).expected(format!("a statement {} spaces deep", 2 * level));
            }
            self.lines.next();
            all.push(self.stmt(line)?);
        }
        Ok(all)
    }

    fn stmt(&mut self, line: Line<'a>) -> Read<Stmt> {
        let mut c = Cursor::of(line);
        let span = c.span();
        let kind = self.kind(line, &mut c)?;
        let s = Stmt { kind, span };
        self.declare_accesses(&s, line)?;
        Ok(s)
    }

    fn kind(&mut self, line: Line<'a>, c: &mut Cursor<'a>) -> Read<StmtKind> {
        let (declared, inner) = (self.declared, line.level + 1);
        if c.peek_id("v").is_some() {
            let var = c.var()?;
            c.expect("=")?;
            let value = c.expr(declared)?;
            c.done()?;
            return Ok(StmtKind::Let { var, value });
        }
        if c.peek_id("x").is_some() {
            let (access, array, index, guard) = c.element(declared)?;
            c.expect("=")?;
            let value = c.expr(declared)?;
            c.done()?;
            return Ok(StmtKind::Store {
                access,
                array,
                index,
                value,
                guard,
            });
        }
        if c.peek_id("L").is_some() {
            return self.a_loop(line, c);
        }
        let word = c.peek();
        let known = [
            "rebind", "if", "break", "continue", "scope", "leave", "return", "check", "eval",
        ];
        if !known.contains(&word) {
            return c.expected("a statement");
        }
        c.eat_word(word);
        Ok(match word {
            "rebind" => {
                let pairs = c.items(|c| {
                    let dst = c.array()?;
                    c.expect("=")?;
                    Ok((dst, c.array()?))
                })?;
                c.done()?;
                StmtKind::Rebind(pairs)
            }
            "if" => {
                let cond = c.expr(declared)?;
                c.done()?;
                let then = self.block(inner)?;
                let orelse = match self.lines.peek() {
                    Some(next) if next.level == line.level && next.text.trim() == "else" => {
                        self.lines.next();
                        self.block(inner)?
                    }
                    _ => vec![],
                };
                StmtKind::If { cond, then, orelse }
            }
            "break" | "continue" => {
                let id = c.loop_id()?;
                c.done()?;
                match word {
                    "break" => StmtKind::Break(id),
                    _ => StmtKind::Continue(id),
                }
            }
            "scope" => {
                let id = c.id("s", "a scope").map(ScopeId)?;
                c.done()?;
                self.scopes = self.scopes.max(id.0.saturating_add(1));
                let body = self.block(inner)?;
                StmtKind::Scope { id, body }
            }
            "leave" => {
                let id = c.id("s", "a scope").map(ScopeId)?;
                c.done()?;
                StmtKind::Leave(id)
            }
            "return" => {
                c.done()?;
                StmtKind::Return
            }
            "check" => {
                let guard = c.eat_tight("!");
                let cond = c.expr(declared)?;
                c.done()?;
                StmtKind::Check { cond, guard }
            }
            _ => {
                let value = c.expr(declared)?;
                c.done()?;
                StmtKind::Eval(value)
            }
        })
    }

    fn a_loop(&mut self, line: Line<'a>, c: &mut Cursor<'a>) -> Read<StmtKind> {
        let declared = self.declared;
        let id = c.loop_id()?;
        let decl = LoopDecl {
            span: c.span(),
            name: String::new(),
            depth: self.open.len() as u32,
            parent: self.open.last().copied(),
        };
        if self.loops.insert(id, decl).is_some() {
            return c.expected(format!(
                "another loop than {id}, which stands twice, before this"
            ));
        }
        if c.eat_word("while") {
            let cond = c.expr(declared)?;
            c.done()?;
            let body = self.inside(id, line.level + 1)?;
            return Ok(StmtKind::While(While { id, cond, body }));
        }
        if !c.eat_word("for") {
            return c.expected("`for` or `while`");
        }
        let counter = c.var()?;
        c.expect_word("in")?;
        let start = c.expr(declared)?;
        c.expect("..")?;
        let stop = c.expr(declared)?;
        c.expect_word("step")?;
        let step = c.expr(declared)?;
        c.done()?;
        let body = self.inside(id, line.level + 1)?;
        Ok(StmtKind::For(For {
            id,
            counter,
            start,
            stop,
            step,
            body,
        }))
    }

    fn inside(&mut self, id: LoopId, level: usize) -> Read<Vec<Stmt>> {
        self.open.push(id);
        let body = self.block(level);
        self.open.pop();
        body
    }

    /// Declares the accesses of a statement itself.
    fn declare_accesses(&mut self, s: &Stmt, line: Line<'a>) -> Read<()> {
        let mut found = vec![];
        if let StmtKind::Store { access, array, .. } = s.kind {
            found.push((access, array, true, s.span));
        }
        for e in s.exprs() {
            e.walk(&mut |e| {
                if let crate::ExprKind::Load { access, array, .. } = e.kind {
                    found.push((access, array, false, e.span));
                }
            });
        }
        for (access, array, store, span) in found {
            let decl = Access { array, store, span };
            if self.accesses.insert(access, decl).is_some() {
                let what = format!("a line where {access} does not stand again");
                return Cursor::of(line).expected(what);
            }
        }
        Ok(())
    }
}

impl<'a> Cursor<'a> {
    pub(super) fn of(line: Line<'a>) -> Cursor<'a> {
        Cursor::new(line.number, line.text)
    }

    pub(super) fn loop_id(&mut self) -> Read<LoopId> {
        self.id("L", "a loop").map(LoopId)
    }

    pub(super) fn span(&mut self) -> Span {
        let (line, column) = self.position();
        Span { line, column }
    }
}
