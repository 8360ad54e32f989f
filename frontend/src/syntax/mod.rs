//! Takes source text to the surface nest. Only this folder knows the parser.
//!
//! The text of one statement is lexed, screened for what would hurt the parser (nesting that overflows a stack,
//! f-strings, whose insides it would parse on its own), parsed, and converted by one exhaustive match over Python's
//! syntax: what is not converted is refused by name and position. Conversion goes on behind a refusal, so that a
//! report shows all of them.

pub(crate) mod callable;
pub(crate) mod convert;
pub(crate) mod describe;
pub(crate) mod lines;
pub(crate) mod names;
pub(crate) mod source;

use std::collections::HashSet;

use nestwise_ir::surface::{AccessPath, Function, Scope, Site, Stmt};
use nestwise_ir::{Arena, PathId, Span, WithSpan};
use rustpython_parser::ast;

use crate::refusal::Refusal;
use crate::site::access_paths::{is_stable, mark_captured, mark_written};
use crate::site::definite_assignment::function_reads;
use crate::site::item_attributes::part_targets;
use crate::site::keyed_items::add_keyed_items;
use crate::site::special_methods::add_methods;
use crate::site::tuple_names::add_items;
use crate::syntax::convert::converter::{Converter, Names};
use crate::syntax::source::Source;

pub use crate::site::access_paths::ScopeInfo;

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
    let mut converter = Converter::new(&source, Names::Site(scope));
    let top = converter.top(stmt);
    finish(converter, top, scope, false)
}

/// Reads an expression with a loop in it: a list comprehension, `sum(x * x for x in xs)`.
///
/// `text` is a line of its own; `first_line` is where the expression stands in the file.
pub fn parse_value(
    text: &str,
    first_line: u32,
    scope: &ScopeInfo,
) -> Result<Site, Vec<WithSpan<Refusal>>> {
    let source = Source::parse(text, first_line, false).map_err(|refusal| vec![refusal])?;
    let [ast::Stmt::Expr(stmt)] = source.suite.as_slice() else {
        return Err(vec![WithSpan::new(source.lines.span(0), Refusal::NotALoop)]);
    };
    let mut converter = Converter::new(&source, Names::Site(scope));
    let top = converter.value(&stmt.value);
    finish(converter, top, scope, true)
}

/// Builds the site of a loop that was converted, or says why there is none.
fn finish(
    mut converter: Converter<'_>,
    mut top: Option<Stmt>,
    scope: &ScopeInfo,
    value: bool,
) -> Result<Site, Vec<WithSpan<Refusal>>> {
    let returns = converter.returns;
    let points = converter.take_points();
    let computed = std::mem::take(&mut converter.computed);
    let mut paths = std::mem::take(&mut converter.table).finish();
    if let Some(top) = &mut top {
        part_targets(&paths, std::slice::from_mut(top), &[]);
        for span in mark_written(&mut paths, std::slice::from_ref(top), &[]) {
            converter.refuse_at(
                span,
                Refusal::AssignTarget {
                    name: "an attribute of a changing object",
                },
            );
        }
    }
    match (top, converter.refusals) {
        (Some(top), refusals) if refusals.is_empty() => {
            let mut site = Site {
                paths,
                top,
                returns,
                points,
                computed,
                value,
            };
            mark_captured(&mut site, scope);
            add_items(&mut site);
            let tops = std::slice::from_ref(&site.top);
            add_keyed_items(&mut site.paths, tops, &[], &scope.mappings);
            add_methods(&mut site.paths, std::slice::from_ref(&site.top));
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
/// A free name is a captured [`Scope::Local`] access path that is no parameter.
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
    let Some(callable) = callable::find_callable(&source.suite) else {
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
    let mut converter = Converter::new(&source, names);
    let converted = converter.callable(&callable);
    let start = source.lines.span(callable.start());
    let (params, rest, body) = match (
        converted,
        converter.refusals.into_iter().min_by_key(|r| r.span),
    ) {
        (Some(converted), None) => converted,
        (_, Some(first)) => return Err(first),
        (None, None) => return refuse(start, "could not be read"),
    };
    let paths = converter.table.finish();
    let mut function = Function {
        name: name.to_owned(),
        file: file.to_owned(),
        params,
        rest,
        paths,
        body,
        library: None,
    };
    if let Some((span, why)) = mark_function_writes(&mut function, &converter.declared, free_names)
    {
        return refuse(span.unwrap_or(start), why);
    }
    mark_function_captures(&mut function, free_names)?;
    let params: Vec<PathId> = function.bound().collect();
    add_keyed_items(
        &mut function.paths,
        &function.body,
        &params,
        &HashSet::new(),
    );
    add_methods(&mut function.paths, &function.body);
    Ok(function)
}

/// Marks what a function assigns, which must all be its own; else returns where it is not, and why.
fn mark_function_writes(
    function: &mut Function,
    declared: &HashSet<String>,
    free_names: &HashSet<String>,
) -> Option<(Option<Span>, &'static str)> {
    let params: Vec<PathId> = function.bound().collect();
    let paths = &mut function.paths;
    // Attributes of the first parameter may be assigned where the function is a method.
    let (own, others) = match params.split_first() {
        Some((own, others)) => (Some(*own), others),
        None => (None, &params[..]),
    };
    part_targets(paths, &mut function.body, others);
    if let Some(&span) = mark_written(paths, &function.body, others).first() {
        return Some((Some(span), "assigns an attribute of a changing object"));
    }
    for id in paths.ids().collect::<Vec<_>>() {
        if !paths[id].written {
            continue;
        }
        if paths[id].scope == Scope::Attr {
            if own.is_none_or(|own| root(paths, id) != own) {
                return Some((None, "assigns an attribute"));
            }
            continue;
        }
        let path = &mut paths[id];
        if declared.contains(&path.name) || free_names.contains(&path.name) {
            return Some((None, "assigns a global or nonlocal name"));
        }
        // What a function assigns without declaring it is its own, whatever the caller listed.
        path.scope = Scope::Local;
    }
    None
}

/// The name that an access path is an attribute of.
fn root(paths: &Arena<PathId, AccessPath>, mut path: PathId) -> PathId {
    while let Some(parent) = paths.get(path).and_then(|p| p.parent) {
        path = parent;
    }
    path
}

/// Marks what a function needs from outside. Refuses a function with a local that is read on some path before it is
/// assigned.
fn mark_function_captures(
    function: &mut Function,
    free_names: &HashSet<String>,
) -> Result<(), WithSpan<Refusal>> {
    let params: Vec<PathId> = function.bound().collect();
    let reads = function_reads(&function.paths, &params, &function.body);
    for (id, span) in reads {
        let path = &function.paths[id];
        if path.scope == Scope::Local && !free_names.contains(&path.name) {
            let name = path.name.clone();
            return Err(WithSpan::new(span, Refusal::PossiblyUnbound { name }));
        }
        // Attributes of a parameter have values where it stands for one object in every call.
        function.paths[id].captured = is_stable(&function.paths, id, &[]);
    }
    Ok(())
}
