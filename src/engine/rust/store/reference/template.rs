//! The templates of reference documents: text with `{{ expressions }}`. Supports the part of Jinja
//! that such documents use. <https://fsspec.github.io/kerchunk/spec.html>
//!
//! An expression consists of names, integers, quoted text, `+ - * // % **` and `~`, parentheses,
//! calls of templates with named arguments, and `"%03d" % i` or `"%03d"|format(i)`. Statements,
//! attributes and other filters are not supported.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::error::{Error, Result};
use crate::limits;
use crate::quoted::quoted;

/// Maximum nesting of expressions, and of templates in templates.
const DEPTH: usize = 16;

/// Maximum length of a rendered text.
const RENDERED_BYTES: usize = 1 << 16;

/// The most rendered bytes of a document for each of its bytes, those of a short one besides, and
/// those of each reference that is generated.
const RENDERED_TIMES: u64 = 16;
const RENDERED_FLOOR: u64 = 1 << 20;
const GENERATED_BYTES: u64 = 1 << 9;

/// A text costs a step for each so many bytes, whenever it is read.
const BYTES_OF_A_STEP: usize = 256;

/// The value of a name. Millions of references may use it, so they share its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Binding {
    Integer(i64),
    Text(Rc<str>),
    /// Text with expressions, which are rendered when it is called.
    Template(Rc<str>),
}

impl Binding {
    /// A template of a document. Text without expressions needs no call.
    pub fn of_template(text: &str) -> Self {
        if text.contains("{{") { Self::Template(text.into()) } else { Self::Text(text.into()) }
    }

    fn into_text(self) -> Rc<str> {
        match self {
            Self::Integer(number) => number.to_string().into(),
            Self::Text(text) | Self::Template(text) => text,
        }
    }

    /// Length of the text in bytes.
    fn len(&self) -> usize {
        match self {
            Self::Integer(_) => 0,
            Self::Text(text) | Self::Template(text) => text.len(),
        }
    }
}

/// The values of names.
pub type Names = BTreeMap<Rc<str>, Binding>;

/// Whether a text contains expressions.
pub fn has_expressions(text: &str) -> bool {
    text.contains("{{")
}

/// What all texts of one document have cost. Templates may call each other many times.
#[derive(Debug)]
pub struct Budget {
    steps: Cell<u64>,
    bytes: Cell<u64>,
    /// The most bytes: references of few bytes may all call a template with a long text.
    most_bytes: Cell<u64>,
    /// The steps of the present text.
    own_steps: Cell<u64>,
}

#[allow(clippy::arithmetic_side_effects, reason = "costs of texts that are in memory")]
impl Budget {
    /// The budget of a document of `len` bytes.
    pub fn of(len: usize) -> Self {
        let most = (len as u64).saturating_mul(RENDERED_TIMES).saturating_add(RENDERED_FLOOR);
        Self {
            steps: Cell::default(),
            bytes: Cell::default(),
            most_bytes: Cell::new(most),
            own_steps: Cell::default(),
        }
    }

    /// Takes back the cost of a text that is not kept.
    pub fn dropped(&self, bytes: usize) {
        self.bytes.set(self.bytes.get().saturating_sub(bytes as u64));
    }

    /// Allows the texts of a reference that a generator makes: few bytes make many.
    pub fn generated(&self) {
        self.most_bytes.set(self.most_bytes.get().saturating_add(GENERATED_BYTES));
    }

    /// Charges a step.
    fn step(&self) -> Result<()> {
        self.charge(1)
    }

    /// Charges the reading of a text.
    fn read(&self, bytes: usize) -> Result<()> {
        self.charge((bytes / BYTES_OF_A_STEP) as u64)
    }

    fn charge(&self, steps: u64) -> Result<()> {
        let (all, own) = (self.steps.get() + steps, self.own_steps.get() + steps);
        self.steps.set(all);
        self.own_steps.set(own);
        if all > limits::TEMPLATE_STEPS || own > limits::STEPS_OF_ONE_TEXT {
            return Err(Error::limit("the templates of a reference document take too many steps"));
        }
        Ok(())
    }

