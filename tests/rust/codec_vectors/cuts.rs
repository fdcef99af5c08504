//! Images and streams that lack a part of their middle, but not their end: a cut in front of the
//! end marker, a tile less, packets less. A decoder that takes zeros for what is missing would give
//! values in silence.

use zarr_wasm::error::ErrorKind;

use super::vector::{Vector, vectors};
use super::{decode_all, pipeline};

/// What is left must be an error, or all that there was.
fn check(vector: &Vector, encoded: &[u8], what: &str) -> bool {
    match decode_all(&pipeline(vector), encoded) {
        Ok(decoded) => {
            let whole = decode_all(&pipeline(vector), &vector.encoded).unwrap();
            assert!(decoded == whole, "{} {what}", vector.name);
            false
        }
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Format, "{} {what}: {error}", vector.name);
            true
        }
    }
}

fn of(codecs: &[&str]) -> Vec<Vector> {
    vectors().into_iter().filter(|vector| codecs.contains(&vector.codec.name.as_str())).collect()
}

/// The offset of the first byte behind the first header of a scan.
fn first_scan(image: &[u8]) -> usize {
    let mut at = 2;
    while image[at + 1] != 0xda {
        at += 2 + usize::from(u16::from_be_bytes([image[at + 2], image[at + 3]]));
    }
    at + 2 + usize::from(u16::from_be_bytes([image[at + 2], image[at + 3]]))
}

#[test]
fn a_jpeg_cut_in_its_scans_is_an_error_with_an_end_marker_too() {
    let mut tried = 0;
    for vector in of(&["imagecodecs_jpeg", "jpeg"]) {
        let image = &vector.encoded;
        let has_header = image.starts_with(&[0xff, 0xd8]);
        let (start, end) = if has_header { (first_scan(image), image.len() - 2) } else { (0, image.len()) };
        let mut refused = 0;
        for cut in start..end {
            let marker: &[u8] = if has_header { &[0xff, 0xd9] } else { &[] };
            let cut_image = [&image[..cut], marker].concat();
            refused += usize::from(check(&vector, &cut_image, &format!("cut to {cut} and ended")));
            tried += 1;
        }
        // The last byte may have padding alone.
        assert!(refused + 1 >= end - start, "{}: {refused} of {}", vector.name, end - start);
    }
    assert!(tried > 3000, "{tried}");
}

/// A scan less: what other scans have of the image would be a coarse picture.
#[test]
fn a_jpeg_without_one_of_its_scans_is_an_error() {
    for vector in of(&["imagecodecs_jpeg"]).iter().filter(|vector| vector.name.contains("progressive")) {
        let image = &vector.encoded;
        let scans: Vec<usize> =
            (0..image.len()).filter(|at| image[*at..].starts_with(&[0xff, 0xda])).collect();
        assert!(scans.len() > 3, "{}", vector.name);
        for scan in &scans[1..] {
            let cut = [&image[..*scan], &[0xff, 0xd9]].concat();
            assert!(check(vector, &cut, "without its last scans"), "{}", vector.name);
        }
    }
}

/// The tile-parts of a codestream: their offsets and lengths, which JPEG 2000 writes in them.
fn tile_parts(image: &[u8]) -> Vec<(usize, usize)> {
    let header = image.windows(4).position(|bytes| bytes == [0xff, 0x90, 0, 10]).expect("a tile-part");
    let mut parts = Vec::new();
    let mut at = header;
    while image[at..].starts_with(&[0xff, 0x90]) {
        let len = u32::from_be_bytes(*image[at + 6..].first_chunk().unwrap()) as usize;
        parts.push((at, len));
        at += len;
    }
    parts
}

/// The offset of the length of the box that a codestream is in.
fn codestream_box(image: &[u8]) -> Option<usize> {
    image.windows(4).position(|bytes| bytes == b"jp2c").map(|at| at - 4)
}

/// The image without these bytes, and with lengths that fit.
fn without(image: &[u8], part: Option<(usize, usize)>, start: usize, end: usize) -> Vec<u8> {
    let mut image = image.to_vec();
    let gone = u32::try_from(end - start).unwrap();
    let offsets = [part.map(|(at, _)| at + 6), codestream_box(&image)];
    for at in offsets.into_iter().flatten() {
        let len = u32::from_be_bytes(*image[at..].first_chunk().unwrap());
        // 0 stands for the rest of the file.
        if len > 0 {
            image[at..at + 4].copy_from_slice(&(len - gone).to_be_bytes());
        }
    }
    image.drain(start..end);
    image
}

#[test]
fn a_jpeg_2000_image_without_a_tile_is_an_error() {
    let mut tried = 0;
    for vector in of(&["imagecodecs_jpeg2k"]) {
        let parts = tile_parts(&vector.encoded);
        for (at, len) in parts.iter().filter(|_| parts.len() > 1) {
            let less = without(&vector.encoded, None, *at, at + len);
            assert!(check(&vector, &less, "without a tile"), "{}", vector.name);
            tried += 1;
        }
    }
    assert!(tried > 10, "{tried}");
}

#[test]
fn a_jpeg_2000_image_without_its_last_packets_is_an_error() {
    for vector in of(&["imagecodecs_jpeg2k"]) {
        for (at, len) in tile_parts(&vector.encoded) {
            // What is left of a tile-part is its header, with two bytes SOD.
            for end in (at + 14..at + len).step_by(1 + len / 60) {
                let less = without(&vector.encoded, Some((at, len)), end, at + len);
                assert!(check(&vector, &less, &format!("without {end}..{}", at + len)), "{}", vector.name);
            }
        }
    }
}

