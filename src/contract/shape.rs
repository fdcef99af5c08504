//! How TypeScript sees the types of the contract: their declarations, and the names of the shapes
//! in `src/engine/ts/model/records.ts` by which their values are written and read.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// How TypeScript sees a type.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The type.
    declared: String,
    /// The expression of its shape.
    pub(crate) made: String,
    is_optional: bool,
}

impl Shape {
    /// A type that needs no declaration.
    pub fn primitive(declared: &str, made: &str) -> Self {
        Self { declared: declared.to_owned(), made: made.to_owned(), is_optional: false }
    }

    /// A declared type.
    fn named(name: &str) -> Self {
        Self::primitive(name, &shape_name(name))
    }

    /// This type, or undefined.
    #[must_use]
    pub fn optional(self) -> Self {
        Self { made: format!("optional({})", self.made), is_optional: true, ..self }
    }

    /// A list of this type.
    #[must_use]
    pub fn list(self) -> Self {
        let declared = self.whole();
        let is_one_word = !declared.contains(' ') || declared.starts_with('[');
        let entry = if is_one_word { declared } else { format!("({declared})") };
        Self::primitive(&format!("{entry}[]"), &format!("list({})", self.made))
    }

    /// A tuple of these types.
    pub fn tuple(shapes: &[Self]) -> Self {
        let all = |text: fn(&Self) -> String| shapes.iter().map(text).collect::<Vec<_>>().join(", ");
        Self::primitive(&format!("[{}]", all(Self::whole)), &format!("tuple({})", all(|it| it.made.clone())))
    }

    /// The type, with `undefined` if it is optional.
    pub(crate) fn whole(&self) -> String {
        if self.is_optional { format!("{} | undefined", self.declared) } else { self.declared.clone() }
    }
}

/// A member of a record.
#[derive(Debug)]
pub struct Member {
    /// Its name in Rust.
    pub name: &'static str,
    /// Its documentation, a line each.
    pub docs: &'static [&'static str],
    /// Its type.
    pub shape: Shape,
}

/// The declared types, by name.
#[derive(Debug, Default)]
pub struct Types(BTreeMap<&'static str, String>);

impl Types {
    /// The declarations, by name.
    pub(crate) fn declarations(&self) -> String {
        self.0.values().map(String::as_str).collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn declare(&mut self, name: &'static str, text: impl FnOnce(&mut Self) -> String) -> Shape {
        if !self.0.contains_key(name) {
            // A type may contain itself.
            self.0.insert(name, String::new());
            let text = text(self);
            self.0.insert(name, text);
        }
        Shape::named(name)
    }

    /// Declares a record.
    pub fn record(
        &mut self,
        name: &'static str,
        docs: &[&str],
        members: impl FnOnce(&mut Self) -> Vec<Member>,
    ) -> Shape {
        self.declare(name, |types| {
            let (mut declared, mut made) = (String::new(), String::new());
            for Member { name, docs, shape } in members(types) {
                let (name, mark) = (camel(name), if shape.is_optional { "?" } else { "" });
                let _ = writeln!(declared, "{}  {name}{mark}: {};", comment(docs, "  "), shape.whole());
                let _ = writeln!(made, "  {name}: {},", shape.made);
            }
            let shape = shape_name(name);
            format!(
                "{}export interface {name} {{\n{declared}}}\n\nexport const {shape}: Shape<{name}> = /* @__PURE__ */ record(() => ({{\n{made}}}));\n",
                comment(docs, ""),
            )
        })
    }

    /// Declares one of some texts.
    pub fn texts(&mut self, name: &'static str, docs: &[&str], all: &[&str]) -> Shape {
        self.declare(name, |_| {
            let quoted: Vec<String> = all.iter().map(|text| format!("\"{text}\"")).collect();
            let (list, constant, shape) = (quoted.join(", "), constant_name(name), shape_name(name));
            format!(
                "{}export type {name} = (typeof {constant})[number];\nexport const {constant} = [{list}] as const;\n\nexport const {shape}: Shape<{name}> = /* @__PURE__ */ texts({constant});\n",
                comment(docs, ""),
            )
        })
    }

    /// Declares one of some texts, which crosses in JSON.
    pub(crate) fn names(&mut self, name: &'static str, docs: &[&str], all: &[&str]) {
        let quoted: Vec<String> = all.iter().map(|text| format!("\"{text}\"")).collect();
        let (list, constant) = (quoted.join(", "), constant_name(name));
        self.declare(name, |_| {
            format!(
                "{}export type {name} = (typeof {constant})[number];\nexport const {constant} = [{list}] as const;\n",
                comment(docs, ""),
            )
        });
    }

    /// Declares texts, and objects with one member.
    pub fn union(
        &mut self,
        name: &'static str,
        docs: &[&str],
        variants: impl FnOnce(&mut Self) -> Vec<(&'static str, Option<Shape>)>,
    ) -> Shape {
        self.declare(name, |types| {
            let (mut declared, mut made) = (String::new(), String::new());
            for (variant, shape) in variants(types) {
                let (ty, shape) = match shape {
                    None => (format!("\"{variant}\""), "undefined".to_owned()),
                    Some(shape) => (format!("{{ {variant}: {} }}", shape.whole()), shape.made),
                };
                let _ = write!(declared, "\n  | {ty}");
                let _ = writeln!(made, "  {variant}: {shape},");
            }
            let shape = shape_name(name);
            format!(
                "{}export type {name} ={declared};\n\nexport const {shape}: Shape<{name}> = /* @__PURE__ */ union(() => ({{\n{made}}}));\n",
                comment(docs, ""),
            )
        })
    }
}

/// The name of the constant that is a type's shape.
fn shape_name(name: &str) -> String {
    let (first, rest) = name.split_at(1);
    format!("{}{rest}Shape", first.to_lowercase())
}

/// The name of the constant that lists the texts of a type.
fn constant_name(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push('_');
        }
        words.extend(letter.to_uppercase());
    }
    match words.strip_suffix('Y') {
        Some(words) => format!("{words}IES"),
        None => format!("{}S", words.strip_suffix('S').unwrap_or(&words)),
    }
}

/// A name of Rust as TypeScript writes it.
pub(crate) fn camel(name: &str) -> String {
    let mut words = name.trim_start_matches("r#").split('_');
    let mut camel = words.next().unwrap_or_default().to_owned();
    for word in words {
        let (first, rest) = word.split_at(1);
        let _ = write!(camel, "{}{rest}", first.to_uppercase());
    }
    camel
}

/// Documentation as a comment.
pub(crate) fn comment(docs: &[&str], indent: &str) -> String {
    match docs {
        [] => String::new(),
        [line] => format!("{indent}/**{line} */\n"),
        lines => {
            let lines: String = lines.iter().map(|line| format!("{indent} *{line}\n")).collect();
            format!("{indent}/**\n{lines}{indent} */\n")
        }
    }
}