    fn rendered(&self, bytes: usize) -> Result<()> {
        self.bytes.set(self.bytes.get() + bytes as u64);
        let most = self.most_bytes.get().min(limits::RENDERED_BYTES);
        limits::within(self.bytes.get(), most, "the rendered text of templates").map(drop)
    }
}

/// Renders a text: replaces its expressions.
///
/// # Errors
/// `Format` for an unsupported expression or an unknown name; `Limit` for a result that is too
/// long, and beyond the budget.
pub fn render(text: &str, names: &[&Names], budget: &Budget) -> Result<String> {
    budget.own_steps.set(0);
    let rendered = render_at(text, Scope { names, budget, depth: 0 })?;
    budget.rendered(rendered.len())?;
    Ok(rendered)
}

/// Where a text is rendered.
#[derive(Clone, Copy)]
struct Scope<'a> {
    names: &'a [&'a Names],
    budget: &'a Budget,
    depth: usize,
}

fn render_at(text: &str, scope: Scope<'_>) -> Result<String> {
    if scope.depth > DEPTH {
        return Err(Error::format("templates are nested too deeply"));
    }
    if text.len() > RENDERED_BYTES {
        return Err(too_long());
    }
    scope.budget.read(text.len())?;
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let (expression, following) = after.split_once("}}").ok_or_else(|| not_understood(text))?;
        let mut parser = Parser { rest: expression, scope };
        let value = parser.sum().map_err(|error| error.actual(format!("{{{{{expression}}}}}")))?;
        if !parser.peek().is_empty() {
            return Err(not_understood(expression));
        }
        out.push_str(&value.into_text());
        if out.len() > RENDERED_BYTES {
            return Err(too_long());
        }
        rest = following;
    }
    out.push_str(rest);
    Ok(out)
}

fn rendered_binding(text: &str, scope: Scope<'_>) -> Result<Binding> {
    Ok(Binding::Text(render_at(text, scope)?.into()))
}

fn too_long() -> Error {
    Error::limit("the text of a template is too long")
}

/// Joins texts.
fn joined(texts: &[&str], budget: &Budget) -> Result<Binding> {
    let bytes = texts.iter().map(|text| text.len()).sum::<usize>();
    if bytes > RENDERED_BYTES {
        return Err(too_long());
    }
    budget.read(bytes)?;
    Ok(Binding::Text(texts.concat().into()))
}

fn not_understood(expression: &str) -> Error {
    Error::format("a template contains an unsupported expression").actual(format!("{expression:?}"))
}

struct Parser<'a> {
    rest: &'a str,
    scope: Scope<'a>,
}