/// Likewise in a GRIB message, whose section 7 and whole length say what is left.
#[test]
fn a_grib_message_whose_image_lacks_packets_is_an_error() {
    let mut tried = 0;
    for vector in of(&["grib"]).iter().filter(|vector| vector.name.contains("/jpeg-")) {
        let message = &vector.encoded;
        let Some(image) = message.windows(4).position(|bytes| bytes == [0xff, 0x4f, 0xff, 0x51]) else {
            continue;
        };
        let (at, len) = (tile_parts(&message[image..])[0].0 + image, tile_parts(&message[image..])[0].1);
        for end in at + 14..at + len {
            let mut less = without(message, Some((at, len)), end, at + len);
            let gone = u32::try_from(at + len - end).unwrap();
            for at in [12, image - 5] {
                let len = u32::from_be_bytes(*less[at..].first_chunk().unwrap());
                less[at..at + 4].copy_from_slice(&(len - gone).to_be_bytes());
            }
            assert!(check(vector, &less, &format!("without {end}..")), "{}", vector.name);
            tried += 1;
        }
    }
    assert!(tried > 200, "{tried}");
}

/// A cut may leave all that there was: zfp fills up its last word.
#[test]
fn a_zfp_stream_that_is_cut_is_an_error_or_whole() {
    for vector in of(&["zfp", "zfpy"]) {
        let len = vector.encoded.len();
        for cut in 0..len {
            let refused = check(&vector, &vector.encoded[..cut], &format!("cut to {cut}"));
            assert!(refused || len - cut < 8, "{} cut to {cut} of {len}", vector.name);
        }
    }
}

/// The file of chunks (RIFF) whose last chunk lacks these last bytes.
fn shorter_riff(image: &[u8], gone: usize) -> Option<Vec<u8>> {
    let len_at = |at: usize| u32::from_le_bytes(*image[at..].first_chunk().unwrap()) as usize;
    let mut last = 12;
    while last + 8 + len_at(last + 4).next_multiple_of(2) < image.len() {
        last += 8 + len_at(last + 4).next_multiple_of(2);
    }
    let len = len_at(last + 4).checked_sub(gone)?;
    let mut less = image[..last + 8 + len].to_vec();
    less.resize(less.len().next_multiple_of(2), 0);
    less[last + 4..last + 8].copy_from_slice(&u32::try_from(len).unwrap().to_le_bytes());
    let whole = u32::try_from(less.len() - 8).unwrap();
    less[4..8].copy_from_slice(&whole.to_le_bytes());
    Some(less)
}

/// The PNG whose only chunk of pixels lacks these last bytes.
fn shorter_png(image: &[u8], gone: usize) -> Option<Vec<u8>> {
    let at = image.windows(4).position(|bytes| bytes == b"IDAT")?;
    let len = u32::from_be_bytes(*image[at - 4..].first_chunk()?) as usize;
    let kept = len.checked_sub(gone)?;
    let content = &image[at..at + 4 + kept];
    let length = u32::try_from(kept).unwrap().to_be_bytes();
    let sum = super::memory::crc32(content).to_be_bytes();
    Some([&image[..at - 4], &length, content, &sum, &image[at + 4 + len + 4..]].concat())
}

/// The QOI image that lacks its last bytes, but not its end marker.
fn shorter_qoi(image: &[u8], gone: usize) -> Option<Vec<u8>> {
    let end = image.len() - 8;
    Some([image.get(14..end.checked_sub(gone)?).map(|_| &image[..end - gone])?, &image[end..]].concat())
}

/// The JPEG XL file whose last box, which is the codestream, lacks these last bytes.
fn shorter_jpegxl(image: &[u8], gone: usize) -> Option<Vec<u8>> {
    let at = image.windows(4).position(|bytes| bytes == b"jxlc")?;
    let kept = image.len().checked_sub(gone).filter(|kept| *kept > at + 4)?;
    let mut less = image[..kept].to_vec();
    if less[at - 4..at] != [0; 4] {
        less[at - 4..at].copy_from_slice(&u32::try_from(kept + 4 - at).unwrap().to_be_bytes());
    }
    Some(less)
}

/// The LERC blob of version 2, which has no checksum, without its last bytes.
fn shorter_lerc(image: &[u8], gone: usize) -> Option<Vec<u8>> {
    let kept = image.len().checked_sub(gone).filter(|kept| *kept > 34)?;
    let mut less = image[..kept].to_vec();
    if less[6] != 2 {
        return None;
    }
    less[26..30].copy_from_slice(&u32::try_from(kept).unwrap().to_le_bytes());
    Some(less)
}

type Shorter = fn(&[u8], usize) -> Option<Vec<u8>>;

/// Other images, whose lengths say that nothing is missing.
#[test]
fn an_image_whose_lengths_hide_a_cut_is_an_error() {
    let formats: [(&[&str], Shorter); 5] = [
        (&["imagecodecs_webp"], shorter_riff),
        (&["imagecodecs_png", "imagecodecs_spng"], shorter_png),
        (&["imagecodecs_qoi"], shorter_qoi),
        (&["imagecodecs_jpegxl", "jpegxl"], shorter_jpegxl),
        (&["imagecodecs_lerc"], shorter_lerc),
    ];
    for (codecs, shorter) in formats {
        let mut refused = 0;
        for vector in of(codecs) {
            let most = vector.encoded.len();
            for gone in (1..most).step_by(1 + most / 100) {
                let Some(less) = shorter(&vector.encoded, gone) else { break };
                refused += usize::from(check(&vector, &less, &format!("without {gone} of {most} bytes")));
            }
        }
        assert!(refused > 50, "{codecs:?}: {refused}");
    }
}
