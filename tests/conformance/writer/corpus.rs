//! What is written: data types, fill values, codecs, shapes, keys, orders, shards, and histories of changes, in both formats.

use std::ops::Range;

use serde_json::{Value as Json, json};

use crate::elements::Numbers;

/// One array.
pub struct Sample {
    pub path: String,
    pub options: Json,
    pub changes: Vec<Change>,
}

/// What is done to it.
pub enum Change {
    Write(Vec<Range<u64>>),
    Resize(Vec<u64>),
    Append { axis: usize, len: u64 },
}

/// All cases, each a store of its own.
pub fn cases() -> Vec<(&'static str, Vec<Sample>)> {
    vec![
        ("types-v3", types(3)),
        ("types-v2", types(2)),
        ("types-other-v3", other_types()),
        ("fills-v3", fills(3)),
        ("fills-v2", fills(2)),
        ("codecs-v3", codecs_v3()),
        ("codecs-v2", codecs_v2()),
        ("shapes-v3", shapes(3)),
        ("shapes-v2", shapes(2)),
        ("transpose-v3", transposes()),
        ("shards-v3", shards()),
        ("shards-nested-v3", nested_shards()),
        ("histories-v3", histories(3)),
        ("histories-v2", histories(2)),
        ("defaults", defaults()),
    ]
}

/// Label, v3 type, v2 type, whether it has a byte order, a fill value in v3 and in v2.
fn all_types() -> Vec<(&'static str, Json, Json, bool, Json, Json)> {
    let sized = |name: &str, len: u64| json!({"name": name, "configuration": {"length_bytes": len}});
    let time = |name: &str, unit: &str, factor: u64| json!({"name": name, "configuration": {"unit": unit, "scale_factor": factor}});
    let fields = json!({"name": "struct", "configuration": {"fields": [
        {"name": "a", "data_type": "int16"}, {"name": "b", "data_type": "float64"}, {"name": "c", "data_type": "uint8"}]}});
    let mut types = vec![("bool", json!("bool"), json!("|b1"), false, json!(true), json!(true))];
    for (name, code, fill) in [
        ("int8", "i1", json!(-128)),
        ("uint8", "u1", json!(255)),
        ("int16", "i2", json!(-32768)),
        ("uint16", "u2", json!(65535)),
        ("int32", "i4", json!(-7)),
        ("uint32", "u4", json!(4_294_967_295_u32)),
        ("int64", "i8", json!(i64::MIN)),
        ("uint64", "u8", json!(u64::MAX)),
        ("float16", "f2", json!(1.5)),
        ("float32", "f4", json!("NaN")),
        ("float64", "f8", json!("-Infinity")),
        ("complex64", "c8", json!([1.5, -2.5])),
        ("complex128", "c16", json!([0.0, 1e300])),
    ] {
        let wide = !code.ends_with('1');
        let v2 = if wide { format!("<{code}") } else { format!("|{code}") };
        let v2 = if name == "complex128" { "<c16".to_owned() } else { v2 };
        types.push((name, json!(name), json!(v2), wide || name == "complex128", fill.clone(), fill));
    }
    types.extend([
        ("raw", json!("r24"), json!("|V3"), false, json!([1, 2, 3]), json!("AQID")),
        ("text-bytes", sized("null_terminated_bytes", 5), json!("|S5"), false, json!("YWI="), json!("YWI=")),
        ("text", sized("fixed_length_utf32", 16), json!("<U4"), true, json!("añ"), json!("añ")),
        ("moment", time("numpy.datetime64", "s", 10), json!("<M8[10s]"), true, json!(12345), json!(12345)),
        (
            "moment-day",
            time("numpy.datetime64", "D", 1),
            json!("<M8[D]"),
            true,
            json!("NaT"),
            json!(i64::MIN),
        ),
        ("duration", time("numpy.timedelta64", "ns", 1), json!("<m8[ns]"), true, json!(-1), json!(-1)),
        (
            "struct",
            fields,
            json!([["a", "<i2"], ["b", "<f8"], ["c", "|u1"]]),
            true,
            json!({"a": -2, "b": 0.5, "c": 7}),
            json!("/v8AAAAAAADgPwc="),
        ),
        ("string", json!("string"), json!("|O"), false, json!("-"), json!("-")),
    ]);
    types
}

