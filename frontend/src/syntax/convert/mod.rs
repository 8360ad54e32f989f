//! Converts the parser's tree to the surface nest: one exhaustive match for statements, one for expressions.

pub(crate) mod attributes;
pub(crate) mod calls;
pub(crate) mod computed;
pub(crate) mod converter;
pub(crate) mod fragments;
pub(crate) mod function;
pub(crate) mod guarded_blocks;
pub(crate) mod idioms;
pub(crate) mod interpreter_exits;
pub(crate) mod loop_depth;

use nestwise_ir::PathId;
use nestwise_ir::surface::{BinOp, CmpOp, Expr, ExprKind, Stmt, StmtKind, Target, UnOp};
use rustpython_parser::ast::{self, Ranged};

use crate::refusal::Refusal;
use crate::syntax::convert::calls::is_none;
use crate::syntax::convert::converter::{Converter, Names};
use crate::syntax::convert::fragments::{changes_container, is_host_call};
use crate::syntax::convert::idioms::{is_foreign, may_be_object};
use crate::syntax::describe::{dotted, expression_name, statement_name};
use crate::syntax::names;

/// The choice between None and a value that is assigned to names: `x = None if c else y`.
fn choice_of_none<'a>(targets: &[ast::Expr], value: &'a ast::Expr) -> Option<&'a ast::ExprIfExp> {
    let ast::Expr::IfExp(choice) = value else {
        return None;
    };
    let either = is_none(&choice.body) || is_none(&choice.orelse);
    (either && targets.iter().all(ast::Expr::is_name_expr)).then_some(choice)
}