impl<'a> Parser<'a> {
    fn peek(&mut self) -> &'a str {
        self.rest = self.rest.trim_start();
        self.rest
    }

    fn take(&mut self, token: &str) -> bool {
        match self.peek().strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: &str) -> Result<()> {
        if self.take(token) { Ok(()) } else { Err(not_understood(self.rest)) }
    }

    fn sum(&mut self) -> Result<Binding> {
        let mut left = self.product()?;
        loop {
            left = match () {
                () if self.take("+") => add(left, self.product()?, self.scope.budget)?,
                () if self.take("-") => integers(left, self.product()?, i64::checked_sub)?,
                () if self.take("~") => {
                    let right = self.product()?;
                    joined(&[&left.into_text(), &right.into_text()], self.scope.budget)?
                }
                () => return Ok(left),
            };
        }
    }

    fn product(&mut self) -> Result<Binding> {
        let mut left = self.power()?;
        loop {
            left = match () {
                () if self.take("*") => integers(left, self.power()?, i64::checked_mul)?,
                () if self.take("//") => integers(left, self.power()?, floor_divide)?,
                () if self.take("/") => integers(left, self.power()?, exact_divide)?,
                () if self.take("%") => remainder(left, self.power()?, self.scope.budget)?,
                () => return Ok(left),
            };
        }
    }

    fn power(&mut self) -> Result<Binding> {
        let base = self.filtered()?;
        if !self.take("**") {
            return Ok(base);
        }
        let exponent = self.power()?;
        integers(base, exponent, |base, exponent| base.checked_pow(u32::try_from(exponent).ok()?))
    }

    fn filtered(&mut self) -> Result<Binding> {
        let mut value = self.atom()?;
        while self.take("|") {
            value = match self.name()? {
                "format" => {
                    self.expect("(")?;
                    let argument = self.sum()?;
                    self.expect(")")?;
                    formatted(&value.into_text(), argument, self.scope.budget)?
                }
                "string" => Binding::Text(value.into_text()),
                "int" => Binding::Integer(integer(value)?),
                other => return Err(not_understood(other)),
            };
        }
        Ok(value)
    }

    fn atom(&mut self) -> Result<Binding> {
        self.scope.budget.step()?;
        self.scope.depth = self.scope.depth.saturating_add(1);
        if self.scope.depth > DEPTH {
            return Err(Error::format("an expression of a template is nested too deeply"));
        }
        let value = self.atom_within();
        self.scope.depth = self.scope.depth.saturating_sub(1);
        value
    }

    fn atom_within(&mut self) -> Result<Binding> {
        if self.take("(") {
            let value = self.sum()?;
            self.expect(")")?;
            return Ok(value);
        }
        if self.take("-") {
            return integers(Binding::Integer(0), self.filtered()?, i64::checked_sub);
        }
        match self.peek().chars().next() {
            Some(quote @ ('"' | '\'')) => {
                let parts = self.rest.strip_prefix(quote).and_then(|rest| rest.split_once(quote));
                let (text, rest) = parts.ok_or_else(|| not_understood(self.rest))?;
                self.rest = rest;
                Ok(Binding::Text(text.into()))
            }
            Some('0'..='9') => {
                let digits = self.take_while(|char| char.is_ascii_digit());
                digits.parse().map(Binding::Integer).map_err(|_| not_understood(digits))
            }
            _ => self.named(),
        }
    }

    fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|char| !belongs(char)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    fn name(&mut self) -> Result<&'a str> {
        self.peek();
        let name = self.take_while(|char| char.is_alphanumeric() || char == '_');
        if name.is_empty() { Err(not_understood(self.rest)) } else { Ok(name) }
    }

    fn named(&mut self) -> Result<Binding> {
        let name = self.name()?;
        let found = self.scope.names.iter().find_map(|names| names.get(name));
        let found = found.ok_or_else(|| {
            Error::format(format!("a template uses the name {}, which is not defined", quoted(name)))
        })?;
        self.scope.budget.read(found.len())?;
        if !self.take("(") {
            // A template that is named but not called is called with nothing.
            return match found {
                Binding::Template(text) => rendered_binding(text, self.below(self.scope.names)),
                value => Ok(value.clone()),
            };
        }
        let arguments = self.arguments()?;
        match found {
            Binding::Template(text) => {
                let names: Vec<&Names> =
                    std::iter::once(&arguments).chain(self.scope.names.iter().copied()).collect();
                rendered_binding(text, self.below(&names))
            }
            value => Ok(value.clone()),
        }
    }

    /// The scope of a template that is called here.
    fn below<'n>(&self, names: &'n [&'n Names]) -> Scope<'n>
    where
        'a: 'n,
    {
        Scope { names, budget: self.scope.budget, depth: self.scope.depth.saturating_add(1) }
    }

    /// Parses `name=value, …)`.
    fn arguments(&mut self) -> Result<Names> {
        let mut arguments = Names::new();
        while !self.take(")") {
            let name = Rc::from(self.name()?);
            self.expect("=")?;
            let value = self.sum()?;
            arguments.insert(name, value);
            if !self.take(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(arguments)
    }
}

fn add(left: Binding, right: Binding, budget: &Budget) -> Result<Binding> {
    match (left, right) {
        (Binding::Integer(left), Binding::Integer(right)) => {
            integers(Binding::Integer(left), Binding::Integer(right), i64::checked_add)
        }
        (Binding::Text(left), Binding::Text(right)) => joined(&[&left, &right], budget),
        _ => Err(Error::format("a template adds a number to text")),
    }
}

fn integer(value: Binding) -> Result<i64> {
    match value {
        Binding::Integer(number) => Ok(number),
        Binding::Text(text) | Binding::Template(text) => text
            .trim()
            .parse()
            .map_err(|_| Error::format("a template calculates with a value that is not an integer")),
    }
}

fn integers(left: Binding, right: Binding, operation: impl Fn(i64, i64) -> Option<i64>) -> Result<Binding> {
    let (Binding::Integer(left), Binding::Integer(right)) = (left, right) else {
        return Err(Error::format("a template calculates with a value that is not an integer"));
    };
    let result = operation(left, right);
    result
        .map(Binding::Integer)
        .ok_or_else(|| Error::format("the result of a calculation in a template is not a 64-bit integer"))
}

/// Divides as Python does: rounds down.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "the quotient fits: `checked_div` refuses 0 and the overflow of -1"
)]
fn floor_divide(left: i64, right: i64) -> Option<i64> {
    let quotient = left.checked_div(right)?;
    let is_below = left % right != 0 && (left < 0) != (right < 0);
    Some(if is_below { quotient - 1 } else { quotient })
}

