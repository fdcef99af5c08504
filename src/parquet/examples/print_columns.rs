//! Prints columns of a Parquet file, row by row: texts or whole numbers.
//!
//! ```sh
//! cargo run --package zarr-wasm-parquet --example print_columns -- refs.0.parq path offset size
//! ```

use std::error::Error;

use zarr_wasm_parquet::{BytesColumn, ParquetFile};

/// A column of either kind.
enum Column {
    Texts(BytesColumn),
    Numbers(Vec<u64>),
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let bytes = std::fs::read(arguments.next().ok_or("name a file, and then columns")?)?;
    let file = ParquetFile::parse(&bytes)?;
    let columns = arguments.map(|name| column(&file, &name)).collect::<Result<Vec<_>, _>>()?;
    for row in 0..file.rows() {
        print(&columns.iter().map(|column| cell(column, row)).collect::<Vec<_>>());
    }
    Ok(())
}

/// A column by name. Its kind is not known before, so both are asked for.
fn column(file: &ParquetFile<'_>, name: &str) -> Result<Column, Box<dyn Error>> {
    if let Ok(Some(numbers)) = file.integers(name) {
        return Ok(Column::Numbers(numbers));
    }
    Ok(Column::Texts(file.strings(name)?.ok_or_else(|| format!("there is no column {name}"))?))
}

fn cell(column: &Column, row: usize) -> String {
    match column {
        Column::Texts(texts) => {
            texts.get(row).map_or("-".to_owned(), |text| String::from_utf8_lossy(text).into_owned())
        }
        Column::Numbers(numbers) => numbers.get(row).map_or("-".to_owned(), u64::to_string),
    }
}

#[allow(clippy::print_stdout)]
fn print(cells: &[String]) {
    println!("{}", cells.join(" "));
}