impl Converter<'_> {
    // ---- Statements ---------------------------------------------------------------------------------------------

    /// Converts the site's own loop, without its `else` clause, which CPython runs.
    pub(crate) fn top(&mut self, stmt: &ast::Stmt) -> Option<Stmt> {
        match stmt {
            ast::Stmt::For(s) => {
                self.may_exit = !self.source.suspends && !loop_depth::has_loop(&s.body);
                self.for_loop(s, &[])
            }
            ast::Stmt::While(s) => {
                self.may_exit = !self.source.suspends && !loop_depth::has_loop(&s.body);
                self.while_loop(s, &[])
            }
            other => self.refuse(other, Refusal::NotALoop),
        }
    }

    /// Converts all statements, including those behind a refused one.
    fn block(&mut self, stmts: &[ast::Stmt]) -> Option<Vec<Stmt>> {
        let stmts = guarded_blocks::unguarded(stmts);
        let converted: Vec<Option<Stmt>> = stmts.into_iter().map(|s| self.stmt(s)).collect();
        converted.into_iter().collect()
    }

    fn stmt(&mut self, stmt: &ast::Stmt) -> Option<Stmt> {
        self.deeper(stmt, |converter| converter.stmt_here(stmt))
    }

    fn stmt_here(&mut self, stmt: &ast::Stmt) -> Option<Stmt> {
        let span = self.span(stmt);
        let kind = match stmt {
            ast::Stmt::For(s) => return self.for_loop(s, &s.orelse),
            ast::Stmt::While(s) => return self.while_loop(s, &s.orelse),
            ast::Stmt::If(s) => {
                let test = self.expr(&s.test);
                let body = self.branch(&s.body);
                let orelse = self.branch(&s.orelse);
                StmtKind::If {
                    test: test?,
                    body: body?,
                    orelse: orelse?,
                }
            }
            ast::Stmt::Assign(s) if let Some(choice) = choice_of_none(&s.targets, &s.value) => {
                let assign = |converter: &mut Self, value: &ast::Expr| {
                    let targets = s.targets.iter().map(|t| converter.target(t));
                    let targets = targets.collect::<Option<_>>();
                    let value = converter.assigned(&s.targets, value);
                    let kind = StmtKind::Assign {
                        targets: targets?,
                        value: value?,
                    };
                    let span = converter.span(stmt);
                    Some(vec![Stmt { kind, span }])
                };
                let test = self.expr(&choice.test);
                let body = assign(self, &choice.body);
                let orelse = assign(self, &choice.orelse);
                StmtKind::If {
                    test: test?,
                    body: body?,
                    orelse: orelse?,
                }
            }
            ast::Stmt::Assign(s) => {
                let stores = self.note_store(stmt, &s.targets);
                let targets: Vec<_> = s.targets.iter().map(|t| self.target(t)).collect();
                self.objects += u32::from(stores);
                let value = self
                    .unpacked(&s.targets, &s.value)
                    .or_else(|| self.assigned(&s.targets, &s.value));
                self.objects -= u32::from(stores);
                StmtKind::Assign {
                    targets: targets.into_iter().collect::<Option<_>>()?,
                    value: value?,
                }
            }
            ast::Stmt::AnnAssign(s) => self.annotated(s)?,
            ast::Stmt::AugAssign(s) => {
                self.note_store(stmt, std::slice::from_ref(&*s.target));
                let target = self.target(&s.target);
                let op = self.operator(stmt, s.op);
                let value = self.expr(&s.value);
                StmtKind::AugAssign {
                    target: target?,
                    op: op?,
                    value: value?,
                }
            }
            ast::Stmt::Return(s) => {
                self.returns = true;
                StmtKind::Return(match s.value.as_deref() {
                    None => None,
                    Some(ast::Expr::Constant(c)) if c.value.is_none() => Some(Expr {
                        kind: ExprKind::None,
                        span: self.span(c),
                    }),
                    Some(value) => Some(self.expr(value)?),
                })
            }
            ast::Stmt::Expr(s) => match s.value.as_ref() {
                // A docstring or `...`: no effect.
                ast::Expr::Constant(_) => StmtKind::Pass,
                value => return self.effect(value),
            },
            ast::Stmt::Pass(_) => StmtKind::Pass,
            // The `else` clause of a site's own loop is not converted, so these belong to a loop that is.
            ast::Stmt::Break(_) if self.loops > 0 => StmtKind::Break,
            ast::Stmt::Continue(_) if self.loops > 0 => StmtKind::Continue,
            ast::Stmt::Global(s) => return self.declaration(stmt, &s.names, "global"),
            ast::Stmt::Nonlocal(s) => return self.declaration(stmt, &s.names, "nonlocal"),
            // What is raised, with what message, is CPython's to say: it runs the iteration that gets here.
            ast::Stmt::Raise(_) => StmtKind::Raise,
            ast::Stmt::Assert(s) => {
                let raise = Stmt {
                    kind: StmtKind::Raise,
                    span,
                };
                let test = self.boxed(&s.test)?;
                StmtKind::If {
                    test: Expr {
                        span: test.span,
                        kind: ExprKind::Unary(UnOp::Not, test),
                    },
                    body: vec![raise],
                    orelse: vec![],
                }
            }
            other => {
                let name = statement_name(other);
                return self.refuse(other, Refusal::Statement { name });
            }
        };
        Some(Stmt { kind, span })
    }

    fn for_loop(&mut self, s: &ast::StmtFor, orelse: &[ast::Stmt]) -> Option<Stmt> {
        let refused = self.refusals.len();
        let lazy = self.lazy_loop(s, orelse);
        if lazy.is_some() || self.refusals.len() > refused {
            return lazy;
        }
        let target = self.target(&s.target);
        let is_top = self.loops == 0 && matches!(self.names, Names::Site(_));
        let iter = match is_top {
            true => self.header(&s.iter),
            false => self.items(&s.iter),
        };
        let body = self.loop_body(&s.body);
        let orelse = self.block(orelse);
        let kind = StmtKind::For {
            target: target?,
            iter: iter?,
            body: body?,
            orelse: orelse?,
        };
        Some(Stmt {
            kind,
            span: self.span(s),
        })
    }

    fn while_loop(&mut self, s: &ast::StmtWhile, orelse: &[ast::Stmt]) -> Option<Stmt> {
        let test = self.expr(&s.test);
        let body = self.loop_body(&s.body);
        let orelse = self.block(orelse);
        let kind = StmtKind::While {
            test: test?,
            body: body?,
            orelse: orelse?,
        };
        Some(Stmt {
            kind,
            span: self.span(s),
        })
    }

    fn loop_body(&mut self, body: &[ast::Stmt]) -> Option<Vec<Stmt>> {
        self.loops += 1;
        self.nested.push(fragments::depth_beside(body));
        let body = self.block(body);
        self.nested.pop();
        self.loops -= 1;
        body
    }

    /// Converts an expression that is evaluated for its effect.
    fn effect(&mut self, value: &ast::Expr) -> Option<Stmt> {
        match value {
            ast::Expr::Yield(_) | ast::Expr::YieldFrom(_) | ast::Expr::Await(_) => {
                self.expr(value);
                None
            }
            ast::Expr::Call(call) => {
                let callee = dotted(&call.func);
                let calls = self.calls_host() && is_host_call(&call.func);
                let changes = self.uses_entries() && changes_container(&call.func);
                if is_foreign(&call.func) && !calls && !changes {
                    return self.refuse(value, Refusal::ExpressionStatement { callee });
                }
                let value = self.expr(value)?;
                let span = value.span;
                Some(Stmt {
                    kind: StmtKind::Call(value),
                    span,
                })
            }
            _ => self.refuse(value, Refusal::ExpressionStatement { callee: None }),
        }
    }

    /// Converts an assigned value, which may be None where names alone are assigned.
    fn assigned(&mut self, targets: &[ast::Expr], value: &ast::Expr) -> Option<Expr> {
        match value {
            value if is_none(value) && targets.iter().all(ast::Expr::is_name_expr) => Some(Expr {
                kind: ExprKind::None,
                span: self.span(value),
            }),
            value => self.expr(value),
        }
    }

    fn annotated(&mut self, s: &ast::StmtAnnAssign) -> Option<StmtKind> {
        // Only a function leaves annotations unevaluated; a module stores them in a dict.
        if matches!(self.names, Names::Site(scope) if scope.module_level) {
            return self.refuse(
                s,
                Refusal::Expression {
                    name: "an annotation at module level",
                },
            );
        }
        let target = self.target(&s.target);
        let Some(value) = s.value.as_deref() else {
            let is_name = matches!(s.target.as_ref(), ast::Expr::Name(_));
            return if is_name {
                target.map(|_| StmtKind::Pass)
            } else {
                self.refuse(
                    s,
                    Refusal::Expression {
                        name: "an annotation without a value",
                    },
                )
            };
        };
        let value = self.assigned(std::slice::from_ref(&*s.target), value);
        Some(StmtKind::Assign {
            targets: vec![target?],
            value: value?,
        })
    }

    /// Converts `global` and `nonlocal`, which a function's code object already knows; refuses them inside a site.
    fn declaration(
        &mut self,
        stmt: &ast::Stmt,
        names: &[ast::Identifier],
        name: &'static str,
    ) -> Option<Stmt> {
        if let Names::Site(_) = self.names {
            return self.refuse(stmt, Refusal::Statement { name });
        }
        self.declared.extend(names.iter().map(ToString::to_string));
        Some(Stmt {
            kind: StmtKind::Pass,
            span: self.span(stmt),
        })
    }

    fn target(&mut self, target: &ast::Expr) -> Option<Target> {
        self.deeper(target, |converter| converter.target_here(target))
    }

    fn target_here(&mut self, target: &ast::Expr) -> Option<Target> {
        match target {
            ast::Expr::Name(e) => Some(Target::Path(self.name(e.id.as_str(), e, false)?)),
            ast::Expr::Attribute(e) => match self.expr(target)?.kind {
                ExprKind::Path(path) => Some(Target::Path(path)),
                ExprKind::Attr(base, name) if may_be_object(&base) => {
                    Some(Target::Attr(*base, name))
                }
                _ => {
                    let name = "an attribute of an expression";
                    self.refuse(e, Refusal::AssignTarget { name })
                }
            },
            ast::Expr::Subscript(e) => {
                let base = self.expr(&e.value);
                let index = self.index(&e.slice);
                Some(Target::Subscript(base?, index?))
            }
            ast::Expr::Tuple(ast::ExprTuple { elts, .. })
            | ast::Expr::List(ast::ExprList { elts, .. }) => {
                let items: Vec<_> = elts.iter().map(|e| self.target(e)).collect();
                items.into_iter().collect::<Option<_>>().map(Target::Tuple)
            }
            ast::Expr::Starred(e) => self.refuse(e, Refusal::Star),
            other => self.refuse(
                other,
                Refusal::AssignTarget {
                    name: expression_name(other),
                },
            ),
        }
    }

    // ---- Expressions --------------------------------------------------------------------------------------------

    fn expr(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let kind = self.deeper(expr, |converter| converter.expr_here(expr))?;
        Some(Expr {
            kind,
            span: self.span(expr),
        })
    }

    fn boxed(&mut self, expr: &ast::Expr) -> Option<Box<Expr>> {
        self.expr(expr).map(Box::new)
    }

    fn exprs(&mut self, exprs: &[ast::Expr]) -> Option<Vec<Expr>> {
        let converted: Vec<_> = exprs.iter().map(|e| self.expr(e)).collect();
        converted.into_iter().collect()
    }

    fn expr_here(&mut self, expr: &ast::Expr) -> Option<ExprKind> {
        Some(match expr {
            ast::Expr::Name(e) => ExprKind::Path(self.name(e.id.as_str(), e, false)?),
            ast::Expr::Constant(e) => self.constant(e)?,
            ast::Expr::Attribute(e) => self.attribute(e)?,
            ast::Expr::Subscript(e) => {
                self.note_read(e);
                let base = self.boxed(&e.value);
                let index = self.index(&e.slice);
                ExprKind::Subscript(base?, index?)
            }
            ast::Expr::Call(e) => self.call(e)?,
            ast::Expr::List(e) => ExprKind::List(self.exprs(&e.elts)?),
            ast::Expr::ListComp(e) => self.list_comprehension(e)?,
            ast::Expr::UnaryOp(e) => {
                let op = match e.op {
                    ast::UnaryOp::Invert => UnOp::Invert,
                    ast::UnaryOp::Not => UnOp::Not,
                    ast::UnaryOp::UAdd => UnOp::Pos,
                    ast::UnaryOp::USub => UnOp::Neg,
                };
                ExprKind::Unary(op, self.boxed(&e.operand)?)
            }
            ast::Expr::BinOp(e) if e.op == ast::Operator::MatMult => {
                let left = self.boxed(&e.left);
                ExprKind::MatMul(left?, self.boxed(&e.right)?)
            }
            ast::Expr::BinOp(e) => {
                let left = self.boxed(&e.left);
                let op = self.operator(expr, e.op);
                let right = self.boxed(&e.right);
                ExprKind::Binary(op?, left?, right?)
            }
            ast::Expr::BoolOp(e) => {
                let values = self.exprs(&e.values)?;
                match e.op {
                    ast::BoolOp::And => ExprKind::And(values),
                    ast::BoolOp::Or => ExprKind::Or(values),
                }
            }
            ast::Expr::Compare(e) => self.compare(e)?,
            ast::Expr::IfExp(e) => {
                let (test, body) = (self.boxed(&e.test), self.boxed(&e.body));
                let orelse = self.boxed(&e.orelse);
                ExprKind::IfExp {
                    test: test?,
                    body: body?,
                    orelse: orelse?,
                }
            }
            ast::Expr::Tuple(e) => ExprKind::Tuple(self.exprs(&e.elts)?),
            ast::Expr::Dict(e) if self.may_have_objects() => self.dict(e)?,
            ast::Expr::Set(e) if self.may_have_objects() => ExprKind::Set(self.exprs(&e.elts)?),
            ast::Expr::Slice(e) => return self.refuse(e, Refusal::Slice),
            ast::Expr::Starred(e) => return self.refuse(e, Refusal::Star),
            other => {
                let name = expression_name(other);
                return self.refuse(other, Refusal::Expression { name });
            }
        })
    }

    fn constant(&mut self, e: &ast::ExprConstant) -> Option<ExprKind> {
        let name = match &e.value {
            ast::Constant::Bool(value) => return Some(ExprKind::Bool(*value)),
            ast::Constant::Float(value) => return Some(ExprKind::Float(*value)),
            ast::Constant::Int(value) => {
                // The size is asked first: the text of a huge literal takes time that grows with its square.
                let parsed = if value.bits() < 128 {
                    value.to_string().parse().ok()
                } else {
                    None
                };
                return match parsed {
                    Some(value) => Some(ExprKind::Int(value)),
                    None => self.refuse(e, Refusal::IntTooLarge),
                };
            }
            ast::Constant::Complex { real, imag } if *real == 0.0 => {
                return Some(ExprKind::Imag(*imag));
            }
            ast::Constant::Str(value) => match self.string_fault(e) {
                Some(fault) => match self.f_string(e) {
                    Some(text) => return Some(text),
                    None => fault,
                },
                // The parser puts this in place of a lone surrogate.
                None if value.contains('\u{fffd}') => "a string with unusual characters",
                None => return Some(ExprKind::Str(value.clone())),
            },
            ast::Constant::Bytes(value) => match self.string_fault(e) {
                Some(fault) => fault,
                None => return Some(ExprKind::Bytes(value.clone())),
            },
            ast::Constant::None => "None",
            ast::Constant::Ellipsis => "`...`",
            ast::Constant::Complex { .. } => "a complex literal",
            ast::Constant::Tuple(_) => "a constant tuple",
        };
        self.refuse(e, Refusal::Expression { name })
    }

    /// The reason why a literal is not what stands in the source, if any of its parts was screened out.
    fn string_fault(&self, e: &ast::ExprConstant) -> Option<&'static str> {
        let (start, end) = (u32::from(e.range.start()), u32::from(e.range.end()));
        let inside = |offsets: &[u32]| offsets.iter().any(|at| (start..end).contains(at));
        if inside(&self.source.f_strings) {
            return Some("an f-string");
        }
        inside(&self.source.odd_strings).then_some("a string with unusual escapes")
    }

    fn compare(&mut self, e: &ast::ExprCompare) -> Option<ExprKind> {
        if let Some(members) = self.membership(e) {
            return Some(members);
        }
        if let ([op @ (ast::CmpOp::Is | ast::CmpOp::IsNot)], [ast::Expr::Constant(c)]) =
            (e.ops.as_slice(), e.comparators.as_slice())
            && c.value.is_none()
        {
            let is = ExprKind::IsNone(self.boxed(&e.left)?);
            let span = self.span(e);
            return Some(match op {
                ast::CmpOp::Is => is,
                _ => ExprKind::Unary(UnOp::Not, Box::new(Expr { kind: is, span })),
            });
        }
        let first = self.boxed(&e.left);
        if let ([op @ (ast::CmpOp::Is | ast::CmpOp::IsNot)], [other]) =
            (e.ops.as_slice(), e.comparators.as_slice())
        {
            let (first, other) = (first?, self.boxed(other)?);
            if !may_be_object(&first) || !may_be_object(&other) {
                return self.refuse(e, Refusal::Comparison { op: "is" });
            }
            let (is, span) = (ExprKind::Is(first, other), self.span(e));
            return Some(match op {
                ast::CmpOp::Is => is,
                _ => ExprKind::Unary(UnOp::Not, Box::new(Expr { kind: is, span })),
            });
        }
        if let ([op @ (ast::CmpOp::In | ast::CmpOp::NotIn)], [container]) =
            (e.ops.as_slice(), e.comparators.as_slice())
            && self.uses_entries()
        {
            self.note_read(e);
            return Some(ExprKind::Contains {
                item: first?,
                container: self.boxed(container)?,
                negated: *op == ast::CmpOp::NotIn,
            });
        }
        let mut rest = Vec::with_capacity(e.ops.len());
        for (op, value) in e.ops.iter().zip(&e.comparators) {
            let refused = match op {
                ast::CmpOp::Eq => Ok(CmpOp::Eq),
                ast::CmpOp::NotEq => Ok(CmpOp::Ne),
                ast::CmpOp::Lt => Ok(CmpOp::Lt),
                ast::CmpOp::LtE => Ok(CmpOp::Le),
                ast::CmpOp::Gt => Ok(CmpOp::Gt),
                ast::CmpOp::GtE => Ok(CmpOp::Ge),
                ast::CmpOp::Is => Err("is"),
                ast::CmpOp::IsNot => Err("is not"),
                ast::CmpOp::In => Err("in"),
                ast::CmpOp::NotIn => Err("not in"),
            };
            match refused {
                Ok(op) => rest.push((op, self.expr(value))),
                Err(op) => return self.refuse(e, Refusal::Comparison { op }),
            }
        }
        let rest = rest.into_iter().map(|(op, value)| Some((op, value?)));
        Some(ExprKind::Compare(first?, rest.collect::<Option<_>>()?))
    }

    fn operator(&mut self, node: &impl Ranged, op: ast::Operator) -> Option<BinOp> {
        Some(match op {
            ast::Operator::Add => BinOp::Add,
            ast::Operator::Sub => BinOp::Sub,
            ast::Operator::Mult => BinOp::Mul,
            ast::Operator::Div => BinOp::Div,
            ast::Operator::FloorDiv => BinOp::FloorDiv,
            ast::Operator::Mod => BinOp::Mod,
            ast::Operator::Pow => BinOp::Pow,
            ast::Operator::LShift => BinOp::Shl,
            ast::Operator::RShift => BinOp::Shr,
            ast::Operator::BitAnd => BinOp::BitAnd,
            ast::Operator::BitOr => BinOp::BitOr,
            ast::Operator::BitXor => BinOp::BitXor,
            ast::Operator::MatMult => return self.refuse(node, Refusal::MatMul),
        })
    }

    // ---- Names --------------------------------------------------------------------------------------------------

    /// The access path of a name; `own`: the name is a parameter.
    fn name(&mut self, name: &str, node: &impl Ranged, own: bool) -> Option<PathId> {
        let name = self.spelling(name, node)?;
        if let Some(inner) = self.inner.iter().rev().find_map(|own| own.get(name)) {
            if inner.is_empty() {
                let name = name.to_owned();
                return self.refuse(node, Refusal::PossiblyUnbound { name });
            }
            return Some(self.table.name(inner, true));
        }
        let local = match self.names {
            _ if own => true,
            Names::Site(scope) => !scope.module_level && scope.local_names.contains(name),
            Names::Function { local, free } => local.contains(name) || free.contains(name),
        };
        Some(self.table.name(name, local))
    }

    /// The spelling of a name in CPython; refuses a name for which it is not known.
    fn spelling<'n>(&mut self, name: &'n str, node: &impl Ranged) -> Option<&'n str> {
        if names::is_private(name) {
            return self.refuse(
                node,
                Refusal::PrivateName {
                    name: name.to_owned(),
                },
            );
        }
        if names::is_respelled(name) {
            return self.refuse(
                node,
                Refusal::RespelledName {
                    name: name.to_owned(),
                },
            );
        }
        Some(name)
    }
}
