//! The reasons why a site, or one signature of it, is left to CPython.
//!
//! A refusal is data: one variant for each reason, with the data of its message. [`Refusal::code`] is stable (reports
//! and tests refer to it), `Display` is the message for users, [`Refusal::hint`] says what would change it. The
//! position in the source is kept beside the refusal, in [`nestwise_ir::WithSpan`].

use std::fmt;

use nestwise_ir::{Span, WithSpan};

/// A result that may be a refusal.
pub(crate) type R<T> = Result<T, WithSpan<Refusal>>;

/// The refusal of what stands at `span`.
pub(crate) fn refuse(span: Span, error: Refusal) -> WithSpan<Refusal> {
    WithSpan::new(span, error)
}

/// A reason not to compile. The first group is found in the text, the second when types are known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    // ---- The text -------------------------------------------------------------------------------------------
    /// The site's text does not parse (the parser knows Python up to 3.11), or the parser failed inside.
    Parse {
        /// What the parser said.
        message: String,
    },
    /// The text is not one `for` or `while` statement.
    NotALoop,
    /// Statements or expressions are nested deeper than `limit`.
    TooDeep {
        /// The greatest depth that is accepted.
        limit: u32,
    },
    /// A statement that has no meaning in a nest.
    Statement {
        /// Python's name of it: `try`, `with`, `import`, ...
        name: &'static str,
    },
    /// An expression that has no meaning in a nest.
    Expression {
        /// Python's name of it: `a lambda`, `a list comprehension`, ...
        name: &'static str,
    },
    /// An expression that stands alone, for its effect: `print(x)`.
    ExpressionStatement {
        /// The name that is called, if the expression is a call of one: `print`, `out.append`.
        callee: Option<String>,
    },
    /// A call that CPython would have to make between nests of loops.
    CallBesideNests,
    /// A slice: `A[i:j]`.
    Slice,
    /// A starred expression: `f(*args)`, `f(**kwargs)`, `a, *b = c`.
    Star,
    /// A comparison that is not modelled: `is`, `is not`, `in`, `not in`.
    Comparison {
        /// The operator.
        op: &'static str,
    },
    /// A matrix product: `a @ b`.
    MatMul,
    /// An int literal of more than 127 bits.
    IntTooLarge,
    /// Something that cannot be assigned to here: `f(x).y = 1`.
    AssignTarget {
        /// Python's name of it.
        name: &'static str,
    },
    /// The value of a name is needed that may have none.
    PossiblyUnbound {
        /// The name.
        name: String,
    },
    /// A name that a class body mangles (`__x` inside a class).
    PrivateName {
        /// The name.
        name: String,
    },
    /// A name of characters that CPython normalises to others (NFKC).
    RespelledName {
        /// The name as written.
        name: String,
    },
    /// A user's function that cannot be inlined.
    Function {
        /// The name of the function.
        name: String,
        /// The reason, as the end of a sentence "it ...".
        why: &'static str,
    },

    // ---- The types ------------------------------------------------------------------------------------------
    /// A name holds an object of a type that is not modelled.
    Type {
        /// The name, or the expression.
        name: String,
        /// The type of the object.
        ty: String,
    },
    /// An operator is not supported between these types.
    Operator {
        /// The operator as written.
        op: &'static str,
        /// The operands' types.
        operands: Vec<String>,
    },
    /// A variable would change its type in the loop, in a way that has no one representation.
    TypeChanges {
        /// The variable.
        name: String,
        /// The type before the assignment.
        from: String,
        /// The type after the assignment.
        to: String,
    },
    /// A function that is not known and cannot be inlined.
    UnknownFunction {
        /// The name of the function as written.
        name: String,
    },
    /// An attribute that is not modelled.
    UnknownAttribute {
        /// The name of the attribute as written.
        name: String,
        /// The type of what it is an attribute of.
        ty: String,
    },
    /// More or fewer subscripts than the array has dimensions.
    RankMismatch {
        /// The name of the array.
        name: String,
        /// The number of the array's dimensions.
        rank: u32,
        /// The number of subscripts.
        subscripts: u32,
    },
    /// The array has more dimensions than are supported.
    RankTooLarge {
        /// The name of the array.
        name: String,
        /// The number of the array's dimensions.
        rank: u32,
    },
    /// A function was called in a form that is not modelled.
    Arguments {
        /// The function.
        name: String,
        /// What is wrong with the call.
        why: String,
    },
    /// A loop over something that cannot be iterated in a nest.
    Iterable {
        /// The type of the iterable, or the expression.
        what: String,
    },
    /// An array expression where a scalar is needed (`A + B`, `A[i] = B`).
    ArrayExpression {
        /// The operation or the name.
        what: String,
    },
    /// A store into something read-only (a tuple, a str, a read-only array).
    ReadOnly {
        /// The name.
        name: String,
    },
    /// A function calls itself, directly or through others.
    Recursion {
        /// The function.
        name: String,
    },
    /// A function's `return` stands where inlining cannot follow, or a path returns nothing.
    ReturnShape {
        /// The function, or empty for the site itself.
        name: String,
    },
    /// An object would have to be made or kept in a way that is not modelled (a new list, an object in a tuple).
    ObjectIdentity {
        /// The object, as a noun phrase.
        what: String,
    },
    /// CPython would raise here on every path that gets here.
    AlwaysRaises {
        /// The operation that raises, as a noun phrase.
        what: String,
    },
    /// The typed nest exceeds a size limit.
    TooLarge {
        /// The thing that is counted, as a plural noun.
        what: &'static str,
        /// The greatest number that is accepted.
        limit: usize,
    },
    /// An expression that is evaluated sooner than anybody could ask about it.
    Small,
    /// No iteration of the loop ends but by an exception, so that an inner loop can only run by itself.
    NeverEnds,
    /// Something else that is not modelled.
    Unsupported {
        /// The thing that is not modelled, as a noun phrase.
        what: String,
    },
    /// A fault of nestwise, found by its own checks; never wrong code.
    Internal {
        /// The message for a bug report.
        message: String,
    },
}

