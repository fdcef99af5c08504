//! The README's table of codecs is made from the registry: this test holds the one to the other. `npm run support-table` writes it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use zarr_wasm::format::codec::refused::REFUSED;
use zarr_wasm::format::codec::registry::{CodecKind, ENTRIES, Home};

const BEGIN: &str = "<!-- codecs: written by `npm run support-table` -->\n";
const END: &str = "<!-- /codecs -->";

fn table() -> String {
    let mut table = String::from(
        "| codec (v3) | also read as | v2 `id` | kind | module | zarr-python | zarrs | tensorstore | zarrita |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for entry in ENTRIES {
        let kind = match entry.kind {
            CodecKind::ArrayToArray => "array → array",
            CodecKind::ArrayToBytes => "array → bytes",
            CodecKind::BytesToBytes => "bytes → bytes",
        };
        let home = match entry.home {
            Home::Engine => "engine",
            Home::Full => "full",
            Home::Images => "images",
        };
        let quoted =
            |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let (aliases, ids, peers) = (quoted(entry.aliases), quoted(entry.v2_ids), entry.peers.join(" | "));
        let written = writeln!(table, "| `{}` | {aliases} | {ids} | {kind} | {home} | {peers} |", entry.name);
        assert!(written.is_ok());
    }
    table.push_str("\nKnown by name and not read:\n\n");
    for (names, reason) in REFUSED {
        let names = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let written = writeln!(table, "- {names}: {reason}.");
        assert!(written.is_ok());
    }
    table
}

#[test]
fn the_readme_lists_the_registry() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{error}"));
    let (head, rest) = readme.split_once(BEGIN).unwrap_or_else(|| panic!("README.md has no {BEGIN}"));
    let (listed, tail) = rest.split_once(END).unwrap_or_else(|| panic!("README.md has no {END}"));
    let table = table();
    if std::env::var_os("WRITE_SUPPORT_TABLE").is_some() {
        fs::write(&path, format!("{head}{BEGIN}{table}{END}{tail}"))
            .unwrap_or_else(|error| panic!("{error}"));
        return;
    }
    assert_eq!(listed, table, "README.md does not list the registry: run npm run support-table");
}