/// Types that NumPy does not have: v3 only.
const OTHER_TYPES: [(&str, bool); 16] = [
    ("bfloat16", true),
    ("float8_e3m4", false),
    ("float8_e4m3", false),
    ("float8_e4m3b11fnuz", false),
    ("float8_e4m3fnuz", false),
    ("float8_e5m2", false),
    ("float8_e5m2fnuz", false),
    ("float6_e2m3fn", false),
    ("float6_e3m2fn", false),
    ("float4_e2m1fn", false),
    ("int2", false),
    ("int4", false),
    ("uint2", false),
    ("uint4", false),
    ("bytes", false),
    ("complex_float16", true),
];

fn types(format: u8) -> Vec<Sample> {
    let mut samples = Vec::new();
    for (label, v3, v2, has_order, fill_v3, fill_v2) in all_types() {
        let (data_type, fill) = if format == 3 { (v3, fill_v3) } else { (v2, fill_v2) };
        for big in [false, true] {
            if big && !has_order {
                continue;
            }
            let order = if big { "big" } else { "little" };
            let data_type = if big && format == 2 { big_endian(&data_type) } else { data_type.clone() };
            // The packed bytes of a v2 struct's fill value are in its own byte order.
            let fill = if big && label == "struct" && format == 2 {
                json!("//4/4AAAAAAAAAc=")
            } else {
                fill.clone()
            };
            for (part, changes) in parts() {
                let mut options = json!({
                    "zarr_format": format, "shape": [7, 9], "chunk_shape": [3, 4], "data_type": data_type, "fill_value": fill,
                    "attributes": {"label": label, "größe": [1, null, 2.5, u64::MAX]},
                });
                if format == 3 && label != "string" {
                    options["codecs"] = json!([{"name": "bytes", "configuration": {"endian": order}}]);
                    options["dimension_names"] = json!(["y", null]);
                } else if format == 2 {
                    options["codecs"] = json!([]);
                    options["order"] = json!(if part == "partly" { "F" } else { "C" });
                    options["dimension_names"] = json!(["y", "x"]);
                }
                samples.push(Sample { path: format!("{label}/{order}-{part}"), options, changes });
            }
        }
    }
    samples
}

/// The types that NumPy does not have.
fn other_types() -> Vec<Sample> {
    let mut samples = Vec::new();
    for (name, has_order) in OTHER_TYPES.into_iter() {
        for order in ["little", "big"].into_iter().take(if has_order { 2 } else { 1 }) {
            for (part, changes) in parts() {
                let mut options = json!({"shape": [7, 9], "chunk_shape": [3, 4], "data_type": name});
                if name != "bytes" {
                    options["codecs"] = json!([{"name": "bytes", "configuration": {"endian": order}}]);
                }
                samples.push(Sample { path: format!("{name}/{order}-{part}"), options, changes });
            }
        }
    }
    samples
}

fn big_endian(data_type: &Json) -> Json {
    serde_json::from_str(&data_type.to_string().replace('<', ">")).unwrap_or_default()
}

/// All of the array of seven by nine, some chunks and parts of chunks, nothing.
fn parts() -> Vec<(&'static str, Vec<Change>)> {
    vec![
        ("all", vec![Change::Write(vec![0..7, 0..9])]),
        ("partly", vec![Change::Write(vec![2..5, 4..9]), Change::Write(vec![6..7, 8..9])]),
        ("nothing", Vec::new()),
    ]
}

