//! Orders a wasm build as another build, its prefix: functions, types and imports that both have
//! get the same numbers. Calls name functions by number, so only then are the bytes of their
//! callers the same, and compression ([`pack`](super::pack)) finds them.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::ops::Range;

use wasmparser::{BlockType, FunctionBody, Import, Operator, Parser, Payload, RecGroup, TypeRef};

use crate::Result;
use crate::order::{Order, unreadable};

/// The module `wasm` in the order of `prefix`.
///
/// # Errors
/// A message for bytes that are not a module, and for a module that imports more than functions.
pub fn aligned(wasm: &[u8], prefix: &[u8]) -> Result<Vec<u8>> {
    let (own, known) = (Contents::of(wasm)?, Contents::of(prefix)?);
    let mut order = Order {
        types: indices(&[(own.types, known.types)], 0, 0),
        imports: indices(&[(own.imports.clone(), known.imports.clone())], 0, 0),
        functions: Vec::new(),
    };
    let bodies = [(own.bodies, known.bodies), (own.shapes, known.shapes)];
    order.functions = indices(&bodies, own.imports.len(), known.imports.len());
    order.written(wasm)
}

/// What a module has, as keys: what is the same in two modules has the same key.
#[derive(Default)]
struct Contents {
    types: Vec<RecGroup>,
    /// Module and name.
    imports: Vec<(String, String)>,
    /// The bodies of functions, without the numbers of what they refer to.
    bodies: Vec<Vec<u8>>,
    /// The same, without any constants.
    shapes: Vec<Vec<u8>>,
}

impl Contents {
    fn of(wasm: &[u8]) -> Result<Self> {
        let mut contents = Self::default();
        for payload in Parser::new(0).parse_all(wasm) {
            contents.add(&payload.map_err(unreadable)?)?;
        }
        Ok(contents)
    }

    fn add(&mut self, payload: &Payload<'_>) -> Result<()> {
        match payload {
            Payload::TypeSection(types) => {
                self.types =
                    types.clone().into_iter().collect::<std::result::Result<_, _>>().map_err(unreadable)?;
            }
            Payload::ImportSection(imports) => {
                for import in imports.clone().into_imports() {
                    let Import { module, name, ty } = import.map_err(unreadable)?;
                    if !matches!(ty, TypeRef::Func(_)) {
                        return Err(format!("the import {name:?} is no function"));
                    }
                    self.imports.push((module.to_owned(), name.to_owned()));
                }
            }
            Payload::CodeSectionEntry(body) => {
                self.bodies.push(without_numbers(body, false).map_err(unreadable)?);
                self.shapes.push(without_numbers(body, true).map_err(unreadable)?);
            }
            _ => {}
        }
        Ok(())
    }
}

/// The bytes of a constant that may be an address: static memory begins behind a stack of 1 MiB,
/// so its addresses need three bytes at least.
const ADDRESS: usize = 3;

/// The bytes of a function without the numbers of functions, types and globals, without addresses,
/// and, if `shape`, without integers.
fn without_numbers(body: &FunctionBody<'_>, shape: bool) -> wasmparser::Result<Vec<u8>> {
    let start = body.range().start;
    let mut reader = body.get_operators_reader()?;
    let mut kept = body.as_bytes()[..reader.original_position() - start].to_vec();
    while !reader.eof() {
        let (operator, at) = reader.read_with_offset()?;
        let bytes = &body.as_bytes()[at - start..reader.original_position() - start];
        let len = match operator {
            Operator::Call { .. } | Operator::CallIndirect { .. } | Operator::RefFunc { .. } => 1,
            Operator::GlobalGet { .. } | Operator::GlobalSet { .. } => 1,
            Operator::Block { blockty: BlockType::FuncType(_) }
            | Operator::Loop { blockty: BlockType::FuncType(_) }
            | Operator::If { blockty: BlockType::FuncType(_) } => 1,
            Operator::I32Const { .. } if shape || bytes.len() > ADDRESS => 1,
            // Loads and stores: the alignment is kept, the offset is not.
            _ if (0x28..=0x3e).contains(&bytes[0]) && bytes.len() > 1 + ADDRESS => 2,
            _ => bytes.len(),
        };
        kept.extend_from_slice(&bytes[..len]);
    }
    Ok(kept)
}

