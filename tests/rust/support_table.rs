//! The tables of codecs and of tolerated forms in `docs/codecs.md` are made from lists in the
//! source. These tests compare them. `npm run support-table` writes them.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Mutex;

use zarr_wasm::builds::{Build, Builds};
use zarr_wasm::format::codec::kind::CodecKind;
use zarr_wasm::format::codec::registry::ENTRIES;
use zarr_wasm::format::codec::unsupported::UNSUPPORTED;
use zarr_wasm::format::tolerated::{Entry, Form, STILL_REFUSED};

/// The page that has the tables.
const PAGE: &str = "docs/codecs.md";

/// Both tests may write the page.
static TURN: Mutex<()> = Mutex::new(());

fn codecs() -> String {
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
        let modules: Vec<&str> = match entry.builds {
            Builds::ALL => vec![Build::Engine.name()],
            some => some.each().map(Build::name).collect(),
        };
        let module = modules.join(", ");
        let quoted =
            |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let (aliases, ids, peers) = (quoted(entry.aliases), quoted(entry.v2_ids), entry.peers.join(" | "));
        let written =
            writeln!(table, "| `{}` | {aliases} | {ids} | {kind} | {module} | {peers} |", entry.name);
        assert!(written.is_ok());
    }
    table.push_str("\nKnown by name and not read:\n\n");
    for (names, reason) in UNSUPPORTED {
        let names = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let written = writeln!(table, "- {names}: {reason}.");
        assert!(written.is_ok());
    }
    table
}

fn tolerated_forms() -> String {
    let mut table = String::from("| name | form | written by | read as |\n|---|---|---|---|\n");
    for Entry { name, form, writer, read } in Form::ALL.iter().map(|form| form.entry()) {
        let written = writeln!(table, "| `{name}` | {form} | {writer} | {read} |");
        assert!(written.is_ok());
    }
    table.push_str("\nRefused, though another reader gives elements:\n\n");
    for (what, who, why) in STILL_REFUSED {
        let written = writeln!(table, "- {what} ({who}): {why}.");
        assert!(written.is_ok());
    }
    table
}

/// Compares the part of the page between two marks with a table, or writes it.
fn hold(name: &str, table: &str) {
    let (begin, end) =
        (format!("<!-- {name}: written by `npm run support-table` -->\n"), format!("<!-- /{name} -->"));
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let path = Path::new(env!("PROJECT_FOLDER")).join(PAGE);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{error}"));
    let (head, rest) = text.split_once(&begin).unwrap_or_else(|| panic!("{PAGE} has no {begin}"));
    let (listed, tail) = rest.split_once(&end).unwrap_or_else(|| panic!("{PAGE} has no {end}"));
    if std::env::var_os("WRITE_SUPPORT_TABLE").is_some() {
        fs::write(&path, format!("{head}{begin}{table}{end}{tail}"))
            .unwrap_or_else(|error| panic!("{error}"));
        return;
    }
    assert_eq!(listed, table, "{PAGE} does not list the {name}: run npm run support-table");
}

#[test]
fn the_page_lists_the_registry() {
    hold("codecs", &codecs());
}

#[test]
fn the_page_lists_the_forms_that_are_read_with_a_warning() {
    hold("tolerated", &tolerated_forms());
}
