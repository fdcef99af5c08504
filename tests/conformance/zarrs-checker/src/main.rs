//! zarrs reads what we wrote: `zarrs-checker <folder> <corpus>`. Prints what the Python checkers print; see ../oracle.py.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use regex::Regex;
use serde_json::{Value, json};
use zarrs::array::{Array, ArrayBytes};
use zarrs::filesystem::FilesystemStore;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let root = PathBuf::from(arguments.next().ok_or("which folder?")?);
    let corpus = arguments.next().ok_or("which corpus?")?;
    let mut report = Report::new(&corpus)?;
    let mut cases: Vec<PathBuf> = fs::read_dir(&root)?.flatten().map(|entry| entry.path()).collect();
    cases.retain(|case| case.join("expected.json").exists());
    cases.sort();
    if cases.is_empty() {
        println!("not ok zarrs: {} has no cases", root.display());
        return Err("no cases".into());
    }
    // A panic of zarrs is a refusal; its message is printed with the array.
    std::panic::set_hook(Box::new(|_| ()));
    for case in &cases {
        let name = case.file_name().unwrap_or_default().to_string_lossy();
        let nodes: Vec<Value> = serde_json::from_str(&fs::read_to_string(case.join("expected.json"))?)?;
        for node in nodes.iter().filter(|node| node["kind"] == "array") {
            let array = format!("{name}/{}", node["path"].as_str().unwrap_or_default());
            let read = catch_unwind(AssertUnwindSafe(|| difference(&case.join("store"), node)));
            match read {
                Ok(Ok(None)) => report.add(&array, "ok", ""),
                Ok(Ok(Some(what))) => report.add(&array, "wrong", &what),
                Ok(Err(error)) => report.add(&array, "refused", &error.to_string()),
                Err(_) => report.add(&array, "refused", "panicked"),
            }
        }
    }
    report.finish()
}

/// What is not as it should be.
fn difference(store: &Path, node: &Value) -> Result<Option<String>> {
    let storage = Arc::new(FilesystemStore::new(store)?);
    let array = Array::open(storage, &format!("/{}", node["path"].as_str().unwrap_or_default()))?;
    if json!(array.shape()) != node["shape"] {
        return Ok(Some(format!("shape {:?}", array.shape())));
    }
    let found: ArrayBytes = array.retrieve_array_subset(&array.subset_all())?;
    let same = match (&found, node["values"].as_str()) {
        (ArrayBytes::Fixed(bytes), Some(values)) => bytes.to_vec() == STANDARD.decode(values)?,
        (ArrayBytes::Variable(variable), None) => {
            let is_text = node["data_type"] == "string";
            let offsets = variable.offsets();
            let element = |index: usize| {
                let bytes = &variable.bytes()[offsets[index]..offsets[index + 1]];
                if is_text { json!(String::from_utf8_lossy(bytes)) } else { json!(STANDARD.encode(bytes)) }
            };
            let elements: Vec<Value> = (0..offsets.len() - 1).map(element).collect();
            json!(elements) == node["values_json"]
        }
        _ => false,
    };
    Ok((!same).then(|| "other elements".to_owned()))
}

/// The lines, and the entries of ../known_oracle_bugs.json that explain some of them.
struct Report {
    known: Vec<Value>,
    used: BTreeSet<usize>,
    counts: [usize; 3],
    unexplained: usize,
}

impl Report {
    fn new(corpus: &str) -> Result<Self> {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../known_oracle_bugs.json");
        let mut known: Vec<Value> = serde_json::from_str(&fs::read_to_string(file)?)?;
        known.retain(|entry| entry["oracle"] == "zarrs" && entry["corpus"] == corpus);
        Ok(Self { known, used: BTreeSet::new(), counts: [0; 3], unexplained: 0 })
    }

    fn add(&mut self, array: &str, outcome: &str, what: &str) {
        let at = ["ok", "wrong", "refused"].iter().position(|known| *known == outcome).unwrap_or(2);
        self.counts[at] += 1;
        if outcome == "ok" {
            println!("ok zarrs {array}");
            return;
        }
        let explains = |entry: &Value| {
            entry["outcome"] == outcome && entry["arrays"].as_str().is_some_and(|pattern| {
                Regex::new(&format!("^(?:{pattern})$")).is_ok_and(|pattern| pattern.is_match(array))
            })
        };
        match self.known.iter().position(explains) {
            Some(entry) => {
                self.used.insert(entry);
                println!("ok zarrs {array} # {outcome}: {}", self.known[entry]["reason"].as_str().unwrap_or_default());
            }
            None => {
                self.unexplained += 1;
                println!("not ok zarrs {array} {outcome}: {}", what.split_whitespace().collect::<Vec<_>>().join(" "));
            }
        }
    }

    fn finish(mut self) -> Result<()> {
        for (at, entry) in self.known.iter().enumerate().filter(|(at, _)| !self.used.contains(at)) {
            self.unexplained += 1;
            println!("not ok zarrs explains nothing any more ({at}): {} {}", entry["arrays"], entry["outcome"]);
        }
        let [ok, wrong, refused] = self.counts;
        println!("# zarrs: {ok} ok, {wrong} wrong, {refused} refused, {} unexplained", self.unexplained);
        std::process::exit(i32::from(self.unexplained > 0));
    }
}