/// Divides; `None` if the result is not an integer.
#[allow(clippy::arithmetic_side_effects, reason = "`checked_rem` refuses 0 and the overflow of -1")]
fn exact_divide(left: i64, right: i64) -> Option<i64> {
    (left.checked_rem(right)? == 0).then(|| left / right)
}

/// `%` as in Python: applied to text, it formats.
fn remainder(left: Binding, right: Binding, budget: &Budget) -> Result<Binding> {
    match left {
        Binding::Text(format) => formatted(&format, right, budget),
        left => integers(left, right, |left, right| {
            left.checked_sub(floor_divide(left, right)?.checked_mul(right)?)
        }),
    }
}

/// Formats one value with printf's `%d`, `%5d`, `%05d` or `%s`.
fn formatted(format: &str, value: Binding, budget: &Budget) -> Result<Binding> {
    let (before, after) = format.split_once('%').ok_or_else(|| not_understood(format))?;
    let end = after.find(|char: char| !char.is_ascii_digit()).ok_or_else(|| not_understood(format))?;
    let (width, rest) = after.split_at(end);
    let columns: usize =
        if width.is_empty() { 0 } else { width.parse().map_err(|_| not_understood(format))? };
    if format.len().saturating_add(value.len()) > RENDERED_BYTES {
        return Err(too_long());
    }
    let mut rest = rest.chars();
    let text = match rest.next() {
        Some('d' | 'i') if columns <= 64 => {
            let number = integer(value)?;
            if width.starts_with('0') { format!("{number:0columns$}") } else { format!("{number:columns$}") }
        }
        Some('s') if columns <= 64 => format!("{:>columns$}", value.into_text()),
        _ => return Err(not_understood(format)),
    };
    joined(&[before, &text, rest.as_str()], budget)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn names() -> Names {
        let entries = [
            ("u", Binding::Text("https://host/a".into())),
            ("f", Binding::of_template("https://host/{{c}}.nc")),
            ("loop", Binding::of_template("{{loop}}")),
            ("i", Binding::Integer(7)),
        ];
        entries.map(|(name, value)| (name.into(), value)).into()
    }

    #[test]
    fn expressions() {
        for (text, expected) in [
            ("plain", "plain"),
            ("{{u}}/x", "https://host/a/x"),
            ("{{ u }}-{{i}}", "https://host/a-7"),
            ("{{f(c='text')}}", "https://host/text.nc"),
            ("{{ f( c = \"a\" ~ i ) }}", "https://host/a7.nc"),
            ("{{(i+1)*1000}}", "8000"),
            ("{{ i * 2 - 3 * (4 - 2) }}", "8"),
            ("{{ -i // 2 }} {{ -i % 4 }} {{ 8 / 2 }} {{ 2**3**2 }}", "-4 1 4 512"),
            ("{{ '%03d' % i }}_{{ \"%d\" | format(i) }}_{{ 'a%sb' % 'x' }}", "007_7_axb"),
            ("{{ '12'|int + 1 }}", "13"),
        ] {
            assert_eq!(render(text, &[&names()], &Budget::of(0)).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn unsupported_expressions_are_rejected() {
        let deep = format!("{{{{{}1{}}}}}", "(".repeat(100_000), ")".repeat(100_000));
        for text in [
            "{{",
            "{{}}",
            "{{ x }}",
            "{{ u.upper() }}",
            "{{ i + 'a' }}",
            "{{ i / 2 }}",
            "{{ 1 // 0 }}",
            "{{ i % 0 }}",
            "{{ 9223372036854775807 + 1 }}",
            "{{ u | upper }}",
            "{{ f(c) }}",
            "{{ loop }}",
            "{{ 'a }}",
            "{{ '%f' % 1 }}",
            "{{ '%99999999d' % 1 }}",
            "{{ 1 2 }}",
            "{{ 2 ** 64 }}",
            "{{ 2 ** -1 }}",
            deep.as_str(),
        ] {
            assert!(render(text, &[&names()], &Budget::of(0)).is_err(), "{text}");
        }
    }
    /// Templates that call each other many times, with and without text in the end.
    #[test]
    fn templates_that_multiply_are_a_limit_error() {
        for last in ["", "x"] {
            let mut names = Names::new();
            names.insert("t5".into(), Binding::of_template(&format!("{{{{'{last}'}}}}")));
            for at in 0..5 {
                let text = format!("{{{{t{}}}}}", at + 1).repeat(1000);
                names.insert(format!("t{at}").into(), Binding::of_template(&text));
            }
            let error = render("{{t0}}", &[&names], &Budget::of(0)).unwrap_err();
            assert_eq!(error.kind(), crate::error::ErrorKind::Limit, "{last}");
        }
    }

    #[test]
    fn text_that_doubles_in_arguments_is_a_limit_error() {
        let mut names = Names::new();
        names.insert("double".into(), Binding::of_template("{{x ~ x}}"));
        let long = "y".repeat(60_000);
        let text = format!("{{{{double(x=double(x='{long}'))}}}}");
        let error = render(&text, &[&names], &Budget::of(0)).unwrap_err();
        assert_eq!(error.kind(), crate::error::ErrorKind::Limit);
    }

    #[test]
    fn uses_of_long_texts_are_charged() {
        let names = Names::from([
            ("f".into(), Binding::of_template("{{1}}")),
            ("long".into(), Binding::Text(" ".repeat(1 << 20).into())),
            ("short".into(), Binding::Text(" 7 ".into())),
        ]);
        for (text, is_allowed) in [
            ("{{f(x=long)}}".repeat(1000), false),
            ("{{f(x=short)}}".repeat(1000), true),
            ("{{short|int}}".repeat(1000), true),
            ("{{'%s' % long}}".to_owned(), false),
            (format!("{{{{'{}'{}}}}}", "a".repeat(32_000), "~'b'".repeat(6000)), false),
            (format!("{{{{'a'{}}}}}", "~'b'".repeat(1000)), true),
        ] {
            let rendered = render(&text, &[&names], &Budget::of(0));
            let expected = if is_allowed { None } else { Some(crate::error::ErrorKind::Limit) };
            assert_eq!(rendered.err().map(|error| error.kind()), expected, "{}", &text[..13]);
        }
    }

    #[test]
    fn the_texts_of_one_document_share_a_budget() {
        let (budget, text) = (Budget::of(1 << 16), "x".repeat(1 << 16));
        let failed = (0..=1 << 12).find_map(|_| render(&text, &[], &budget).err());
        assert_eq!(failed.unwrap().kind(), crate::error::ErrorKind::Limit);
        // 16 times the document, and what it may have besides.
        let (budget, texts) = (Budget::of(1 << 16), 16 + 16);
        assert!((0..texts).all(|_| render(&text, &[], &budget).is_ok()));
        budget.generated();
        assert!(render("{{1}}", &[], &budget).is_ok());
        assert!(render(&text, &[], &budget).is_err());
    }
}
