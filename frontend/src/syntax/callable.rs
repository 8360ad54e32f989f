//! A user's function as it stands in the source: `def`, or `lambda` under a name.

use rustpython_parser::ast::{self, Ranged};

/// The parts of a `def` or of a `lambda` bound to a name.
pub(crate) enum Callable<'a> {
    Def(&'a ast::StmtFunctionDef),
    AsyncDef(&'a ast::StmtAsyncFunctionDef),
    Lambda(&'a ast::ExprLambda),
}

/// The callable that a text defines, if it defines one and nothing else.
pub(crate) fn find_callable(suite: &[ast::Stmt]) -> Option<Callable<'_>> {
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
    /// The offset in bytes at which the callable begins.
    pub fn start(&self) -> u32 {
        let start = match self {
            Callable::Def(def) => def.start(),
            Callable::AsyncDef(def) => def.start(),
            Callable::Lambda(lambda) => lambda.start(),
        };
        start.into()
    }

    /// The parameters as they are written.
    pub fn arguments(&self) -> &'a ast::Arguments {
        match self {
            Callable::Def(def) => &def.args,
            Callable::AsyncDef(def) => &def.args,
            Callable::Lambda(lambda) => &lambda.args,
        }
    }

    /// The reason why a function of this form is not inlined, if there is one: its offset and the end of a sentence "it
    /// ...".
    pub fn objection(&self, name: &str) -> Option<(u32, &'static str)> {
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
        args.kwarg
            .as_ref()
            .map(|arg| (at(arg), "takes any keyword arguments"))
    }
}
