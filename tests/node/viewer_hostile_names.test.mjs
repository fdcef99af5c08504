/**
 * Names and addresses that a data set or a link chooses, in what the viewer hands over: code,
 * tables, pictures, links and files. The expected values follow from the grammars of JavaScript,
 * Python, CSV and XML.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { ROOT } from "../../scripts/run_command.mjs";

const folder = mkdtempSync(join(tmpdir(), "zarr-wasm-names-"));
after(() => rmSync(folder, { recursive: true, force: true }));

async function viewerPart(path) {
  const outfile = join(folder, `${path.replaceAll("/", "-")}.mjs`);
  await build({
    entryPoints: [join(ROOT, "www/src", `${path}.ts`)],
    bundle: true,
    format: "esm",
    outfile,
    logLevel: "error",
    external: ["zarr-wasm", "*.css"],
  });
  return import(pathToFileURL(outfile).href);
}

const { javascriptOf } = await viewerPart("tools/share/javascript_code");
const { pythonOf } = await viewerPart("tools/share/python_code");
const { csvOf, jsonOf } = await viewerPart("tools/plots/plot_texts");
const { svgOf } = await viewerPart("tools/plots/plot_svg");
const { otherViewers } = await viewerPart("tools/share/other_viewers");
const { readUrlState } = await viewerPart("model/state/url_state");

const HOSTILE = [
  "x\nPWNED = 1 //",
  "x\rPWNED = 1 //",
  "x\u2028PWNED = 1 //",
  "x\u2029PWNED = 1 //",
  '"); PWNED = 1; ("',
  "'''\"\"\"\\",
  "$\u007bPWNED = 1}",
  "*/ PWNED = 1 /*",
  "\u202e\u2066 hidden",
  "\ud800",
  "\u0000",
];

const readOf = (name) => ({
  title: name,
  store: { kind: "folder", address: name, isLocal: false },
  path: name,
  zarrFormat: 3,
  level: null,
  axes: [
    { name, read: 0 },
    { name: "y", read: [[0, 2]] },
  ],
  unpacking: null,
  isInDataset: true,
  isWarped: false,
});

/** The code without what is in quotes. */
const outside = (code) => code.replace(/"(?:[^"\\\n]|\\.)*"/g, '""');

const alone = (read) => ({ reads: [read], difference: null });
/** The pictures of a comparison, whose code names them. */
const pair = (read) => ({ reads: [read, { ...read, path: "b" }], difference: { isTransposed: false } });

test("no name becomes a statement of the code that is copied", () => {
  for (const name of HOSTILE) {
    const codes = [alone(readOf(name)), pair(readOf(name))].flatMap((reads) => [
      javascriptOf(reads, "zarr-wasm"),
      javascriptOf(reads, "zarrita"),
      pythonOf(reads, "xarray"),
      pythonOf(reads, "zarr-python"),
    ]);
    for (const code of codes) {
      assert.doesNotMatch(outside(code), /PWNED|hidden/, JSON.stringify(name));
      assert.doesNotMatch(code, /[\p{Cf}\p{Zl}\p{Zp}\r\0]/u, "a sign that is not seen");
    }
  }
});

test("Python reads the names as they are", (t) => {
  const [, , , , quotes, slashes, , , turned] = HOSTILE;
  for (const name of [quotes, slashes, turned, "Größe 🌍"]) {
    const code = pythonOf(alone(readOf(name)), "zarr-python");
    const literal = /path=("(?:[^"\\]|\\.)*")/.exec(code)[1];
    let told;
    try {
      told = execFileSync("python3", ["-c", `print(ascii(${literal}))`], { encoding: "utf8" });
    } catch (error) {
      if (error.code === "ENOENT") return t.skip("there is no Python");
      throw error;
    }
    const expected = execFileSync(
      "python3",
      ["-c", "import sys; print(ascii(sys.stdin.buffer.read().decode()))"],
      { encoding: "utf8", input: name },
    );
    assert.equal(told, expected);
  }
});

const plotOf = (name, y = -1.5) => ({
  title: name,
  kind: "line",
  x: { name, unit: "", isTime: false },
  y: { name, unit: "", isTime: false },
  series: [{ name, color: "#000000", xs: [-1], ys: [y], texts: ["-1"] }],
});

test("no field of a table is a formula, and numbers stay numbers", () => {
  for (const sign of ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20"]) {
    const csv = csvOf(plotOf(`${sign}2+3+cmd|' /C calc'!A0`));
    assert.match(csv, /^"?'/, JSON.stringify(sign));
    assert.match(csv, /,"?'/, JSON.stringify(sign));
    assert.ok(csv.endsWith("\r\n-1,-1.5\r\n"), csv);
  }
  assert.ok(csvOf(plotOf("x", Number.NEGATIVE_INFINITY)).endsWith("-1,-Infinity\r\n"));
});

test("a picture of a plot has no element and no sign of a name", () => {
  const axis = { range: [0, 1], ticks: [] };
  const svg = svgOf(plotOf('</text><script>alert(1)</script>"\u0000\u001b\ud800\uffff'), {
    x: axis,
    y: axis,
  });
  assert.doesNotMatch(svg, /<script/);
  // XML 1.0, production 2.
  assert.match(svg, /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u);
});

test("a saved plot has no password and no signature", () => {
  const saved = (source) => JSON.parse(jsonOf(plotOf("x"), { source, path: "", at: {} }, new Map())).source;
  const place = "https://host.example/a.zarr";
  for (const secret of [
    `${place}?sig=SECRET`,
    "https://me:SECRET@host.example/a.zarr",
    "https://:SECRET@host.example/a.zarr?sig=SECRET#SECRET",
  ])
    assert.equal(saved(secret), place);
  assert.equal(saved("//me:SECRET@host.example/a"), "//host.example/a");
  assert.equal(saved(`${place}?sig=SECRET#tag=v1`), `${place}#tag=v1`);
  assert.equal(saved("local:a@b.zarr"), "local:a@b.zarr");
});

test("no link to another viewer has a password or a signature", () => {
  const scene = { pyramid: { convention: "", series: [], image: 0 }, array: { path: "/a" }, title: "a" };
  const links = (address) => {
    const source = { key: address, name: "a", url: new URL(address) };
    return otherViewers({ source, state: { scene } }).length;
  };
  assert.equal(links("https://host.example/a.zarr"), 1);
  assert.equal(links("https://host.example/a.zarr?sig=SECRET"), 0);
  assert.equal(links("https://me@host.example/a.zarr"), 0);
  assert.equal(links("https://:SECRET@host.example/a.zarr"), 0);
});

test("an address with states in states is read to the second one", () => {
  const state = readUrlState(`source=a&${"with=".repeat(100_000)}`);
  assert.equal(state.source, "a");
  assert.equal(state.with.with, undefined);
  assert.equal(readUrlState("source=a&with=source%3Db").with.source, "b");
});