fn fills(format: u8) -> Vec<Sample> {
    let floats = [
        json!(0.0),
        json!(-0.0),
        json!(0.1),
        json!("NaN"),
        json!("Infinity"),
        json!("-Infinity"),
        json!(6.5e4),
    ];
    let mut fills: Vec<(&str, Json)> = Vec::new();
    for name in ["float16", "float32", "float64"] {
        fills.extend(floats.iter().map(|fill| (name, fill.clone())));
    }
    if format == 3 {
        fills.extend([
            ("float16", json!("0x7e01")),
            ("float32", json!("0x7fc00001")),
            ("float64", json!("0xfff8000000000001")),
            ("complex64", json!(["NaN", "0xffc00000"])),
        ]);
    }
    fills.extend([
        ("float64", json!(5e-324)),
        ("float64", json!(f64::MAX)),
        ("float32", json!(f32::MIN_POSITIVE)),
        ("int64", json!(9_007_199_254_740_993_i64)),
        ("int64", json!(i64::MAX)),
        ("uint64", json!(9_223_372_036_854_775_809_u64)),
        ("bool", json!(false)),
        ("complex128", json!(["Infinity", -0.0])),
        ("complex64", json!(["-Infinity", "NaN"])),
        ("int8", json!(127)),
        ("uint16", json!(1)),
    ]);
    let sample = |(number, (name, fill)): (usize, (&str, Json))| {
        let data_type = match format {
            3 => json!(name),
            _ => all_types().into_iter().find(|row| row.0 == name).map_or(Json::Null, |row| row.2),
        };
        let options = json!({"zarr_format": format, "shape": [5], "chunk_shape": [2], "data_type": data_type, "fill_value": fill});
        Sample { path: format!("{name}-{number}"), options, changes: vec![Change::Write(vec![2..3])] }
    };
    fills.into_iter().enumerate().map(sample).collect()
}

fn codec(name: &str, configuration: Json) -> Json {
    json!({"name": name, "configuration": configuration})
}

fn codecs_v3() -> Vec<Sample> {
    let mut chains: Vec<(String, Json)> = Vec::new();
    for level in [0, 1, 5, 9] {
        chains.push((format!("gzip-{level}"), json!([codec("gzip", json!({"level": level}))])));
    }
    for level in [-5, 0, 3, 19] {
        chains.push((
            format!("zstd-{level}"),
            json!([codec("zstd", json!({"level": level, "checksum": level > 0}))]),
        ));
    }
    for cname in ["lz4", "lz4hc", "blosclz", "zstd", "zlib", "snappy"] {
        for shuffle in ["noshuffle", "shuffle", "bitshuffle"] {
            let configuration = json!({"cname": cname, "clevel": 5, "shuffle": shuffle});
            chains.push((format!("blosc-{cname}-{shuffle}"), json!([codec("blosc", configuration)])));
        }
    }
    chains.extend([
        ("bare".to_owned(), json!(["gzip"])),
        ("crc32c".to_owned(), json!(["crc32c"])),
        ("zstd-crc32c".to_owned(), json!(["zstd", "crc32c"])),
        ("gzip-zstd".to_owned(), json!(["gzip", "zstd"])),
        ("numcodecs-zlib".to_owned(), json!([codec("numcodecs.zlib", json!({"level": 6}))])),
        ("numcodecs-lz4".to_owned(), json!([codec("numcodecs.lz4", json!({"acceleration": 1}))])),
        ("numcodecs-bz2".to_owned(), json!([codec("numcodecs.bz2", json!({"level": 5}))])),
        ("numcodecs-adler32".to_owned(), json!([codec("numcodecs.adler32", json!({}))])),
        ("numcodecs-crc32".to_owned(), json!([codec("numcodecs.crc32", json!({}))])),
        ("numcodecs-fletcher32".to_owned(), json!([codec("numcodecs.fletcher32", json!({}))])),
        (
            "numcodecs-shuffle".to_owned(),
            json!([codec("numcodecs.shuffle", json!({"elementsize": 4})), "zstd"]),
        ),
    ]);
    let mut samples = Vec::new();
    for (label, chain) in chains {
        for data_type in ["uint8", "int16", "float32", "uint64"] {
            let options =
                json!({"shape": [50, 70], "chunk_shape": [20, 33], "data_type": data_type, "codecs": chain});
            samples.push(Sample {
                path: format!("{label}/{data_type}"),
                options,
                changes: vec![Change::Write(vec![0..50, 0..70])],
            });
        }
    }
    samples
}

