//! A source text: lexed, screened for what would hurt the parser, and parsed.

use std::panic::{AssertUnwindSafe, catch_unwind};

use nestwise_ir::{Span, WithSpan};
use rustpython_parser::{Mode, StringKind, Tok, ast, lexer, parse_tokens};

use crate::refusal::Refusal;
use crate::syntax::lines::Lines;
use crate::syntax::names;

/// The most tokens of one logical line. The parser's own tree is at most that deep and freed recursively.
const MAX_LINE_TOKENS: usize = 2000;

/// The most `elif`s of a text (each nests in the one before), and the deepest indentation.
const MAX_BLOCKS: usize = 500;

/// The longest text in bytes.
const MAX_TEXT: usize = 1 << 20;

/// The line that is put in front of an indented text so that it parses.
const WRAPPER: &str = "if 1:\n";

/// A parsed text.
pub(crate) struct Source {
    pub lines: Lines,
    screened: Screened,
    /// The text as it was parsed.
    parsed: String,
}

/// The result of lexing, screening and parsing a text.
pub(crate) struct Screened {
    pub suite: Vec<ast::Stmt>,
    /// Offsets of f-strings, which were replaced by plain ones.
    pub f_strings: Vec<u32>,
    /// Offsets of strings with escapes that the parser may read differently from CPython.
    pub odd_strings: Vec<u32>,
    /// Whether the text may suspend the function around it.
    pub suspends: bool,
}

impl std::ops::Deref for Source {
    type Target = Screened;
    fn deref(&self) -> &Screened {
        &self.screened
    }
}

impl Source {
    /// The text between two of the parser's offsets.
    pub fn text(&self, start: u32, end: u32) -> Option<&str> {
        self.parsed.get(start as usize..end as usize)
    }

    /// Parses a text whose first line is line `first_line`; `indented` says that it starts with indentation.
    pub fn parse(text: &str, first_line: u32, indented: bool) -> Result<Source, WithSpan<Refusal>> {
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
        Ok(Source {
            lines,
            screened,
            parsed: wrapped,
        })
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
