//! Texts in quotation marks, as in JSON and in messages. `{:?}` of the standard library would bring
//! its tables of Unicode into every program.

/// Writes a text as a JSON string.
pub fn quoted(text: &str) -> String {
    let mut written = String::with_capacity(text.len().saturating_add(2));
    written.push('"');
    for char in text.chars() {
        let short = match char {
            '"' | '\\' => char,
            '\u{8}' => 'b',
            '\u{c}' => 'f',
            '\n' => 'n',
            '\r' => 'r',
            '\t' => 't',
            '\0'..' ' => {
                written.push_str("\\u00");
                written.extend([u32::from(char) >> 4, u32::from(char) & 15].map(hex_digit));
                continue;
            }
            _ => {
                written.push(char);
                continue;
            }
        };
        written.extend(['\\', short]);
    }
    written.push('"');
    written
}

fn hex_digit(value: u32) -> char {
    char::from_digit(value, 16).unwrap_or('0')
}
