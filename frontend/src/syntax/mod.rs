//! Source text to surface nest. Only this module (this file and `parse/`) knows the parser.
//!
//! The text of one statement is lexed, screened for what would hurt the parser (nesting that overflows a stack,
//! f-strings, whose insides it would parse on its own), parsed, and lowered by one exhaustive match over Python's
//! syntax: what is not lowered is refused by name and position. Lowering goes on behind a refusal, so that a
//! report shows all of them.

pub(crate) mod convert;
pub(crate) mod describe;
pub(crate) mod lines;
pub(crate) mod names;

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use nestwise_ir::surface::{Function, Place, Scope, Site, Stmt};
use nestwise_ir::{Arena, PlaceId, Span, WithSpan};
use rustpython_parser::ast::{self, Ranged};
use rustpython_parser::{Mode, StringKind, Tok, lexer, parse_tokens};

use crate::refusal::Refusal;
use crate::site::access_paths::{function_reads, is_stable, mark_captured, mark_written};
use crate::site::item_attributes::part_targets;
use crate::site::special_methods::add_methods;
use crate::site::tuple_names::add_items;
use crate::syntax::convert::{Lower, Names};
use crate::syntax::lines::Lines;

pub use crate::site::access_paths::ScopeInfo;

/// Most tokens of one logical line. The parser's own tree is at most that deep and freed recursively.
const MAX_LINE_TOKENS: usize = 2000;
/// Most `elif`s of a text (each nests in the one before) and deepest indentation.
const MAX_BLOCKS: usize = 500;
/// Longest text in bytes.
const MAX_TEXT: usize = 1 << 20;
/// Stands in front of an indented text so that it parses.
const WRAPPER: &str = "if 1:\n";

/// Reads one `for` or `while` statement.
///
/// `text` holds its complete source lines as they stand in the file, from line `first_line` on; `indented` says
/// that they start with indentation. The `else` clause of the statement itself is not part of the site: CPython
/// runs it, after whatever the site did. Errors are in source order.
pub fn parse_site(
    text: &str,
    first_line: u32,
    indented: bool,
    scope: &ScopeInfo,
) -> Result<Site, Vec<WithSpan<Refusal>>> {
    let source = Source::parse(text, first_line, indented).map_err(|refusal| vec![refusal])?;
    let [stmt @ (ast::Stmt::For(_) | ast::Stmt::While(_))] = source.suite.as_slice() else {
        return Err(vec![WithSpan::new(source.lines.span(0), Refusal::NotALoop)]);
    };
    let mut lower = Lower::new(&source, Names::Site(scope));
    let top = lower.top(stmt);
    finish(lower, top, scope, false)
}

/// Reads an expression with a loop in it: a list comprehension, `sum(x * x for x in xs)`.
///
/// `text` is a line of its own, `first_line` where it stands in the file.
pub fn parse_value(
    text: &str,
    first_line: u32,
    scope: &ScopeInfo,
) -> Result<Site, Vec<WithSpan<Refusal>>> {
    let source = Source::parse(text, first_line, false).map_err(|refusal| vec![refusal])?;
    let [ast::Stmt::Expr(stmt)] = source.suite.as_slice() else {
        return Err(vec![WithSpan::new(source.lines.span(0), Refusal::NotALoop)]);
    };
    let mut lower = Lower::new(&source, Names::Site(scope));
    let top = lower.value(&stmt.value);
    finish(lower, top, scope, true)
}

/// The site of a loop that was lowered, or why there is none.
fn finish(
    mut lower: Lower<'_>,
    mut top: Option<Stmt>,
    scope: &ScopeInfo,
    value: bool,
) -> Result<Site, Vec<WithSpan<Refusal>>> {
    let returns = lower.returns;
    let mut places = std::mem::take(&mut lower.table).finish();
    if let Some(top) = &mut top {
        part_targets(&places, std::slice::from_mut(top), &[]);
        for span in mark_written(&mut places, std::slice::from_ref(top), &[]) {
            lower.refuse_at(
                span,
                Refusal::AssignTarget {
                    name: "an attribute of a changing object",
                },
            );
        }
    }
    match (top, lower.refusals) {
        (Some(top), refusals) if refusals.is_empty() => {
            let mut site = Site {
                places,
                top,
                returns,
                value,
            };
            mark_captured(&mut site, scope);
            add_items(&mut site);
            add_methods(&mut site.places, std::slice::from_ref(&site.top));
            Ok(site)
        }
        (_, mut refusals) => {
            refusals.sort_by_key(|refusal| refusal.span);
            Err(refusals)
        }
    }
}

