/**
 * Writes `THIRD_PARTY_LICENSES`: the notices of the code of others that the package ships, compiled
 * into its wasm modules. Licences such as MIT, BSD and Zlib ask for them. The texts come from the
 * sources of the crates. Of npm packages it has only the coast lines of the element; others are
 * optional peers.
 *
 *   node scripts/notices.mjs            checks that the file is up to date
 *   node scripts/notices.mjs --write    writes it
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ask, command, ROOT, StepFailed, say } from "./run_command.mjs";
import { PACKAGES, WASM_TARGET } from "./wasm.mjs";

const FILE = join(ROOT, "THIRD_PARTY_LICENSES");

/** The text of the MIT licence after its copyright line, for what brings no file. */
const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`;

const mitOf = (holders) => `${holders.map((name) => `Copyright (c) ${name}`).join("\n")}\n\n${MIT}`;

/** Rust's own library is in each module. Its sources are not installed with the compiler. */
const RUST = {
  name: "the standard library of Rust, with the crates in it",
  licence: "MIT OR Apache-2.0",
  texts: [mitOf(["The Rust Project Contributors"])],
};

const must = (program, args) => {
  const output = ask(program, args);
  if (output === undefined) throw new StepFailed(`${program} ${args.join(" ")} failed`);
  return output;
};

/** Names and versions of the crates in the wasm modules, without build scripts and macros. */
function compiledCrates() {
  const which = [...PACKAGES, "--target", WASM_TARGET];
  const form = ["--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}"];
  const lines = must("cargo", ["tree", "--locked", "--no-dedupe", ...which, ...form]).split("\n");
  const named = lines.map((line) => /^(\S+) v(\S+)/.exec(line)?.slice(1, 3).join(" "));
  return new Set(named.filter((name) => name && !/^zarr-wasm/.test(name)));
}

const LICENCE_FILE = /^(licen[cs]e|copying|copyright|notice|unlicense)/i;
const APACHE = /apache/i;

const read = (path) => readFileSync(path, "utf8").replace(/\r\n/g, "\n").trim();

/** Where a package keeps the licence of sources of others that it contains. */
const INNER = { "zstd-sys": ["zstd/LICENSE"] };

/**
 * The licence texts in a package's folder. Where one may choose, the text that is not Apache's,
 * because it names the holders and is shorter.
 */
function textsIn(folder, name) {
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  const files = entries
    .map((entry) => entry.name)
    .filter((file) => LICENCE_FILE.test(file))
    .sort();
  const [notices, licences] = [/^notice/i, /^(?!notice)/i].map((kind) =>
    files.filter((file) => kind.test(file)),
  );
  const others = licences.filter((file) => !APACHE.test(file) && !/^unlicense/i.test(file));
  const inner = (INNER[name] ?? []).filter((file) => existsSync(join(folder, file)));
  return [...(others.length > 0 ? others : licences), ...notices, ...inner].map((file) =>
    read(join(folder, file)),
  );
}

function describeCrate({ name, version, license, authors, manifest_path: manifest }) {
  const texts = textsIn(dirname(manifest), name);
  const holders = authors.length > 0 ? authors : [`the authors of ${name}`];
  return { name: `${name} ${version}`, licence: license, texts: texts.length > 0 ? texts : [mitOf(holders)] };
}

function describeCrates() {
  const wanted = compiledCrates();
  const metadata = must("cargo", ["metadata", "--locked", "--format-version", "1"]);
  const crates = JSON.parse(metadata).packages.filter(({ name, version }) =>
    wanted.has(`${name} ${version}`),
  );
  for (const { name, license } of crates)
    if (!license) throw new StepFailed(`the crate ${name} names no licence`);
  return crates.map(describeCrate);
}

/** The npm packages that `dist/view.js` and the modules that it loads contain. */
const IN_JAVASCRIPT = ["uplot", "world-atlas"];

function describePackage(name) {
  const folder = join(ROOT, "node_modules", name);
  const { version, license } = JSON.parse(read(join(folder, "package.json")));
  return { name: `${name} ${version}`, licence: license, texts: textsIn(folder, name) };
}

/** Joins packages with equal texts, so that each text is there once. */
function byText(packages) {
  const groups = new Map();
  for (const { name, licence, texts } of packages) {
    const text = texts.join("\n\n");
    if (text === "") throw new StepFailed(`${name} has no licence text`);
    groups.set(text, [...(groups.get(text) ?? []), `${name}: ${licence}`]);
  }
  return groups;
}

const RULE = "=".repeat(80);

/** The text of the file. */
export function noticesText() {
  const packages = [RUST, ...describeCrates(), ...IN_JAVASCRIPT.map(describePackage)];
  const sections = [...byText(packages)].map(([text, names]) => `${RULE}\n${names.join("\n")}\n\n${text}\n`);
  const head = "The package zarr-wasm contains code of others, under these licences.\n";
  return `${head}\n${sections.join("\n")}`;
}

/** Whether the file is up to date. */
export const noticesAreCurrent = () => existsSync(FILE) && readFileSync(FILE, "utf8") === noticesText();

if (import.meta.filename === process.argv[1]) {
  await command(async (args) => {
    if (args.includes("--write")) writeFileSync(FILE, noticesText());
    else if (!noticesAreCurrent())
      throw new StepFailed("THIRD_PARTY_LICENSES is old: node scripts/notices.mjs --write");
    say("✓ THIRD_PARTY_LICENSES is up to date");
  });
}
