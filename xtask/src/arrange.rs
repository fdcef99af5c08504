//! Orders the functions of a wasm build so that similar ones are near each other. DEFLATE finds
//! repetitions within 32 KiB only, and the build that a page loads first is compressed with it
//! ([`deflate`](super::deflate)).
//!
//! It begins with the longest function. The next one is always the one that shares most with the
//! last ones. What functions share is counted in sequences of six bytes, and rare ones count most.

use std::collections::BTreeMap;

use wasmparser::{Parser, Payload, TypeRef};

use crate::Result;
use crate::order::{Order, unreadable};

/// The module in its new order.
///
/// # Errors
/// A message for bytes that are not a module.
pub fn arranged(wasm: &[u8]) -> Result<Vec<u8>> {
    let (mut types, mut imports, mut bodies) = (0, 0, Vec::new());
    for payload in Parser::new(0).parse_all(wasm) {
        match payload.map_err(unreadable)? {
            Payload::TypeSection(section) => types = section.count() as usize,
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    let is_function = matches!(import.map_err(unreadable)?.ty, TypeRef::Func(_));
                    imports += usize::from(is_function);
                }
            }
            Payload::CodeSectionEntry(body) => bodies.push(body.as_bytes().to_vec()),
            _ => {}
        }
    }
    let mut functions = vec![0; bodies.len()];
    for (index, function) in by_likeness(&bodies).into_iter().enumerate() {
        functions[function] = imports + index;
    }
    let (types, imports) = ((0..types).collect(), (0..imports).collect());
    Order { types, imports, functions }.written(wasm)
}

/// The bytes of a sequence.
const SEQUENCE: usize = 6;

/// The bytes of the last functions that a function is compared with. A little less than 32 KiB is
/// best, because a repetition costs more bits if it is far away.
const WINDOW: usize = 24_000;

/// The most functions that a sequence may be in. What is in more of them is near anyway.
const MAX_FUNCTIONS: usize = 300;

/// The sequences that several functions share.
struct Shared {
    /// The sequences of each function.
    of_function: Vec<Vec<usize>>,
    /// The functions that have each sequence.
    functions: Vec<Vec<usize>>,
}

impl Shared {
    fn of(bodies: &[Vec<u8>]) -> Self {
        let mut all = BTreeMap::<&[u8], Vec<usize>>::new();
        for (at, body) in bodies.iter().enumerate() {
            for sequence in body.windows(SEQUENCE) {
                let functions = all.entry(sequence).or_default();
                if functions.last() != Some(&at) {
                    functions.push(at);
                }
            }
        }
        let functions: Vec<Vec<usize>> =
            all.into_values().filter(|functions| (2..=MAX_FUNCTIONS).contains(&functions.len())).collect();
        let mut of_function = vec![Vec::new(); bodies.len()];
        for (sequence, having) in functions.iter().enumerate() {
            for function in having {
                of_function[*function].push(sequence);
            }
        }
        Self { of_function, functions }
    }

    /// How much a sequence counts. Integers, so that sums do not depend on their order.
    #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "lists are short")]
    #[allow(clippy::cast_sign_loss, reason = "roots are positive")]
    fn weight(&self, sequence: usize) -> u64 {
        (1e6 / (self.functions[sequence].len() as f64).sqrt()) as u64
    }
}

/// What the last functions share with each of the others.
struct Window<'a> {
    shared: &'a Shared,
    /// How often each sequence is in the window.
    counts: Vec<usize>,
    /// By function: the weights of its sequences that are in the window.
    scores: Vec<u64>,
}

impl Window<'_> {
    fn enter(&mut self, function: usize) {
        for sequence in &self.shared.of_function[function] {
            self.counts[*sequence] += 1;
            if self.counts[*sequence] == 1 {
                let weight = self.shared.weight(*sequence);
                self.shared.functions[*sequence].iter().for_each(|other| self.scores[*other] += weight);
            }
        }
    }

    fn leave(&mut self, function: usize) {
        for sequence in &self.shared.of_function[function] {
            self.counts[*sequence] -= 1;
            if self.counts[*sequence] == 0 {
                let weight = self.shared.weight(*sequence);
                self.shared.functions[*sequence].iter().for_each(|other| self.scores[*other] -= weight);
            }
        }
    }
}

/// The numbers of the functions in the new order.
#[allow(clippy::cast_precision_loss, reason = "sums of weights need not be exact")]
fn by_likeness(bodies: &[Vec<u8>]) -> Vec<usize> {
    let shared = Shared::of(bodies);
    let (counts, scores) = (vec![0; shared.functions.len()], vec![0; bodies.len()]);
    let mut window = Window { shared: &shared, counts, scores };
    // A long function shares more than a short one, but not in proportion.
    let roots: Vec<f64> = bodies.iter().map(|body| (body.len() as f64 + 20.0).sqrt()).collect();
    let mut left: Vec<usize> = (0..bodies.len()).collect();
    let (mut order, mut oldest, mut size) = (Vec::new(), 0, 0);
    let longest = left.iter().copied().max_by_key(|at| bodies[*at].len());
    let mut next = longest;
    while let Some(function) = next {
        left.retain(|other| *other != function);
        order.push(function);
        window.enter(function);
        size += bodies[function].len();
        while size > WINDOW && oldest + 1 < order.len() {
            size -= bodies[order[oldest]].len();
            window.leave(order[oldest]);
            oldest += 1;
        }
        let likeness = |at: usize| window.scores[at] as f64 / roots[at];
        // Of equals the first one: they are sorted by name.
        next = left.iter().copied().rev().max_by(|one, other| likeness(*one).total_cmp(&likeness(*other)));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::{arranged, by_likeness};
    use crate::sample::{meaning, module};

    #[test]
    fn the_module_stays_the_same_program() {
        let wasm = module(
            r#"(module
                (import "a" "log" (func $log (param i32)))
                (func $one (result i32) i32.const 1)
                (func $long (export "long") (param i64) (result i64)
                    local.get 0 i64.const 77 i64.add i64.const 78 i64.mul)
                (func $two (result i32) i32.const 2)
                (func (export "main") call $two call $log call $one call $log))"#,
        );
        let after = arranged(&wasm).unwrap();
        assert_ne!(after, wasm, "the longest function comes first");
        assert_eq!(meaning(&after), meaning(&wasm));
        assert_eq!(arranged(&after).unwrap(), after);
    }

    #[test]
    fn similar_functions_follow_each_other() {
        let bodies = ["the first of one kind", "something else here", "the second of one kind", "else here"];
        let bodies = bodies.map(|text| text.as_bytes().to_vec());
        assert_eq!(by_likeness(&bodies), [2, 0, 1, 3]);
    }
}