/// Reads a user's function, `def name(...)` or `anything = lambda ...`, for inlining.
///
/// `local_names` and `free_names` are those of its code object (`co_varnames` and `co_cellvars`, `co_freevars`).
/// A free name is a captured [`Scope::Local`] place that is no parameter.
pub fn parse_function(
    text: &str,
    first_line: u32,
    indented: bool,
    local_names: &HashSet<String>,
    free_names: &HashSet<String>,
    name: &str,
    file: &str,
) -> Result<Function, WithSpan<Refusal>> {
    let source = Source::parse(text, first_line, indented)?;
    let refuse = |span, why| {
        Err(WithSpan::new(
            span,
            Refusal::Function {
                name: name.to_owned(),
                why,
            },
        ))
    };
    let Some(callable) = find_callable(&source.suite) else {
        return refuse(
            source.lines.span(0),
            "stands beside other code or is not a plain function",
        );
    };
    if let Some((offset, why)) = callable.objection(name) {
        return refuse(source.lines.span(offset), why);
    }
    let names = Names::Function {
        local: local_names,
        free: free_names,
    };
    let mut lower = Lower::new(&source, names);
    let lowered = lower.callable(&callable);
    let start = source.lines.span(callable.start());
    let (params, body) = match (lowered, lower.refusals.into_iter().min_by_key(|r| r.span)) {
        (Some(lowered), None) => lowered,
        (_, Some(first)) => return Err(first),
        (None, None) => return refuse(start, "could not be read"),
    };
    let places = lower.table.finish();
    let mut function = Function {
        name: name.to_owned(),
        file: file.to_owned(),
        params,
        places,
        body,
        library: None,
    };
    if let Some((span, why)) = mark_function_writes(&mut function, &lower.declared, free_names) {
        return refuse(span.unwrap_or(start), why);
    }
    mark_function_captures(&mut function, free_names)?;
    add_methods(&mut function.places, &function.body);
    Ok(function)
}

/// Marks what a function assigns, all of it its own; or says where and why that is not so.
fn mark_function_writes(
    function: &mut Function,
    declared: &HashSet<String>,
    free_names: &HashSet<String>,
) -> Option<(Option<Span>, &'static str)> {
    let params: Vec<PlaceId> = function.params.iter().map(|param| param.place).collect();
    let places = &mut function.places;
    // Attributes of the first parameter may be assigned where the function is a method.
    let (own, others) = match params.split_first() {
        Some((own, others)) => (Some(*own), others),
        None => (None, &params[..]),
    };
    part_targets(places, &mut function.body, others);
    if let Some(&span) = mark_written(places, &function.body, others).first() {
        return Some((Some(span), "assigns an attribute of a changing object"));
    }
    for id in places.ids().collect::<Vec<_>>() {
        if !places[id].written {
            continue;
        }
        if places[id].scope == Scope::Attr {
            if own.is_none_or(|own| root(places, id) != own) {
                return Some((None, "assigns an attribute"));
            }
            continue;
        }
        let place = &mut places[id];
        if declared.contains(&place.name) || free_names.contains(&place.name) {
            return Some((None, "assigns a global or nonlocal name"));
        }
        // What a function assigns without declaring it is its own, whatever the caller listed.
        place.scope = Scope::Local;
    }
    None
}

/// The name that a place is an attribute of.
fn root(places: &Arena<PlaceId, Place>, mut place: PlaceId) -> PlaceId {
    while let Some(parent) = places.get(place).and_then(|p| p.parent) {
        place = parent;
    }
    place
}

