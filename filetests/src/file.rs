//! The parts of a file test.

/// The line between input and expectation.
const MARK: &str = "# expect";

/// A file test.
pub(crate) struct FileTest {
    /// Whether the input is Python, rather than the text form of a nest.
    pub(crate) is_python: bool,
    /// The words behind `# test`: the pass, and its arguments.
    words: Vec<String>,
    /// The line behind `# given`: what names hold.
    pub(crate) given: String,
    /// The words of lines behind `# option`.
    options: Vec<String>,
    /// The lines behind `# schedule`.
    pub(crate) schedule: String,
    /// Everything above the expectation, directives too, so that lines count as in the file.
    pub(crate) input: String,
    /// The expectation, without comment signs.
    pub(crate) expected: String,
}

impl FileTest {
    /// Parses the text of a file test; the error says what is missing.
    pub(crate) fn parse(text: &str, is_python: bool) -> Result<FileTest, String> {
        let at = text.lines().position(|line| line == MARK);
        let at = at.unwrap_or(text.lines().count());
        let input: Vec<&str> = text.lines().take(at).collect();
        let expected = text.lines().skip(at + 1).map(|line| {
            let said = line
                .strip_prefix('#')
                .ok_or(format!("`{line}` below the mark is no comment"))?;
            Ok(said.strip_prefix(' ').unwrap_or(said))
        });
        let expected: Result<Vec<&str>, String> = expected.collect();
        let mut test = FileTest {
            is_python,
            words: vec![],
            given: String::new(),
            options: vec![],
            schedule: String::new(),
            input: input.join("\n") + "\n",
            expected: expected?.join("\n").trim_end().to_string(),
        };
        let mut titled = false;
        for line in input.iter().map_while(|line| line.strip_prefix('#')) {
            let words = |rest: &str| {
                rest.split_whitespace()
                    .map(str::to_string)
                    .collect::<Vec<_>>()
            };
            match line.trim().split_once(' ') {
                Some(("test", rest)) if test.words.is_empty() => test.words = words(rest),
                Some(("given", rest)) => test.given = rest.to_string(),
                Some(("option", rest)) => test.options.extend(words(rest)),
                Some(("schedule", rest)) => test.schedule += &format!("{rest}\n"),
                Some(_) => titled = true,
                None => {}
            }
        }
        if test.words.is_empty() {
            return Err("the first line is not `# test PASS`".into());
        }
        match titled {
            true => Ok(test),
            false => Err("no comment says what it shows".into()),
        }
    }

    /// The name of the pass that is tested.
    pub(crate) fn pass(&self) -> &str {
        &self.words[0]
    }

    /// The words that follow the name of the pass.
    pub(crate) fn arguments(&self) -> &[String] {
        &self.words[1..]
    }

    /// Whether the test gives an option.
    pub(crate) fn has(&self, option: &str) -> bool {
        self.options.iter().any(|o| o == option)
    }

    /// The text of the file with another expectation.
    pub(crate) fn with_expected(&self, output: &str) -> String {
        let mut text = format!("{}\n\n{MARK}\n", self.input.trim_end());
        for line in output.lines() {
            text += format!("# {line}").trim_end();
            text += "\n";
        }
        text
    }
}
