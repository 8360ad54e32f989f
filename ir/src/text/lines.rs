//! The lines of a text.

use crate::text::cursor::{Cursor, Read};

/// A line that is not empty.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    /// The number of the line, from 1.
    pub(super) number: usize,
    /// The level of indentation, of two spaces each.
    pub(super) level: usize,
    /// The text of the line, with its leading spaces.
    pub(super) text: &'a str,
}

/// The lines of a text that are neither empty nor comments.
pub(super) struct Lines<'a> {
    all: Vec<Line<'a>>,
    at: usize,
    last: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn of(text: &'a str) -> Read<Lines<'a>> {
        let mut all = vec![];
        for (n, text) in text.lines().enumerate() {
            let spaces = text.len() - text.trim_start_matches(' ').len();
            let said = text.trim();
            if said.is_empty() || said.starts_with('#') {
                continue;
            }
            let line = Line {
                number: n + 1,
                level: spaces / 2,
                text,
            };
            if spaces % 2 != 0 {
                return Cursor::of(line).expected("an even number of spaces before this");
            }
            all.push(line);
        }
        let last = text.lines().count();
        Ok(Lines { all, at: 0, last })
    }

    pub(super) fn peek(&self) -> Option<Line<'a>> {
        self.all.get(self.at).copied()
    }

    pub(super) fn next(&mut self) -> Option<Line<'a>> {
        let line = self.peek();
        self.at += 1;
        line
    }

    /// The error that `what` is missing at the end.
    pub(super) fn missing<T>(&self, what: &str) -> Read<T> {
        Cursor::new(self.last + 1, "").expected(what)
    }
}
