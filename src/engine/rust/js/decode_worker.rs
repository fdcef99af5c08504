//! What a decode worker holds by id: arrays, and parts in progress. `decode_calls` has the
//! calls that it answers.

use std::rc::Rc;

use crate::contract::wasm_module::{Answer, Status, spare};

use super::user_codecs;
use super::worker_part::WorkerPart;
use crate::access::assemble::Assembly;
use crate::access::binding::Binding;
use crate::error::{Error, Result, Stage};
use crate::format::codec::pipeline::Scratch;
use crate::format::metadata::document::NodeDocument;
use crate::sorted::Map;

#[derive(Default)]
pub struct Worker {
    bindings: Map<u32, Rc<Binding>>,
    parts: Map<u32, Box<dyn WorkerPart>>,
    scratch: Scratch,
}

fn unknown(what: &str, id: u32) -> Error {
    Error::argument(format!("the decoder has no {what} with id {id}"))
}

/// # Errors
/// Of all methods: `Argument` for an unknown id, and errors of the codecs.
impl Worker {
    /// Registers an array. `document` was written by `NodeDocument::to_json`; `users` is the input
    /// of `UserCodecs::from_json`, or empty.
    pub fn bind(&mut self, array: u32, document: &str, users: &str) -> Result<()> {
        let users = user_codecs::users_of(users)?;
        let binding = Binding::with_users(&NodeDocument::from_json(document)?, users)?;
        self.bindings.insert(array, Rc::new(binding));
        Ok(())
    }

    pub fn unbind(&mut self, array: u32) {
        self.bindings.remove(&array);
    }

    pub fn binding(&self, array: u32) -> Result<&Rc<Binding>> {
        self.bindings.get(&array).ok_or_else(|| unknown("array", array))
    }

    /// Keeps a part until it is finished or cancelled.
    pub fn hold(&mut self, part: u32, held: Box<dyn WorkerPart>) {
        self.parts.insert(part, held);
    }

    fn part(&mut self, part: u32) -> Result<&mut Box<dyn WorkerPart>> {
        self.parts.get_mut(&part).ok_or_else(|| unknown("part", part))
    }

    pub fn begin(&mut self, part: u32, array: u32, header: &[u32]) -> Result<()> {
        let assembly = Assembly::begin(self.binding(array)?, header, spare())?;
        self.hold(part, Box::new(assembly));
        Ok(())
    }

    pub fn supply(&mut self, part: u32, table: &[u32], buffers: &[&[u8]]) -> Result<()> {
        let assembly = self.parts.get_mut(&part).and_then(|part| part.assembly());
        let assembly = assembly.ok_or_else(|| unknown("part", part))?;
        let supplied = assembly.supply(table, buffers, &mut self.scratch);
        supplied.map_err(|error| error.in_stage(Stage::Decode))
    }

    /// What `user_codecs::write_requests` writes, and whether the part waits for answers.
    pub fn requests(&mut self, part: u32) -> Result<Answer> {
        let part = self.part(part)?;
        let bytes = user_codecs::write_requests(part.as_mut())?;
        let status = if part.is_waiting() { Status::Waiting } else { Status::Done };
        Ok(Answer { status, bytes })
    }

    pub fn take_answer(&mut self, part: u32, id: u32, output: &[u8]) -> Result<()> {
        self.part(part)?.answer(id, output)
    }

    pub fn resume(&mut self, part: u32) -> Result<()> {
        let held = self.parts.get_mut(&part).ok_or_else(|| unknown("part", part))?;
        held.resume(&mut self.scratch)
    }

    pub fn finish(&mut self, part: u32) -> Result<Answer> {
        self.parts.remove(&part).ok_or_else(|| unknown("part", part))?.finish()
    }

    pub fn cancel(&mut self, part: u32) {
        self.parts.remove(&part);
    }
}
