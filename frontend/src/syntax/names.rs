//! Names and strings that the parser reads differently from CPython.

/// Whether CPython would know a name by another spelling than the source's: it normalises names (NFKC), the parser
/// does not. Letters of the scripts that programs use are known to be their own normal form; others count as changed.
pub(crate) fn is_respelled(name: &str) -> bool {
    !name.chars().all(|c| {
        c.is_ascii()
            || matches!(c,
                '\u{c0}'..='\u{ff}'         // Latin-1 letters
                | '\u{391}'..='\u{3ce}'     // Greek
                | '\u{400}'..='\u{481}'     // Cyrillic
                | '\u{3041}'..='\u{3096}'   // Hiragana
                | '\u{30a1}'..='\u{30fa}'   // Katakana
                | '\u{4e00}'..='\u{9fff}'   // CJK
            )
    })
}

/// Whether a class body would mangle the name (`__x`, not `__x__`). The text of a site does not show whether it
/// stands in one.
pub(crate) fn is_private(name: &str) -> bool {
    name.starts_with("__") && !name.ends_with("__")
}

/// Whether a string literal's source holds an escape other than the plain ones: named characters, which the
/// parser's table may lack, and unknown escapes.
pub(crate) fn has_odd_escape(source: &str) -> bool {
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        if c == '\\' {
            match chars.next() {
                Some('\\' | '\'' | '"' | 'a' | 'b' | 'f' | 'n' | 'r' | 't' | 'v') => {}
                Some('x' | 'u' | 'U' | '0'..='7' | '\n') => {}
                _ => return true,
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_forms() {
        for same in ["abc", "\u{3b1}_2", "\u{e9}t\u{e9}", "\u{5909}\u{6570}"] {
            assert!(!is_respelled(same), "{same}");
        }
        // A ligature, the micro sign, a combining accent, a mathematical letter.
        for changed in ["\u{fb01}", "\u{b5}", "e\u{301}", "\u{1d41a}"] {
            assert!(is_respelled(changed), "{changed}");
        }
    }

    #[test]
    fn escapes() {
        assert!(!has_odd_escape(r"\n\x41\\N\0"));
        assert!(has_odd_escape(r"\N{BULLET}"));
        assert!(has_odd_escape(r"\d"));
    }

    #[test]
    fn private_names() {
        assert!(is_private("__x") && !is_private("__x__") && !is_private("_x"));
    }
}
