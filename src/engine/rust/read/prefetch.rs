//! Fetches the chunks of a selection without decoding them. A later read finds them in the chunk
//! cache and in the HTTP cache.

use std::rc::Rc;

use crate::access::part::Part;
use crate::access::selection::Selection;
use crate::error::Result;
use crate::read::array::Array;
use crate::read::decoder::{Decoded, Decoder, EncodedChunks, PartDecoder};
use crate::read::{OutputLayout, PartData, PartSink, Progress, ReadRequest, read};
use crate::store::{LocalFuture, RequestContext, Value};

/// A decoder that decodes nothing.
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

    fn finish(self: Box<Self>) -> LocalFuture<'static, Decoded<Value>> {
        Box::pin(async { Ok(Value::from(Vec::new())) })
    }
}

/// A sink that only reports progress.
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
/// Errors of [`read`], except those that only decoding finds.
pub async fn prefetch(
    array: &Rc<Array>,
    selection: Selection,
    on_progress: &dyn Fn(&Progress),
    context: &RequestContext,
) -> Result<Progress> {
    let request = ReadRequest {
        selection,
        order: None,
        padded: false,
        growth: None,
        spreads: false,
        streamed: true,
        nearest: None,
        conversion: None,
        decodes: false,
    };
    let decoder: Rc<dyn Decoder> = Rc::new(Discarding);
    read(array, &request, &decoder, &Listener(on_progress), context).await
}