fn codecs_v2() -> Vec<Sample> {
    let mut chains: Vec<(String, Json)> = vec![
        ("none".to_owned(), json!([])),
        ("zlib".to_owned(), json!([{"id": "zlib", "level": 1}])),
        ("gzip".to_owned(), json!([{"id": "gzip", "level": 5}])),
        ("bz2".to_owned(), json!([{"id": "bz2", "level": 1}])),
        (
            "lzma".to_owned(),
            json!([{"id": "lzma", "format": 1, "check": -1, "preset": null, "filters": null}]),
        ),
        ("lz4".to_owned(), json!([{"id": "lz4", "acceleration": 1}])),
        ("zstd".to_owned(), json!([{"id": "zstd", "level": 3, "checksum": false}])),
        ("shuffle-zstd".to_owned(), json!([{"id": "shuffle", "elementsize": 4}, {"id": "zstd", "level": 1}])),
        ("crc32c-zstd".to_owned(), json!([{"id": "crc32c"}, {"id": "zstd", "level": 1}])),
        ("adler32".to_owned(), json!([{"id": "adler32"}, {"id": "gzip", "level": 1}])),
        ("crc32".to_owned(), json!([{"id": "crc32"}, {"id": "gzip", "level": 1}])),
        ("fletcher32".to_owned(), json!([{"id": "fletcher32"}, {"id": "gzip", "level": 1}])),
        (
            "from-v3".to_owned(),
            json!([{"name": "blosc", "configuration": {"cname": "zstd", "clevel": 3, "shuffle": "bitshuffle"}}]),
        ),
    ];
    for cname in ["lz4", "zstd", "blosclz", "zlib"] {
        for shuffle in [0, 1, 2] {
            chains.push((
                format!("blosc-{cname}-{shuffle}"),
                json!([{"id": "blosc", "cname": cname, "clevel": 5, "shuffle": shuffle, "blocksize": 0}]),
            ));
        }
    }
    let mut samples = Vec::new();
    for (label, chain) in chains {
        for (number, (data_type, order)) in
            [("|u1", "C"), ("<i2", "F"), (">f4", "C"), ("<u8", "F")].into_iter().enumerate()
        {
            let options = json!({
                "zarr_format": 2, "shape": [50, 70], "chunk_shape": [20, 33], "data_type": data_type, "codecs": chain,
                "order": order, "separator": if number % 2 == 0 { "." } else { "/" },
            });
            let path = format!("{label}/{}{order}", &data_type[1..]);
            samples.push(Sample { path, options, changes: vec![Change::Write(vec![0..50, 0..70])] });
        }
    }
    for data_type in ["<i2", "<i4", "<u8"] {
        let delta =
            json!([{"id": "delta", "dtype": data_type, "astype": data_type}, {"id": "zlib", "level": 1}]);
        let options = json!({"zarr_format": 2, "shape": [50], "chunk_shape": [20], "data_type": data_type, "codecs": delta});
        samples.push(Sample {
            path: format!("delta/{}", &data_type[1..]),
            options,
            changes: vec![Change::Write(vec![0..50])],
        });
    }
    samples
}

