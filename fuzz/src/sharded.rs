//! Writes shards the plain way, one inner chunk after the other, with the index at the end. It
//! shares no code with the library.

/// A shard of these inner chunks; `None` for a chunk that is absent. All numbers of the index are
/// little-endian 64-bit integers (`sharding_indexed`, section "Binary shard format").
pub fn shard(chunks: &[Option<Vec<u8>>]) -> Vec<u8> {
    let (mut bytes, mut index) = (Vec::new(), Vec::new());
    for chunk in chunks {
        let entry = match chunk {
            Some(chunk) => [bytes.len() as u64, chunk.len() as u64],
            None => [u64::MAX; 2],
        };
        index.extend(entry.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend(chunk.iter().flatten());
    }
    bytes.extend(index);
    bytes
}
