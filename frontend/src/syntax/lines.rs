//! Converts byte offsets in a piece of the user's file to lines and columns.

use nestwise_ir::Span;

/// The table of where the lines of a text start. Lines end as Python's do: at `\n`, `\r\n` or `\r`.
#[derive(Debug)]
pub(crate) struct Lines {
    /// The byte offset of each line's first byte, ascending; the first is 0.
    starts: Vec<u32>,
    /// The line of the user's file that the text starts with, 1-based.
    first_line: u32,
    /// The number of bytes in front of the text that the parser saw and the user did not write.
    prefix: u32,
}

impl Lines {
    /// The lines of `text`, which starts at line `first_line` and was given to the parser behind `prefix` bytes.
    pub(crate) fn new(text: &str, first_line: u32, prefix: u32) -> Lines {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (i, &byte) in bytes.iter().enumerate() {
            let ends = match byte {
                b'\n' => true,
                b'\r' => bytes.get(i + 1) != Some(&b'\n'),
                _ => false,
            };
            if ends {
                starts.push(i as u32 + 1);
            }
        }
        Lines {
            starts,
            first_line,
            prefix,
        }
    }

    /// The position in the user's file of a parser's byte offset.
    pub(crate) fn span(&self, offset: u32) -> Span {
        let offset = offset.saturating_sub(self.prefix);
        let line = self
            .starts
            .partition_point(|&start| start <= offset)
            .saturating_sub(1);
        let start = self.starts.get(line).copied().unwrap_or(0);
        Span {
            line: self.first_line.saturating_add(line as u32),
            column: offset - start,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_end_of_python_counts() {
        let lines = Lines::new("a\nb\r\nc\rd", 10, 0);
        let at = |offset| (lines.span(offset).line, lines.span(offset).column);
        assert_eq!(
            [at(0), at(2), at(5), at(7)],
            [(10, 0), (11, 0), (12, 0), (13, 0)]
        );
    }

    #[test]
    fn columns_count_bytes_and_skip_the_prefix() {
        let lines = Lines::new("\u{e9} = x", 1, 6);
        assert_eq!(lines.span(6 + 5), Span { line: 1, column: 5 });
        assert_eq!(lines.span(0), Span { line: 1, column: 0 });
    }
}