impl Refusal {
    /// A stable kebab-case name of the reason.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Parse { .. } => "parse",
            Self::NotALoop => "not-a-loop",
            Self::TooDeep { .. } => "too-deep",
            Self::Statement { .. } => "statement",
            Self::Expression { .. } => "expression",
            Self::ExpressionStatement { .. } => "expression-statement",
            Self::CallBesideNests => "call-beside-nests",
            Self::Slice => "slice",
            Self::Star => "star",
            Self::Comparison { .. } => "comparison",
            Self::MatMul => "matmul",
            Self::IntTooLarge => "int-too-large",
            Self::AssignTarget { .. } => "assign-target",
            Self::PossiblyUnbound { .. } => "possibly-unbound",
            Self::PrivateName { .. } => "private-name",
            Self::RespelledName { .. } => "respelled-name",
            Self::Function { .. } => "function",
            Self::Type { .. } => "type",
            Self::Operator { .. } => "operator",
            Self::TypeChanges { .. } => "type-changes",
            Self::UnknownFunction { .. } => "unknown-function",
            Self::UnknownAttribute { .. } => "unknown-attribute",
            Self::RankMismatch { .. } => "rank-mismatch",
            Self::RankTooLarge { .. } => "rank-too-large",
            Self::Arguments { .. } => "arguments",
            Self::Iterable { .. } => "iterable",
            Self::ArrayExpression { .. } => "array-expression",
            Self::ReadOnly { .. } => "read-only",
            Self::Recursion { .. } => "recursion",
            Self::ReturnShape { .. } => "return-shape",
            Self::ObjectIdentity { .. } => "object-identity",
            Self::AlwaysRaises { .. } => "always-raises",
            Self::TooLarge { .. } => "too-large",
            Self::Small => "small",
            Self::NeverEnds => "never-ends",
            Self::Unsupported { .. } => "unsupported",
            Self::Internal { .. } => "internal",
        }
    }

    /// A hint at what the user could change so that the reason goes away, where there is such a thing.
    pub fn hint(&self) -> Option<String> {
        let text: String = match self {
            Self::Statement {
                name: "try" | "with",
            } => "put the loop inside the block instead of the block inside the loop".into(),
            Self::Statement { name: "import" } => "import before the loop".into(),
            Self::Statement { .. } => "move it out of the loop".into(),
            Self::Expression { name }
                if name.ends_with("comprehension") || name.starts_with("a generator") =>
            {
                "write it as a loop that stores into an array".into()
            }
            Self::Expression { name: "a lambda" } => "define the function before the loop".into(),
            Self::ExpressionStatement { callee: Some(name) } if name.ends_with(".append") => {
                "append numbers, or tuples of numbers, to a list that the loop only appends to"
                    .into()
            }
            Self::ExpressionStatement { .. } => {
                "move it out of the loop; inner loops without it are compiled on their own".into()
            }
            Self::Slice => "loop over the elements".into(),
            Self::Star => "write the arguments or targets one by one".into(),
            Self::Comparison {
                op: "in" | "not in",
            } => "write the search as a loop".into(),
            Self::Comparison { .. } => "compare with == or !=".into(),
            Self::MatMul => "move the product out of the loop, or write it as loops".into(),
            Self::PossiblyUnbound { name } => format!("assign {name} before the loop"),
            Self::Function { .. } | Self::UnknownFunction { .. } => {
                "only small plain functions of numbers and arrays can be called in a nest".into()
            }
            Self::TypeChanges { name, to, .. } => {
                format!("initialise {name} with a value of type {to}")
            }
            Self::RankMismatch { .. } => "give one subscript for each dimension".into(),
            Self::ArrayExpression { .. } => "write the operation as a loop over elements".into(),
            Self::Recursion { .. } => "write it as a loop".into(),
            Self::TooLarge { .. } | Self::TooDeep { .. } => "split the nest".into(),
            _ => return None,
        };
        Some(text)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parse { message } => {
                write!(f, "the text of the loop could not be parsed: {message}")
            }
            Self::NotALoop => f.write_str("not a single for or while statement"),
            Self::TooDeep { limit } => write!(f, "nested more than {limit} levels deep"),
            Self::Statement { name } => write!(f, "`{name}` inside the nest is not supported"),
            Self::Expression { name } => write!(f, "{name} inside the nest is not supported"),
            Self::ExpressionStatement { callee: Some(name) } => {
                write!(f, "the call of {name} for its effect is not supported")
            }
            Self::ExpressionStatement { callee: None } => {
                f.write_str("an expression evaluated for its effect is not supported")
            }
            Self::CallBesideNests => f.write_str(
                "what only CPython can do stands beside nests of loops, which run better by themselves",
            ),
            Self::Slice => f.write_str("a slice is not supported"),
            Self::Star => f.write_str("`*` in a call or an assignment is not supported"),
            Self::Comparison { op } => write!(f, "the comparison `{op}` is not supported"),
            Self::MatMul => f.write_str("the matrix product `@` is not supported"),
            Self::IntTooLarge => f.write_str("an int literal beyond 127 bits is not supported"),
            Self::AssignTarget { name } => write!(f, "assigning to {name} is not supported"),
            Self::PossiblyUnbound { name } => {
                write!(f, "{name} may have no value when the loop starts")
            }
            Self::PrivateName { name } => write!(f, "the name {name} is mangled inside a class"),
            Self::RespelledName { name } => {
                write!(f, "the name {name} is not spelled in its normal form")
            }
            Self::Function { name, why } => {
                write!(f, "the function {name} cannot be inlined: it {why}")
            }
            Self::Type { name, ty } => {
                let n = if ty.starts_with(['a', 'e', 'i', 'o', 'u']) { "n" } else { "" };
                write!(f, "{name} is a{n} {ty}, which is not supported")
            }
            Self::Operator { op, operands } => {
                write!(f, "`{op}` is not supported for {}", operands.join(" and "))
            }
            Self::TypeChanges { name, from, to } => {
                write!(f, "{name} changes its type from {from} to {to} in the nest")
            }
            Self::UnknownFunction { name } => write!(f, "the function {name} is not known"),
            Self::UnknownAttribute { name, ty } => {
                write!(f, "the attribute {name} of a {ty} is not supported")
            }
            Self::RankMismatch {
                name,
                rank,
                subscripts,
            } => {
                write!(
                    f,
                    "{name} has {rank} dimensions and is given {subscripts} subscripts"
                )
            }
            Self::RankTooLarge { name, rank } => {
                write!(f, "{name} has {rank} dimensions, more than are supported")
            }
            Self::Arguments { name, why } => {
                write!(f, "this call of {name} is not supported: {why}")
            }
            Self::Iterable { what } => write!(f, "looping over {what} is not supported"),
            Self::ArrayExpression { what } => {
                write!(
                    f,
                    "{what} works on whole arrays, which is not supported in a nest"
                )
            }
            Self::ReadOnly { name } => write!(f, "{name} is read-only"),
            Self::Recursion { name } => write!(f, "the function {name} is recursive"),
            Self::ReturnShape { name } if name.is_empty() => {
                f.write_str("this form of return is not supported")
            }
            Self::ReturnShape { name } => write!(f, "the way {name} returns is not supported"),
            Self::ObjectIdentity { what } => {
                write!(f, "{what} would have to be an object of its own")
            }
            Self::AlwaysRaises { what } => write!(f, "{what} raises"),
            Self::TooLarge { what, limit } => write!(f, "more than {limit} {what}"),
            Self::Small => f.write_str("it takes less time than asking where to run it"),
            Self::NeverEnds => f.write_str(
                "no iteration ends but by an exception: the loops inside run by themselves",
            ),
            Self::Unsupported { what } => write!(f, "{what} is not supported"),
            Self::Internal { message } => write!(f, "internal: {message}"),
        }
    }
}

impl std::error::Error for Refusal {}

/// The refusal of something that no other refusal describes.
pub(crate) fn unsupported(what: &str, span: Span) -> nestwise_ir::WithSpan<Refusal> {
    let what = what.into();
    refuse(span, Refusal::Unsupported { what })
}
