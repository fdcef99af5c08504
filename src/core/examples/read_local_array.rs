//! Reads a part of a Zarr array from a folder, and prints its numbers, row by row:
//!
//! ```sh
//! cargo run --example read_local_array -- path/to/array 0:2 :
//! ```
//!
//! The first argument is the folder of an array (with `zarr.json` or `.zarray`). Each further
//! argument selects along one dimension: an index, or `start:stop` with either side optional.
//!
//! It shows what a program does with this crate: it parses metadata, plans a read, fetches the
//! bytes that the plan asks for, and decodes them. All input and output is in the program.

use std::error::Error;
use std::fs::File;
use std::io::{ErrorKind, Read as _, Seek, SeekFrom};
use std::path::Path;

use zarr_wasm::metadata::{DataType, NodeDocument, ZARR_JSON, ZARRAY, ZATTRS, ZarrFormat};
use zarr_wasm::{Array, ArrayBytes, ByteRange, DimensionSelection, Selection, SliceSelection};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("name the folder of an array")?;
    let selection = arguments.map(|text| selected(&text)).collect::<Result<Vec<_>, _>>()?;
    let folder = Path::new(&folder);

    let array = Array::new(&documents(folder)?)?;
    let mut read = array.read(&Selection::Orthogonal(selection))?;
    loop {
        let requests = read.requests();
        if requests.is_empty() {
            break;
        }
        for request in requests {
            let bytes = fetch(&folder.join(&request.key), request.range)?;
            read.supply(&request, bytes.as_deref())?;
        }
    }
    let row = read.shape().last().map_or(Ok(1), |extent| usize::try_from(*extent))?;
    let elements = read.finish()?;
    print_rows(&numbers(&array.metadata().data_type, &elements)?, row);
    Ok(())
}

/// The metadata documents of the array: `zarr.json`, or v2's `.zarray` and `.zattrs`.
fn documents(folder: &Path) -> Result<NodeDocument, Box<dyn Error>> {
    if let Some(text) = fetch(&folder.join(ZARR_JSON), ByteRange::Whole)? {
        return Ok(NodeDocument::read(ZarrFormat::V3, &[(ZARR_JSON, &text)])?);
    }
    let Some(array) = fetch(&folder.join(ZARRAY), ByteRange::Whole)? else {
        return Err(format!("{} has neither zarr.json nor .zarray", folder.display()).into());
    };
    let attributes = fetch(&folder.join(ZATTRS), ByteRange::Whole)?;
    let mut documents = vec![(ZARRAY, array.as_slice())];
    documents.extend(attributes.as_deref().map(|text| (ZATTRS, text)));
    Ok(NodeDocument::read(ZarrFormat::V2, &documents)?)
}

/// The requested bytes of a file. `None` if there is no file.
fn fetch(path: &Path, range: ByteRange) -> Result<Option<Vec<u8>>, Box<dyn Error>> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let mut bytes = Vec::new();
    match range {
        ByteRange::Whole => file.read_to_end(&mut bytes)?,
        ByteRange::At { offset, len } => {
            file.seek(SeekFrom::Start(offset))?;
            file.take(len).read_to_end(&mut bytes)?
        }
        ByteRange::Last(len) => {
            let size = file.metadata()?.len();
            file.seek(SeekFrom::Start(size.saturating_sub(len)))?;
            file.read_to_end(&mut bytes)?
        }
    };
    Ok(Some(bytes))
}

/// `3` is an index; `1:4`, `1:`, `:4` and `:` are slices.
fn selected(text: &str) -> Result<DimensionSelection, Box<dyn Error>> {
    let bound = |text: &str| match text {
        "" => Ok(None),
        number => number.parse().map(Some),
    };
    Ok(match text.split_once(':') {
        None => DimensionSelection::Index(text.parse()?),
        Some((start, stop)) => {
            DimensionSelection::Slice(SliceSelection { start: bound(start)?, stop: bound(stop)?, step: None })
        }
    })
}

/// Elements are packed and little-endian. A program handles the data types that it needs.
fn numbers(data_type: &DataType, elements: &ArrayBytes) -> Result<Vec<f64>, Box<dyn Error>> {
    let ArrayBytes::Fixed(bytes) = elements else { return Err("the elements are not numbers".into()) };
    Ok(match data_type.name().as_ref() {
        "uint8" => bytes.iter().map(|byte| f64::from(*byte)).collect(),
        "uint16" => bytes.as_chunks().0.iter().map(|word| f64::from(u16::from_le_bytes(*word))).collect(),
        "int32" => bytes.as_chunks().0.iter().map(|word| f64::from(i32::from_le_bytes(*word))).collect(),
        "float32" => bytes.as_chunks().0.iter().map(|word| f64::from(f32::from_le_bytes(*word))).collect(),
        "float64" => bytes.as_chunks().0.iter().map(|word| f64::from_le_bytes(*word)).collect(),
        name => return Err(format!("this example does not print {name}").into()),
    })
}

#[allow(clippy::print_stdout)]
fn print_rows(numbers: &[f64], row: usize) {
    for row in numbers.chunks(row.max(1)) {
        let texts: Vec<String> = row.iter().map(f64::to_string).collect();
        println!("{}", texts.join(" "));
    }
}