/// The numbers of `own` things, which are to begin at `first`, so that as many as possible have the
/// number that an equal thing has among those that are `known`, which begin at `known_first`. Each
/// pair of lists has other keys for the same things; the first ones count most.
fn indices<K: Hash + Eq>(keys: &[(Vec<K>, Vec<K>)], first: usize, known_first: usize) -> Vec<usize> {
    let count = keys.first().map_or(0, |(own, _)| own.len());
    let slots = first..first + count;
    let (mut indices, mut taken) = (vec![None; count], vec![false; slots.end]);
    for (own, known) in keys {
        let mut free: HashMap<&K, VecDeque<usize>> = HashMap::new();
        for (at, key) in known.iter().enumerate() {
            let slot = known_first + at;
            if slots.contains(&slot) && !taken[slot] {
                free.entry(key).or_default().push_back(slot);
            }
        }
        for (key, index) in own.iter().zip(&mut indices).filter(|(_, index)| index.is_none()) {
            *index = free.get_mut(key).and_then(VecDeque::pop_front);
            if let Some(slot) = *index {
                taken[slot] = true;
            }
        }
    }
    fill(indices, &taken, slots)
}

/// Gives what has no index yet those that are left.
fn fill(indices: Vec<Option<usize>>, taken: &[bool], slots: Range<usize>) -> Vec<usize> {
    let mut left = slots.clone().filter(|slot| !taken[*slot]);
    indices.into_iter().map(|index| index.or_else(|| left.next()).unwrap_or(slots.end)).collect()
}

#[cfg(test)]
mod tests {
    use super::{aligned, indices};
    use crate::sample::{meaning, module};

    /// The prefix, and a module with two of its functions, in another order and with one more.
    const PREFIX: &str = r#"(module
        (import "a" "log" (func $log (param i32)))
        (func $add (param i32) (result i32) local.get 0 i32.const 1 i32.add)
        (func (export "main") i32.const 5 call $add call $log))"#;
    const WASM: &str = r#"(module
        (import "a" "more" (func $more))
        (import "a" "log" (func $log (param i32)))
        (func $own (export "own") call $more nop)
        (func (export "main") i32.const 5 call $add call $log)
        (func $add (param i32) (result i32) local.get 0 i32.const 1 i32.add))"#;

    #[test]
    fn the_module_has_the_prefixs_numbers_and_stays_the_same_program() {
        let (wasm, prefix) = (module(WASM), module(PREFIX));
        let after = aligned(&wasm, &prefix).unwrap();
        assert_eq!(meaning(&after), meaning(&wasm));
        // The body of `main`, with the index of `log`, is that of the prefix.
        let call_of_log = [0x10, 0x00, 0x0b];
        assert!(after.windows(3).any(|bytes| bytes == call_of_log), "{after:x?}");
        assert!(!wasm.windows(3).any(|bytes| bytes == call_of_log));
        let own = aligned(&prefix, &prefix).unwrap();
        assert_eq!(aligned(&own, &prefix).unwrap(), own);
    }

    #[test]
    fn equal_things_get_equal_numbers_and_others_what_is_left() {
        // The prefix has five things, from 2 on; the module's own begin at 3.
        let known = vec!["a", "b", "c", "c", "d"];
        let own = vec!["new", "c", "b", "a", "c", "c"];
        assert_eq!(indices(&[(own, known)], 3, 2), [6, 4, 3, 7, 5, 8]);
    }

    #[test]
    fn later_keys_number_what_the_first_did_not() {
        let exact = (vec!["x1", "x2"], vec!["x2", "x3"]);
        let loose = (vec!["x", "x"], vec!["x", "x"]);
        assert_eq!(indices(&[exact, loose], 0, 0), [1, 0]);
    }
}
