//! The differences between two texts, to be read by people.

/// All lines of both texts: those only expected after a `-`, those that came instead after a `+`, the common ones after
/// a space.
pub(crate) fn lines(expected: &str, output: &str) -> String {
    let (a, b): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), output.lines().collect());
    // By the first lines of each: the longest common subsequence of what follows.
    let mut longest = vec![vec![0_u32; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            longest[i][j] = match a[i] == b[j] {
                true => longest[i + 1][j + 1] + 1,
                false => longest[i + 1][j].max(longest[i][j + 1]),
            };
        }
    }
    let (mut i, mut j, mut text) = (0, 0, String::new());
    while i < a.len() || j < b.len() {
        let (sign, line) = if i < a.len() && j < b.len() && a[i] == b[j] {
            (i, j) = (i + 1, j + 1);
            (' ', a[i - 1])
        } else if j == b.len() || i < a.len() && longest[i + 1][j] >= longest[i][j + 1] {
            i += 1;
            ('-', a[i - 1])
        } else {
            j += 1;
            ('+', b[j - 1])
        };
        text += &format!("  {sign} {line}\n");
    }
    text
}

/// Checks that `output` has what the lines `check: TEXT` say, in this order, and nothing of `not: TEXT` anywhere.
pub(crate) fn checked(checks: &str, output: &str) -> Result<(), String> {
    let mut rest = output;
    let mut found = 0;
    for line in checks.lines() {
        if let Some(text) = line.strip_prefix("check: ") {
            let Some(at) = rest.find(text) else {
                return Err(format!("`{text}` does not follow in\n{rest}"));
            };
            rest = &rest[at + text.len()..];
            found += 1;
        } else if let Some(text) = line.strip_prefix("not: ") {
            if output.contains(text) {
                return Err(format!("`{text}` stands in\n{output}"));
            }
            found += 1;
        } else {
            return Err(format!("`{line}` is neither `check: TEXT` nor `not: TEXT`"));
        }
    }
    match found {
        0 => Err(format!("nothing is checked in\n{output}")),
        _ => Ok(()),
    }
}