fn shapes(format: u8) -> Vec<Sample> {
    let shapes: [(&str, &[u64], &[u64]); 10] = [
        ("scalar", &[], &[]),
        ("empty", &[0], &[3]),
        ("empty-plane", &[4, 0], &[2, 3]),
        ("one", &[1], &[1]),
        ("line", &[11], &[4]),
        ("larger-chunk", &[5, 3], &[8, 8]),
        ("exact", &[6, 8], &[3, 4]),
        ("volume", &[5, 6, 7], &[2, 6, 3]),
        ("four", &[3, 4, 2, 5], &[2, 2, 2, 2]),
        ("thin", &[1, 40], &[1, 1]),
    ];
    let keys: &[(&str, &str)] = if format == 3 {
        &[("default", "/"), ("default", "."), ("v2", "/"), ("v2", ".")]
    } else {
        &[("v2", "."), ("v2", "/")]
    };
    let mut samples = Vec::new();
    for (label, shape, chunk_shape) in shapes {
        for (encoding, separator) in keys {
            let mut options = json!({
                "zarr_format": format, "shape": shape, "chunk_shape": chunk_shape, "separator": separator,
                "data_type": if format == 3 { "int32" } else { "<i4" },
            });
            if format == 3 {
                options["chunk_key_encoding"] = json!(encoding);
            }
            let dot = if *separator == "." { "dot" } else { "slash" };
            let changes = vec![Change::Write(shape.iter().map(|len| 0..*len).collect())];
            samples.push(Sample { path: format!("{label}/{encoding}-{dot}"), options, changes });
        }
    }
    samples
}

fn transposes() -> Vec<Sample> {
    let mut samples = Vec::new();
    let mut push = |label: String, codecs: Json, data_type: &str| {
        let options =
            json!({"shape": [5, 6, 7], "chunk_shape": [2, 4, 3], "data_type": data_type, "codecs": codecs});
        samples.push(Sample {
            path: format!("{label}/{data_type}"),
            options,
            changes: vec![Change::Write(vec![0..5, 0..6, 0..7])],
        });
    };
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let transpose = codec("transpose", json!({"order": order}));
        let label = order.map(|axis| axis.to_string()).concat();
        for data_type in ["int16", "float64"] {
            push(label.clone(), json!([transpose, "zstd"]), data_type);
            push(format!("{label}-twice"), json!([transpose, transpose]), data_type);
        }
    }
    samples
}

fn sharding(chunk_shape: &[u64], codecs: Json, index_codecs: &Json, location: &str) -> Json {
    let configuration = json!({"chunk_shape": chunk_shape, "codecs": codecs, "index_codecs": index_codecs, "index_location": location});
    codec("sharding_indexed", configuration)
}

fn shards() -> Vec<Sample> {
    let little = codec("bytes", json!({"endian": "little"}));
    let inner = [
        ("raw", json!([little])),
        ("zstd", json!([little, "zstd"])),
        ("gzip", json!([little, codec("gzip", json!({"level": 5}))])),
        (
            "blosc",
            json!([little, codec("blosc", json!({"cname": "lz4", "clevel": 5, "shuffle": "shuffle"}))]),
        ),
        ("crc32c", json!([little, "crc32c"])),
        ("big", json!([codec("bytes", json!({"endian": "big"})), "zstd"])),
        ("transposed", json!([codec("transpose", json!({"order": [1, 0]})), little])),
    ];
    let indexes = [("checked", json!([little, "crc32c"])), ("unchecked", json!([little]))];
    let mut samples = Vec::new();
    for (label, codecs) in &inner {
        for (check, index) in &indexes {
            for location in ["start", "end"] {
                for (part, changes) in parts() {
                    let shard = sharding(&[1, 2], codecs.clone(), index, location);
                    let options = json!({
                        "shape": [7, 9], "chunk_shape": [3, 4], "data_type": "uint16", "fill_value": 3, "codecs": [shard],
                    });
                    samples.push(Sample {
                        path: format!("{label}/{check}-{location}-{part}"),
                        options,
                        changes,
                    });
                }
            }
        }
    }
    for (data_type, fill) in [
        ("bool", json!(true)),
        ("float32", json!("NaN")),
        ("int64", json!(-1)),
        ("complex64", json!([1, 2])),
        ("string", json!("?")),
    ] {
        let options = json!({"shape": [7, 9], "chunk_shape": [2, 2], "shard_shape": [4, 6], "data_type": data_type, "fill_value": fill});
        for (part, changes) in parts() {
            samples.push(Sample { path: format!("{data_type}/{part}"), options: options.clone(), changes });
        }
    }
    samples
}