/// Marks what a function needs from outside. A local that a path reads before it is assigned refuses it.
fn mark_function_captures(
    function: &mut Function,
    free_names: &HashSet<String>,
) -> Result<(), WithSpan<Refusal>> {
    let params: Vec<PlaceId> = function.params.iter().map(|param| param.place).collect();
    let reads = function_reads(&function.places, &params, &function.body);
    for (id, span) in reads {
        let place = &function.places[id];
        if place.scope == Scope::Local && !free_names.contains(&place.name) {
            let name = place.name.clone();
            return Err(WithSpan::new(span, Refusal::PossiblyUnbound { name }));
        }
        // Attributes of the first parameter have values where the function is called as a method.
        let others = params.get(1..).unwrap_or_default();
        function.places[id].captured = is_stable(&function.places, id, others);
    }
    Ok(())
}

/// A parsed text.
pub(crate) struct Source {
    lines: Lines,
    screened: Screened,
}

/// What was found in a text.
pub(crate) struct Screened {
    suite: Vec<ast::Stmt>,
    /// Offsets of f-strings, which were replaced by plain ones.
    f_strings: Vec<u32>,
    /// Offsets of strings with escapes that the parser may read differently from CPython.
    odd_strings: Vec<u32>,
    /// It may suspend the function around it.
    suspends: bool,
}

impl std::ops::Deref for Source {
    type Target = Screened;
    fn deref(&self) -> &Screened {
        &self.screened
    }
}

impl Source {
    fn parse(text: &str, first_line: u32, indented: bool) -> Result<Source, WithSpan<Refusal>> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let prefix = if indented { WRAPPER } else { "" };
        if text.len() > MAX_TEXT {
            let refusal = Refusal::TooLarge {
                what: "bytes of text",
                limit: MAX_TEXT,
            };
            return Err(WithSpan::new(
                Span {
                    line: first_line,
                    column: 0,
                },
                refusal,
            ));
        }
        let lines = Lines::new(text, first_line, prefix.len() as u32);
        let wrapped = format!("{prefix}{text}");
        // The parser is not ours; a panic in it costs the site, not the process.
        let parsed = catch_unwind(AssertUnwindSafe(|| parse_screened(&wrapped, &lines)));
        let failed = || {
            let message = "the parser failed inside".to_owned();
            Err(WithSpan::new(lines.span(0), Refusal::Parse { message }))
        };
        let mut screened = parsed.unwrap_or_else(|_| failed())?;
        let suite = &mut screened.suite;
        if indented {
            *suite = match suite.pop() {
                Some(ast::Stmt::If(wrapper)) if suite.is_empty() && wrapper.orelse.is_empty() => {
                    wrapper.body
                }
                _ => return Err(WithSpan::new(lines.span(0), Refusal::NotALoop)),
            };
        }
        Ok(Source { lines, screened })
    }
}

