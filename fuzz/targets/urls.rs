//! URLs of documents, references in them, and keys below roots: our code and the platform's parser
//! read the same server and the same path. The platform is Node, whose `new URL` judges in a process
//! that stays open (`platform_urls.mjs`). An input is a document's URL, a reference and a key, with
//! a byte 255 between them.
#![no_main]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{LazyLock, Mutex};

use libfuzzer_sys::fuzz_target;
use serde_json::json;
use zarr_wasm::format::path::StoreKey;
use zarr_wasm_engine::internals::store::http::url::RootUrl;
use zarr_wasm_fuzz::seeds;

const PROGRAM: &str = concat!(env!("PROJECT_FOLDER"), "/fuzz/platform_urls.mjs");

static PLATFORM: LazyLock<Mutex<Platform>> = LazyLock::new(|| Mutex::new(Platform::start()));

fuzz_target!(
    init: seeds::write_if_asked(made_seeds),
    |input: &[u8]| {
        let texts: Vec<String> =
            input.splitn(3, |byte| *byte == 255).map(|text| String::from_utf8_lossy(text).into()).collect();
        let text = |at: usize| texts.get(at).map_or("", String::as_str);
        let Ok(document) = RootUrl::parse(text(0)) else { return };
        let resolved = document.resolve(text(1)).ok().map(|url| url.object());
        let key = StoreKey::parse(text(2)).ok();
        let joined = key.as_ref().map(|key| document.join(&key.percent_encoded()));
        let objection = PLATFORM.lock().unwrap().judge(&json!({
            "document": text(0).trim(),
            "own": document.object(),
            "reference": text(1),
            "resolved": resolved,
            "key": key.as_ref().map(StoreKey::as_str),
            "joined": joined,
        }));
        assert!(objection.is_empty(), "{objection}");
    }
);

/// The process that judges.
struct Platform {
    /// Keeps the process until the end.
    _process: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Platform {
    fn start() -> Self {
        let node = std::env::var_os("NODE").unwrap_or_else(|| "node".into());
        let mut command = Command::new(node);
        command.arg(PROGRAM).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().expect("Node starts");
        let (questions, answers) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        Self { _process: process, questions, answers: BufReader::new(answers) }
    }

    /// What the platform reads in another way; empty if nothing.
    fn judge(&mut self, question: &serde_json::Value) -> String {
        writeln!(self.questions, "{question}").expect("Node reads");
        let mut answer = String::new();
        self.answers.read_line(&mut answer).expect("Node answers");
        serde_json::from_str(&answer).expect("an answer in one line")
    }
}

fn made_seeds() -> Vec<Vec<u8>> {
    let mut made = Vec::new();
    for document in DOCUMENTS {
        for reference in REFERENCES {
            let mut seed = document.as_bytes().to_vec();
            seed.push(255);
            seed.extend(reference.as_bytes());
            seed.push(255);
            seed.extend(b"c/0/%2e%2e");
            made.push(seed);
        }
    }
    made
}

const DOCUMENTS: [&str; 6] = [
    "https://allowed.example/a/b/refs.json?sig=1",
    "http://allowed.example:8080",
    "HTTPS://user:pa@ss@Allowed.example:443//x/../y/refs.json#part",
    "http://[::1]:81/refs.json",
    "http://0x7f.1/a%2fb/refs.json",
    "s3://bucket/folder/refs.json",
];

const REFERENCES: [&str; 40] = [
    "x.nc",
    "../x.nc?a=b#c",
    "/x/./y//..//z.nc",
    "%2e%2E/.%2e/x",
    "",
    "?a=b",
    "#a?b",
    "//other.example/x",
    "///other.example/x",
    "/\\other.example/x",
    "\\\\other.example\\x",
    "/\t/other.example/x",
    "http://other.example\\@allowed.example/x",
    "http://other.example\\.allowed.example/x",
    "http://other.example:80\\x@allowed.example/x",
    "http://allowed.example@other.example/x",
    "http://allowed.example:80@other.example:81/x",
    "http://a@b@other.example/x",
    "http://other.example?@allowed.example/x",
    "http://other.example#@allowed.example/x",
    "http://other.example%2f@allowed.example/x",
    "http://other%2eexample/x",
    "http://oth\ter.example/x",
    "http://other.example\n@allowed.example/x",
    "http://other.example /x",
    "ht\ntp://other.example/x",
    " http://other.example/x ",
    "http:/other.example/x",
    "https:other.example/x",
    "HTTP://ÖTHER.example./x",
    "http://other\u{3002}example/x",
    "http://other\u{ff0f}.example/x",
    "http://2130706433:080/x",
    "http://[::ffff:127.0.0.1]:080/x",
    "http://other.example:/x",
    "https://[::1/x",
    "s3://bu.cket/x",
    "gs://other.example\\/x",
    "file:///etc/passwd",
    "javascript://other.example/%0ax",
];