fn nested_shards() -> Vec<Sample> {
    let little = codec("bytes", json!({"endian": "little"}));
    let index = json!([little, "crc32c"]);
    let turned = codec("transpose", json!({"order": [1, 0]}));
    let mut samples = Vec::new();
    for outer in ["start", "end"] {
        for within in ["start", "end"] {
            for (part, changes) in parts() {
                let inner = sharding(&[1, 2], json!([little, "zstd"]), &index, within);
                let shard = sharding(&[2, 4], json!([inner]), &index, outer);
                let options = json!({"shape": [7, 9], "chunk_shape": [4, 8], "data_type": "int32", "fill_value": -1, "codecs": [shard]});
                samples.push(Sample { path: format!("{outer}-{within}/{part}"), options, changes });
            }
        }
    }
    for (part, changes) in parts() {
        let shard = sharding(&[2, 2], json!([little, "zstd"]), &index, "end");
        let options =
            json!({"shape": [7, 9], "chunk_shape": [4, 6], "data_type": "int32", "codecs": [turned, shard]});
        samples.push(Sample { path: format!("behind-transpose/{part}"), options, changes });
    }
    for (part, changes) in parts() {
        let shard = sharding(&[2, 2], json!([little]), &index, "start");
        let options =
            json!({"shape": [7, 9], "chunk_shape": [4, 6], "data_type": "int32", "codecs": [shard, "gzip"]});
        samples.push(Sample { path: format!("then-gzip/{part}"), options, changes });
    }
    samples
}

/// Arrays that were written to, resized and appended to many times.
fn histories(format: u8) -> Vec<Sample> {
    let mut samples = Vec::new();
    for seed in 0..24_u64 {
        let mut numbers = Numbers(seed + 1000 * u64::from(format));
        let mut shape = vec![4 + numbers.next(6), 4 + numbers.next(6)];
        let mut options = json!({"zarr_format": format, "shape": shape, "chunk_shape": [2, 3], "data_type": "<i4", "fill_value": seed});
        match seed % 4 {
            0 if format == 3 => options["shard_shape"] = json!([4, 6]),
            1 if format == 3 => options["shard_shape"] = json!([2, 9]),
            _ => options["order"] = json!(if seed % 3 == 0 { "F" } else { "C" }),
        }
        let mut changes = Vec::new();
        for _ in 0..8 {
            match numbers.next(4) {
                0 => {
                    shape = shape.iter().map(|len| 1 + numbers.next(len + 3)).collect();
                    changes.push(Change::Resize(shape.clone()));
                }
                1 => {
                    let (axis, len) = (usize::from(numbers.next(2) == 0), numbers.next(4));
                    shape[axis] += len;
                    changes.push(Change::Append { axis, len });
                }
                _ => {
                    let mut range = |len: &u64| {
                        let start = numbers.next(*len);
                        start..start + 1 + numbers.next(len - start)
                    };
                    changes.push(Change::Write(shape.iter().map(&mut range).collect()));
                }
            }
        }
        samples.push(Sample { path: format!("history-{seed}"), options, changes });
    }
    samples
}

/// With nothing chosen.
fn defaults() -> Vec<Sample> {
    let all = |shape: &[u64]| vec![Change::Write(shape.iter().map(|len| 0..*len).collect())];
    let mut samples = Vec::new();
    for (data_type, shape) in
        [("uint8", vec![300, 400]), ("float32", vec![3, 50, 60]), ("string", vec![40]), ("bool", vec![])]
    {
        let options = json!({"shape": shape, "data_type": data_type});
        samples.push(Sample { path: data_type.to_owned(), options, changes: all(&shape) });
    }
    samples
}
