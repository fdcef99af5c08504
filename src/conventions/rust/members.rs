//! Tables of what a convention says of the members of its objects: whether an object must have
//! them, and what each must be. [`Pointer::check`] reports what does not fit.

use super::finding::Report;
use super::pointer::Pointer;

/// A member of an object: its key and what it must be.
#[derive(Clone, Copy)]
pub enum Member<'a> {
    /// The object must have it.
    Required(&'a str, Type<'a>),
    /// The object may have it.
    Optional(&'a str, Type<'a>),
}

/// What a value must be.
#[derive(Clone, Copy)]
pub enum Type<'a> {
    /// Anything.
    Any,
    /// A string.
    Text,
    /// A number.
    Number,
    /// An integer that is not below this one.
    Integer(i64),
    /// A boolean.
    Flag,
    /// A list of numbers: of so many, if that is given.
    Numbers(Option<usize>),
    /// An object with these members, and any others.
    Object(&'a [Member<'a>]),
    /// A list of at least so many values of a type.
    List(usize, &'a Type<'a>),
    /// As `List`, without duplicates.
    Distinct(usize, &'a Type<'a>),
    /// What a function checks.
    Rule(&'a dyn Fn(&Pointer<'_>, &mut Report)),
}

impl Pointer<'_> {
    /// Reports where the value is not what it must be.
    pub fn check(&self, is: Type<'_>, report: &mut Report) {
        match is {
            Type::Any => {}
            Type::Text => drop(self.string(report)),
            Type::Number => drop(self.number(report)),
            Type::Integer(least) => drop(self.integer(least, report)),
            Type::Flag => drop(self.boolean(report)),
            Type::Numbers(len) => drop(self.numbers(len, report)),
            Type::Object(members) => {
                if self.object(report).is_some() {
                    self.check_members(members, report);
                }
            }
            Type::List(least, each) => check_all(self.array(least, report), *each, report),
            Type::Distinct(least, each) => check_all(self.distinct(least, report), *each, report),
            Type::Rule(check) => check(self, report),
        }
    }

    /// Checks the members, if this is an object.
    pub fn check_members(&self, members: &[Member<'_>], report: &mut Report) {
        for member in members {
            let (found, is) = match *member {
                Member::Required(key, is) => (self.require(key, report), is),
                Member::Optional(key, is) => (self.member(key), is),
            };
            if let Some(found) = found {
                found.check(is, report);
            }
        }
    }
}

fn check_all(items: Option<Vec<Pointer<'_>>>, is: Type<'_>, report: &mut Report) {
    for item in items.unwrap_or_default() {
        item.check(is, report);
    }
}
