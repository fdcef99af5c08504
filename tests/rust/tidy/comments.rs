//! The rules for comments in Rust, TypeScript, JavaScript, CSS and shell: at most 100 columns, and
//! no words that make a reader guess. Formatters do not break comments, so a test holds the width.
//!
//! The rules hold for the folders in [`HELD`]. A folder is added when all of its files pass.

use super::{files, name, none, text};

const COLUMNS: usize = 100;

/// Words for which there is a plainer one, such as "any caller" or "is in".
const RIDDLES: &[&str] =
    &["nobody", "somebody", "whoever", "whomever", "thereof", "whatsoever", "what becomes of", "stands in"];

/// Folders and the endings of their files.
const HELD: &[(&str, &str)] = &[
    ("benches", ".mjs"),
    ("scripts", ".mjs"),
    ("src", ".js"),
    ("src", ".rs"),
    ("src", ".ts"),
    ("tests/browser", ".mjs"),
    ("tests/conformance", ".mjs"),
    ("tests/engines", ".mjs"),
    ("tests/fixtures/listings", ".sh"),
    ("tests/node", ".mjs"),
    ("tests/rust", ".rs"),
    ("tests/support", ".mjs"),
    ("tests/types", ".ts"),
    ("www/src", ".ts"),
    ("www/style", ".css"),
    ("xtask/src", ".rs"),
];

/// The lines of a text that are comments, with their numbers from 1.
fn comment_lines(text: &str) -> Vec<(usize, &str)> {
    let mut is_block = false;
    let is_comment = |line: &str| {
        let trimmed = line.trim_start();
        let begins = trimmed.starts_with("/*");
        let is_part = is_block || begins || trimmed.starts_with("//") || trimmed.starts_with("# ");
        is_block = (is_block || begins) && !trimmed.contains("*/");
        is_part
    };
    let flags: Vec<bool> = text.lines().map(is_comment).collect();
    let numbered = text.lines().enumerate().map(|(at, line)| (at + 1, line));
    numbered.zip(flags).filter_map(|(line, is_comment)| is_comment.then_some(line)).collect()
}

/// The words of a comment without its signs.
fn body(line: &str) -> &str {
    line.trim_start_matches([' ', '/', '!', '*', '#'])
}

/// Whether a comment is too wide. A row of a table and a single word, such as a URL, cannot be
/// broken.
fn is_wide(line: &str) -> bool {
    let body = body(line);
    line.chars().count() > COLUMNS && !body.starts_with('|') && body.trim_end().contains(' ')
}

/// The first riddle in a comment.
fn riddle(line: &str) -> Option<&'static str> {
    let lower = line.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).collect();
    let plain = format!(" {} ", words.join(" "));
    RIDDLES.iter().copied().find(|riddle| plain.contains(&format!(" {riddle} ")))
}

/// What is wrong with the comments of the held folders, by a rule for one line.
fn broken(rule: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let all = HELD.iter().flat_map(|(folder, ending)| files(folder, ending));
    all.flat_map(|path| {
        let text = text(&path);
        let found = comment_lines(&text)
            .into_iter()
            .filter_map(|(number, line)| rule(line).map(|what| format!("{}:{number}: {what}", name(&path))));
        found.collect::<Vec<_>>()
    })
    .collect()
}

#[test]
fn comments_have_at_most_100_columns() {
    let columns = |line: &str| is_wide(line).then(|| format!("{} columns", line.chars().count()));
    none(broken(columns), "a comment is too wide");
}

#[test]
fn comments_have_plain_words() {
    let words = |line: &str| riddle(line).map(|riddle| format!("\"{riddle}\""));
    none(broken(words), "a comment makes its reader guess");
}

#[test]
fn the_rules_find_wide_comments_and_riddles() {
    let wide = "word ".repeat(21);
    let text = format!("/*\n{wide}\n*/\nlet code = 1; {wide}\n  // {wide}\n# {wide}\n#[{wide}]");
    let found: Vec<usize> =
        comment_lines(&text).into_iter().filter(|(_, line)| is_wide(line)).map(|(at, _)| at).collect();
    assert_eq!(found, [2, 5, 6]);
    assert!(!is_wide(&format!("//! | {wide} |")));
    assert!(!is_wide(&format!("// https://{}", "a".repeat(120))));
    assert_eq!(riddle("/// It is Nobody's to keep."), Some("nobody"));
    assert_eq!(riddle(" * and what becomes of, a chunk"), Some("what becomes of"));
    assert_eq!(riddle("// It understands in time."), None);
}
