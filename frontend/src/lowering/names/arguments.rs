//! Which parameters of a function the arguments of a call are for.

use std::borrow::Cow;

use nestwise_ir::surface as s;

use crate::lowering::names::resolve::Names;

/// What an argument is for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum To {
    /// The parameter with this index.
    Param(usize),
    /// The parameters from the first number's index on, as many as the second number says, each for an item of what
    /// stands behind `*`.
    Params(usize, usize),
    /// The parameter that takes all further arguments.
    Rest,
}

/// The arguments of a call, matched with the parameters.
pub(crate) struct Matched<'e> {
    /// The arguments in the order of their evaluation, without their stars.
    pub given: Vec<(To, &'e s::Expr)>,
    /// The parameters that no argument is for.
    pub left: Vec<usize>,
}

/// Matches the arguments of a call with the parameters of a function, without its receiver. An error says what is wrong
/// with the call, or that nothing tells how many arguments a `*` stands for.
pub(crate) fn matched<'e>(
    function: &s::Function,
    params: &[s::Param],
    args: &'e [s::Expr],
    kwargs: &'e [(String, s::Expr)],
) -> Result<Matched<'e>, String> {
    let name_of = |p: &s::Param| function.paths.get(p.path).map(|path| path.name.as_str());
    let positional = params.iter().filter(|p| p.positional).count();
    let mut given = Vec::with_capacity(args.len() + kwargs.len());
    let mut next = 0;
    for arg in args {
        let (to, arg, count) = match &arg.kind {
            s::ExprKind::Star(all) => {
                let named = |p: &s::Param| kwargs.iter().any(|(key, _)| name_of(p) == Some(key));
                let unnamed = params.iter().filter(|p| p.positional && !named(p)).count();
                let count = starred(function, params, args, unnamed)?;
                (To::Params(next, count), &**all, count)
            }
            _ if next < positional => (To::Param(next), arg, 1),
            _ if function.rest.is_some() => (To::Rest, arg, 1),
            _ => {
                let all = args.len();
                return Err(format!("{positional} parameters, {all} arguments"));
            }
        };
        given.push((to, arg));
        next += count;
    }
    let next = next.min(positional);
    for (key, value) in kwargs {
        let is = |p: &s::Param| p.keyword && name_of(p) == Some(key);
        let at = params.iter().skip(next).position(is);
        let at = at.ok_or_else(|| format!("no parameter for the keyword {key}"))?;
        given.push((To::Param(next + at), value));
    }
    let has = |k: usize| {
        given.iter().any(|(to, _)| match *to {
            To::Param(at) => at == k,
            To::Params(first, count) => (first..first + count).contains(&k),
            To::Rest => false,
        })
    };
    let left = (0..params.len()).filter(|k| !has(*k)).collect();
    Ok(Matched { given, left })
}

/// The number of arguments that the only `*` of a call stands for: as many as there are parameters, of which `unnamed` are
/// given by position, that nothing else is for. No other number fits where none of them has a default.
fn starred(
    function: &s::Function,
    params: &[s::Param],
    args: &[s::Expr],
    unnamed: usize,
) -> Result<usize, String> {
    let one = args.iter().filter(|e| e.is_star()).count() == 1;
    let known =
        function.rest.is_none() && params.iter().all(|p| !p.positional || p.default.is_none());
    let count = (unnamed + 1).saturating_sub(args.len());
    match one && known && count > 0 {
        true => Ok(count),
        false => Err("nothing tells how many arguments `*` stands for".into()),
    }
}

/// The arguments with the items of tuples in the place of stars before them, as far as the text tells them.
pub(crate) fn spread<'e>(caller: &Names, args: &'e [s::Expr]) -> Cow<'e, [s::Expr]> {
    if !args.iter().any(s::Expr::is_star) {
        return args.into();
    }
    let items = |e: &s::Expr| -> Vec<s::Expr> {
        let s::ExprKind::Star(all) = &e.kind else {
            return vec![e.clone()];
        };
        let span = e.span;
        match &all.kind {
            s::ExprKind::Tuple(items) | s::ExprKind::List(items) => items.clone(),
            s::ExprKind::Path(id) if let Some(elements) = caller.tuples.get(id) => {
                let item = |k| {
                    let kind = s::ExprKind::Int(k as i128);
                    let kind = s::ExprKind::Subscript(all.clone(), vec![s::Expr { kind, span }]);
                    s::Expr { kind, span }
                };
                (0..elements.len()).map(item).collect()
            }
            _ => vec![e.clone()],
        }
    };
    args.iter().flat_map(items).collect()
}
