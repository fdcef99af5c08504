//! Reads ranges of a file over HTTP with blocking sockets, and prints their bytes as text:
//!
//! ```sh
//! cargo run --package zarr-wasm-http --example read_ranges -- http://127.0.0.1:8080/file 0:4 6:9
//! ```
//!
//! Without arguments it reads from a small server of its own, which answers `Range`.
//!
//! It shows what a program does with this crate: it merges ranges, drives an exchange for each
//! merged one, and cuts its ranges out. The program sends and waits; the crate decides.

use std::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::ops::Range;
use std::thread;
use std::time::Duration;

use zarr_wasm_http::merged_ranges::{GAP_BYTES, MERGED_BYTES};
use zarr_wasm_http::{
    ByteRange, Exchange, ExchangeContext, Goal, Headers, HttpOptions, HttpResponse, NextRequest,
    OriginKnowledge, ServerKnowledge, Step, Subject, TransportError, TransportResult, Value, merge,
};

const MAX_BYTES: u64 = 1 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (url, ranges) = match arguments.split_first() {
        Some((url, ranges)) => {
            (url.clone(), ranges.iter().map(|text| range(text)).collect::<Result<_, _>>()?)
        }
        None => (serve_digits()?, vec![0..4, 60_000..60_010, 6..9]),
    };
    let (options, origin, knowledge) =
        (HttpOptions::default(), OriginKnowledge::default(), ServerKnowledge::default());
    let context = ExchangeContext {
        url: &url,
        is_anonymous: true,
        may_probe: false,
        subject: Subject::Chunk,
        likely_size: None,
        body_limit: MAX_BYTES,
        options: &options,
        origin: &origin,
        knowledge: &knowledge,
    };
    for merged in merge(&ranges, GAP_BYTES, MERGED_BYTES) {
        let value = read(context, &merged.span)?.ok_or("there is no such file")?;
        for member in merged.members {
            let range = ranges.get(member).cloned().unwrap_or_default();
            let start = range.start - merged.span.start;
            let part = value.slice(start..start + (range.end - range.start))?;
            print(&range, &part.to_vec(MAX_BYTES, "a range")?);
        }
    }
    Ok(())
}

/// Drives one exchange. `None` if there is no such file.
fn read(context: ExchangeContext<'_>, span: &Range<u64>) -> Result<Option<Value>, Box<dyn Error>> {
    let range = ByteRange::At { offset: span.start, len: span.end - span.start };
    let (mut exchange, mut step) = Exchange::start(Goal::Read(range), context);
    loop {
        match step {
            Step::Done(outcome) => return Ok(outcome?.part(range)?.map(|found| found.value)),
            Step::Send(request) => {
                thread::sleep(Duration::from_millis(request.after_ms.into()));
                // A program with many clients takes a random number, which spreads their retries.
                step = exchange.answer(send(context.url, &request), 0.5);
            }
        }
    }
}

/// Sends a request and reads the whole answer.
fn send(url: &str, request: &NextRequest) -> TransportResult {
    try_to_send(url, request).map_err(|error| TransportError::Unreachable {
        message: error.to_string(),
        cause: None,
        cut: None,
    })
}

fn try_to_send(url: &str, request: &NextRequest) -> Result<HttpResponse, Box<dyn Error>> {
    let rest = url.strip_prefix("http://").ok_or("this example speaks plain HTTP")?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let mut socket = TcpStream::connect(host)?;
    let range = request.range.as_ref().map(|range| format!("Range: {range}\r\n")).unwrap_or_default();
    let method = request.method.name();
    write!(socket, "{method} /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{range}\r\n")?;
    let mut answer = BufReader::new(socket);
    let status = line(&mut answer)?.split(' ').nth(1).ok_or("this is no answer")?.parse()?;
    let mut headers = Headers::default();
    while let Some((name, value)) = line(&mut answer)?.split_once(':') {
        headers.add(name, value.trim());
    }
    let mut body = Vec::new();
    answer.take(request.body_limit).read_to_end(&mut body)?;
    Ok(HttpResponse { status, url: url.to_owned(), redirected: false, headers, body: Value::from(body) })
}

/// The next line of a head, without its end.
fn line(from: &mut impl BufRead) -> Result<String, std::io::Error> {
    let mut line = String::new();
    from.read_line(&mut line)?;
    Ok(line.trim_end().to_owned())
}

/// `0:4` is the range of the first four bytes.
fn range(text: &str) -> Result<Range<u64>, Box<dyn Error>> {
    let (start, end) = text.split_once(':').ok_or("a range is START:END")?;
    Ok(start.parse()?..end.parse()?)
}

/// Serves 100 000 digits on this machine, and returns their address.
fn serve_digits() -> Result<String, std::io::Error> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        let digits: Vec<u8> = b"0123456789".repeat(10_000);
        for client in listener.incoming().flatten() {
            // A client that goes away early is no concern of the others.
            let _ = answer(client, &digits);
        }
    });
    Ok(format!("http://{address}/digits"))
}

/// Answers one request: a part if it asks for `bytes=FIRST-LAST`, else everything.
fn answer(mut client: TcpStream, object: &[u8]) -> Result<(), Box<dyn Error>> {
    let mut head = BufReader::new(client.try_clone()?);
    let mut wanted = None;
    loop {
        let line = line(&mut head)?;
        if line.is_empty() {
            break;
        }
        if let Some((first, last)) =
            line.strip_prefix("Range: bytes=").and_then(|range| range.split_once('-'))
        {
            wanted = Some(first.parse::<usize>()?..last.parse::<usize>()? + 1);
        }
    }
    let part = wanted.clone().and_then(|range| object.get(range)).unwrap_or(object);
    let (status, place) = match wanted {
        Some(range) => {
            let place =
                format!("Content-Range: bytes {}-{}/{}\r\n", range.start, range.end - 1, object.len());
            ("206 Partial Content", place)
        }
        None => ("200 OK", String::new()),
    };
    write!(client, "HTTP/1.1 {status}\r\nContent-Length: {}\r\n{place}\r\n", part.len())?;
    Ok(client.write_all(part)?)
}

#[allow(clippy::print_stdout)]
fn print(range: &Range<u64>, bytes: &[u8]) {
    println!("{}:{} {}", range.start, range.end, String::from_utf8_lossy(bytes));
}
