//! Fetching what a read would need, without decoding it: it is there when the read comes, among the encoded bytes that are kept, and in
//! the caches between reader and wire.

use std::rc::Rc;

use crate::access::part::Part;
use crate::access::selection::Selection;
use crate::error::Result;
use crate::read::array::Array;
use crate::read::decoder::{Decoder, EncodedChunks, PartDecoder};
use crate::read::{OutputLayout, PartData, PartSink, Progress, ReadRequest, read};
use crate::store::{LocalFuture, RequestContext, Value};

/// Decodes nothing.
struct Discarding;

impl Decoder for Discarding {
    fn begin(&self, _array: &Rc<Array>, _header: Vec<u32>) -> Result<Box<dyn PartDecoder>> {
        Ok(Box::new(Self))
    }
}

impl PartDecoder for Discarding {
    fn supply(&mut self, _supply: EncodedChunks) -> Result<()> {
        Ok(())
    }

    fn finish(self: Box<Self>) -> LocalFuture<'static, Result<Value>> {
        Box::pin(async { Ok(Value::from(Vec::new())) })
    }
}

/// Keeps nothing.
struct Listener<'a>(&'a dyn Fn(&Progress));

impl PartSink for Listener<'_> {
    fn begin(&self, _layout: &OutputLayout) -> Result<()> {
        Ok(())
    }

    fn part(&self, _part: &Part, _data: PartData) -> LocalFuture<'_, Result<()>> {
        Box::pin(async { Ok(()) })
    }

    fn progress(&self, progress: &Progress) {
        (self.0)(progress);
    }
}

/// Fetches the chunks of a selection.
///
/// # Errors
/// As [`read`], but for what only decoding would find.
pub async fn prefetch(
    array: &Rc<Array>,
    selection: Selection,
    on_progress: &dyn Fn(&Progress),
    context: &RequestContext,
) -> Result<Progress> {
    let request = ReadRequest {
        selection,
        order: None,
        streamed: true,
        nearest: None,
        conversion: None,
        decodes: false,
    };
    let decoder: Rc<dyn Decoder> = Rc::new(Discarding);
    read(array, &request, &decoder, &Listener(on_progress), context).await
}