/// Lexes, screens and parses. The parser is driven by a table and does not recurse, but its tree is freed
/// recursively, so what could nest too deeply is counted in tokens first.
fn parse_screened(text: &str, lines: &Lines) -> Result<Screened, WithSpan<Refusal>> {
    let (mut tokens, mut f_strings, mut odd_strings) = (Vec::new(), Vec::new(), Vec::new());
    let mut suspends = false;
    let (mut in_line, mut elifs, mut indent) = (0, 0, 0_usize);
    for token in lexer::lex(text, Mode::Module) {
        // The lexer may repeat an error for ever.
        let Ok((mut token, range)) = token else {
            tokens.push(token);
            break;
        };
        let start = u32::from(range.start());
        in_line += 1;
        match &mut token {
            Tok::Newline => in_line = 0,
            Tok::Yield | Tok::Await | Tok::Async => suspends = true,
            Tok::Elif => elifs += 1,
            Tok::Indent => indent += 1,
            Tok::Dedent => indent = indent.saturating_sub(1),
            Tok::String { value, kind, .. } => {
                if kind.is_any_fstring() {
                    suspends |= ["yield", "await"].into_iter().any(|w| value.contains(w));
                    f_strings.push(start);
                    *kind = StringKind::String;
                    value.clear();
                } else if !kind.is_raw() && names::has_odd_escape(value) {
                    odd_strings.push(start);
                    value.clear();
                }
            }
            _ => {}
        }
        if in_line > MAX_LINE_TOKENS {
            let refusal = Refusal::TooLarge {
                what: "tokens in one statement",
                limit: MAX_LINE_TOKENS,
            };
            return Err(WithSpan::new(lines.span(start), refusal));
        }
        if elifs.max(indent) > MAX_BLOCKS {
            let refusal = Refusal::TooDeep {
                limit: MAX_BLOCKS as u32,
            };
            return Err(WithSpan::new(lines.span(start), refusal));
        }
        tokens.push(Ok((token, range)));
    }
    match parse_tokens(tokens, Mode::Module, "") {
        Ok(ast::Mod::Module(module)) => Ok(Screened {
            suite: module.body,
            f_strings,
            odd_strings,
            suspends,
        }),
        Ok(_) => Err(WithSpan::new(lines.span(0), Refusal::NotALoop)),
        Err(error) => Err(match f_strings.first() {
            // Python 3.12 allows quotes in an f-string that end it here: name the cause, not the consequence.
            Some(&start) => WithSpan::new(
                lines.span(start),
                Refusal::Expression {
                    name: "an f-string",
                },
            ),
            None => {
                let message = error.error.to_string();
                WithSpan::new(
                    lines.span(u32::from(error.offset)),
                    Refusal::Parse { message },
                )
            }
        }),
    }
}

/// The parts of a `def` or of a `lambda` bound to a name.
pub(crate) enum Callable<'a> {
    Def(&'a ast::StmtFunctionDef),
    AsyncDef(&'a ast::StmtAsyncFunctionDef),
    Lambda(&'a ast::ExprLambda),
}

fn find_callable(suite: &[ast::Stmt]) -> Option<Callable<'_>> {
    let [stmt] = suite else { return None };
    let value = match stmt {
        ast::Stmt::FunctionDef(def) => return Some(Callable::Def(def)),
        ast::Stmt::AsyncFunctionDef(def) => return Some(Callable::AsyncDef(def)),
        ast::Stmt::Assign(assign) => assign.value.as_ref(),
        ast::Stmt::AnnAssign(assign) => assign.value.as_deref()?,
        _ => return None,
    };
    match value {
        ast::Expr::Lambda(lambda) => Some(Callable::Lambda(lambda)),
        _ => None,
    }
}

impl<'a> Callable<'a> {
    fn start(&self) -> u32 {
        let start = match self {
            Callable::Def(def) => def.start(),
            Callable::AsyncDef(def) => def.start(),
            Callable::Lambda(lambda) => lambda.start(),
        };
        start.into()
    }

    fn arguments(&self) -> &'a ast::Arguments {
        match self {
            Callable::Def(def) => &def.args,
            Callable::AsyncDef(def) => &def.args,
            Callable::Lambda(lambda) => &lambda.args,
        }
    }

    /// Why a function of this form is not inlined: the offset and the end of "it ...".
    fn objection(&self, name: &str) -> Option<(u32, &'static str)> {
        let args = self.arguments();
        let at = |node: &ast::Arg| u32::from(node.start());
        if let Callable::AsyncDef(_) = self {
            return Some((self.start(), "is asynchronous"));
        }
        if let Callable::Def(def) = self {
            if let Some(decorator) = def.decorator_list.first() {
                return Some((decorator.start().into(), "is decorated"));
            }
            if !def.type_params.is_empty() {
                return Some((self.start(), "has type parameters"));
            }
            if def.name.as_str() != name {
                return Some((self.start(), "is not what stands in the source file"));
            }
        }
        match (&args.vararg, &args.kwarg) {
            (Some(arg), _) => Some((at(arg), "takes any number of arguments")),
            (None, Some(arg)) => Some((at(arg), "takes any keyword arguments")),
            (None, None) => None,
        }
    }
}
