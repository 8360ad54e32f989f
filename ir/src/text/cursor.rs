//! One line of text that is read from left to right.

use crate::text::error::ReadError;

/// A position in a line. Spaces between words are skipped.
pub(super) struct Cursor<'a> {
    /// The number of the line, from 1.
    line: usize,
    text: &'a str,
    at: usize,
    /// How deeply the current expression is nested.
    depth: usize,
}

pub(super) type Read<T> = Result<T, ReadError>;

/// The deepest nesting of expressions: the verifier and the passes recurse as the reader does.
const DEPTH: usize = 300;

impl<'a> Cursor<'a> {
    pub(super) fn new(line: usize, text: &'a str) -> Cursor<'a> {
        Cursor {
            line,
            text,
            at: 0,
            depth: 0,
        }
    }

    pub(super) fn rest(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let trimmed = rest.trim_start_matches(' ');
        self.at += rest.len() - trimmed.len();
        trimmed
    }

    /// The current position: the line, and the column in bytes, from 0.
    pub(super) fn position(&mut self) -> (u32, u32) {
        self.rest();
        (self.line as u32, self.at as u32)
    }

    /// The current position, to come [`back`](Cursor::back) to.
    pub(super) fn mark(&self) -> usize {
        self.at
    }

    pub(super) fn back(&mut self, mark: usize) {
        self.at = mark;
    }

    /// The error that `what` does not stand here.
    pub(super) fn expected<T>(&mut self, what: impl Into<String>) -> Read<T> {
        let found = self.next_word();
        Err(ReadError {
            line: self.line,
            column: self.text[..self.at].chars().count() + 1,
            expected: what.into(),
            found: if found.is_empty() {
                "the end of the line".to_string()
            } else {
                format!("`{found}`")
            },
        })
    }

    /// Calls `f` to read an expression inside another; an error if that is nested too deeply.
    pub(super) fn deeper<T>(&mut self, f: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth == DEPTH {
            return self.expected(format!("at most {DEPTH} expressions in one another"));
        }
        self.depth += 1;
        let found = f(self);
        self.depth -= 1;
        found
    }

    /// A run of letters, digits, `_` and `.`, or a single other character; empty at the end.
    fn next_word(&mut self) -> &'a str {
        let rest = self.rest();
        let word = run(rest);
        match rest.chars().next() {
            Some(c) if word.is_empty() => &rest[..c.len_utf8()],
            _ => word,
        }
    }

    pub(super) fn is_done(&mut self) -> bool {
        self.rest().is_empty()
    }

    pub(super) fn done(&mut self) -> Read<()> {
        match self.is_done() {
            true => Ok(()),
            false => self.expected("the end of the line"),
        }
    }

    /// Whether `symbol` follows; it is passed then.
    pub(super) fn eat(&mut self, symbol: &str) -> bool {
        let found = self.rest().starts_with(symbol);
        self.at += if found { symbol.len() } else { 0 };
        found
    }

    /// Whether `symbol` follows without a space before it; it is passed then.
    pub(super) fn eat_tight(&mut self, symbol: &str) -> bool {
        let found = self.text[self.at..].starts_with(symbol);
        self.at += if found { symbol.len() } else { 0 };
        found
    }

    pub(super) fn expect(&mut self, symbol: &str) -> Read<()> {
        match self.eat(symbol) {
            true => Ok(()),
            false => self.expected(format!("`{symbol}`")),
        }
    }

    /// The run of letters, digits, `_` and `.` that follows, without passing it.
    pub(super) fn peek(&mut self) -> &'a str {
        run(self.rest())
    }

    /// Whether the whole word `word` follows; it is passed then.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek() == word;
        self.at += if found { word.len() } else { 0 };
        found
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Read<()> {
        match self.eat_word(word) {
            true => Ok(()),
            false => self.expected(format!("`{word}`")),
        }
    }

    /// Reads a word that `f` knows.
    pub(super) fn known<T>(&mut self, what: &str, f: impl FnOnce(&str) -> Option<T>) -> Read<T> {
        let word = self.peek();
        match f(word) {
            Some(found) => {
                self.at += word.len();
                Ok(found)
            }
            None => self.expected(what),
        }
    }

    /// Reads an id with this prefix.
    pub(super) fn id(&mut self, prefix: &str, what: &str) -> Read<u32> {
        self.known(what, |word| number(word, prefix))
    }

    /// The id with this prefix that follows, without passing it.
    pub(super) fn peek_id(&mut self, prefix: &str) -> Option<u32> {
        number(self.peek(), prefix)
    }

    /// Reads an integer, perhaps negative.
    pub(super) fn int<T: std::str::FromStr>(&mut self) -> Read<T> {
        let rest = self.rest();
        let sign = usize::from(rest.starts_with('-'));
        let digits = rest[sign..]
            .find(|c: char| !c.is_ascii_digit())
            .map_or(rest.len(), |n| n + sign);
        match rest[..digits].parse() {
            Ok(found) if digits > sign => {
                self.at += digits;
                Ok(found)
            }
            _ => self.expected("an integer"),
        }
    }

    /// Reads items with commas between them, up to `end`, which is passed.
    pub(super) fn list<T>(
        &mut self,
        end: &str,
        mut item: impl FnMut(&mut Self) -> Read<T>,
    ) -> Read<Vec<T>> {
        let mut all = vec![];
        if self.eat(end) {
            return Ok(all);
        }
        loop {
            all.push(item(self)?);
            if self.eat(end) {
                return Ok(all);
            }
            if !self.eat(",") {
                return self.expected(format!("`,` or `{end}`"));
            }
        }
    }

    /// Reads at least one item, with commas between them.
    pub(super) fn items<T>(&mut self, mut item: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let mut all = vec![item(self)?];
        while self.eat(",") {
            all.push(item(self)?);
        }
        Ok(all)
    }

    /// Reads a name: a bare one up to a space or a colon, or one in quotes.
    pub(super) fn name(&mut self) -> Read<String> {
        let rest = self.rest();
        if !rest.starts_with('"') {
            let n = rest.find([' ', ':']).unwrap_or(rest.len());
            self.at += n;
            return Ok(rest[..n].to_string());
        }
        let mut name = String::new();
        let mut chars = rest.char_indices().skip(1);
        while let Some((n, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += n + 1;
                    return Ok(name);
                }
                '\\' => match chars.next() {
                    Some((_, 'n')) => name.push('\n'),
                    Some((_, c)) => name.push(c),
                    None => break,
                },
                c => name.push(c),
            }
        }
        self.expected("a closing quote")
    }
}

fn run(text: &str) -> &str {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    &text[..text.find(|c| !part(c)).unwrap_or(text.len())]
}

fn number(word: &str, prefix: &str) -> Option<u32> {
    let digits = word.strip_prefix(prefix)?;
    let plain = digits.chars().all(|c| c.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten()
}
