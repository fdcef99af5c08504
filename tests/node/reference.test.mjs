/**
 * The reference of the site: every public name has a place and a description, and nothing else has.
 * `docs.test.mjs` tests the pages that people write.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { after, test } from "node:test";
import * as zarr from "zarr-wasm";
import { installSitePackages } from "../../site/packages.mjs";
import { addressesOf, addressIn } from "../../site/reference/addresses.mjs";
import { checkModel, faultsOf, faultsOfGroups } from "../../site/reference/checks.mjs";
import { ENTRY_GUIDES, GROUPS, guideOf, SECTIONS } from "../../site/reference/groups.mjs";
import { modelOf, readModel } from "../../site/reference/model.mjs";
import { addressOf, pagesOf, sidebarOf, writeReference } from "../../site/reference/pages.mjs";

const ROOT = join(import.meta.dirname, "../..");
const read = (path) => readFileSync(join(ROOT, path), "utf8");
const manifest = JSON.parse(read("package.json"));

await installSitePackages();
const model = await readModel();
const addresses = addressesOf(model);
const pages = new Map(pagesOf(model).map((page) => [page.path, page]));
const itemOf = (name) => model.items.find((item) => item.name === name);

mkdirSync(join(ROOT, "target"), { recursive: true });
const folder = mkdtempSync(join(ROOT, "target/reference-test-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** The names in the export lists of an entry, with `type ` before those of types. */
const exportsOf = (entry) =>
  [...read(`src/package/entry/${entry}`).matchAll(/export (type )?\{([^}]*)\} from/g)].flatMap(
    ([, isType = "", list]) =>
      list
        .split(",")
        .map((name) => name.trim().replace(/^\w+ as (?!default)/, ""))
        .filter((name) => name !== "" && !name.endsWith(" as default"))
        .map((name) => `${isType}${name}`),
  );

/** The names of the types that an entry exports, read from its source. */
function typesOf(entry) {
  const text = read(`src/package/entry/${entry}`);
  const lists = exportsOf(entry)
    .filter((name) => name.startsWith("type "))
    .map((name) => name.replace(/^type /, ""));
  const files = [...text.matchAll(/export type \* from "([^"]+)"/g)].map(([, path]) =>
    read(join("src/package/entry", path)),
  );
  const declared = files.flatMap((file) =>
    [...file.matchAll(/^export (?:type|interface) (\w+)/gm)].map(([, name]) => name),
  );
  return [...lists, ...declared].sort();
}

const namesOf = (entry, isValue) =>
  model.items
    .filter((item) => item.isValue === isValue && item.entries.includes(entry))
    .map(({ name }) => name)
    .sort();

test("the model has every name that the root exports, and no other", async () => {
  assert.deepEqual(namesOf("zarr-wasm", true), Object.keys(zarr).sort());
  assert.deepEqual(namesOf("zarr-wasm", false), typesOf("names.ts"));
  for (const entry of ["inline", "slim"])
    assert.deepEqual(Object.keys(await import(`zarr-wasm/${entry}`)).sort(), Object.keys(zarr).sort());
});

test("the model has every name of the other entries, and no other", () => {
  const others = model.entries.filter(({ hasPage, entry }) => hasPage && !["", "view"].includes(entry));
  assert.ok(others.length > 12, `only ${others.length} entries`);
  for (const { entry, name } of others) {
    const values = exportsOf(`${entry}.ts`).filter((one) => !one.startsWith("type "));
    assert.deepEqual(namesOf(name, true), values.sort(), name);
    assert.deepEqual(namesOf(name, false), typesOf(`${entry}.ts`), name);
  }
  const declared = [
    ...read("src/package/entry/view.ts").matchAll(/^export (?:const|type|interface) (\w+)/gm),
  ];
  const names = [...namesOf("zarr-wasm/view", true), ...namesOf("zarr-wasm/view", false)];
  assert.deepEqual(names.sort(), [...new Set(declared.map(([, name]) => name))].sort());
});

test("every entry of package.json is in the index", () => {
  const { page } = pages.get("reference/index.md");
  const entries = Object.keys(manifest.exports).map((path) => path.replace(/^\.\/?/, ""));
  for (const entry of entries.filter((name) => name !== "package.json")) {
    const name = entry === "" ? "zarr-wasm" : `zarr-wasm/${entry}`;
    assert.match(page, new RegExp(`^\\| (\\[\`${name}\`\\]|\`${name}\`)`, "m"));
  }
});

/** The anchors of a page: those that are given, and those that follow from headings. */
function anchorsOf({ page }) {
  const headings = [...page.matchAll(/^##+ (.+?)(?: \{#([\w-]+)\})?$/gm)];
  const ids = [...page.matchAll(/<a id="([\w-]+)">/g)].map(([, id]) => id);
  return [...ids, ...headings.map(([, title, id]) => id ?? title.toLowerCase().replace(/\W+/g, "-"))];
}

test("every public name has one address, which leads to it", async () => {
  const seen = new Set();
  for (const { name } of model.items) {
    const address = addressIn(addresses, name);
    const [path, anchor] = address.split("#");
    const page = pages.get(`${path}.md`);
    assert.ok(page, `${name}: there is no ${path}.md`);
    if (anchor) assert.ok(anchorsOf(page).includes(anchor), `${name}: ${path}.md has no #${anchor}`);
    const own = anchor?.endsWith("options") ? `${address} ${name}` : address;
    assert.ok(!seen.has(own), `${name} has the address of another name: ${address}`);
    seen.add(own);
  }
  assert.equal(await addressOf("open"), "reference/functions/open");
  assert.equal(await addressOf("nothing"), undefined);
});

test("every name, member, option and word has a description, and every name a group", () => {
  assert.deepEqual(faultsOf(model), []);
  assert.deepEqual(faultsOfGroups(model), []);
});

const UNDESCRIBED = `
/** Options. */
export interface DrawOptions {
  wide?: boolean;
  /** What is drawn. */
  kind?: "line" | "area";
}
export function draw(size: number, options: DrawOptions = {}): void {}
/** A shape. */
export class Shape {
  readonly sides = 3;
  /** Turns it. */
  turn(angle: number): void {}
  /** @internal */
  [Symbol("private")] = 1;
}
`;

test("what is not described is found, with file and line", async () => {
  writeFileSync(join(folder, "entry.ts"), UNDESCRIBED);
  const options = { target: "es2022", lib: ["es2022"], types: [], skipLibCheck: true };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: options, include: ["*.ts"] }),
  );
  const entries = [{ entry: "x", name: "x" }];
  const sources = { tsconfig: join(folder, "tsconfig.json"), root: folder };
  const found = await modelOf([join(folder, "entry.ts")], entries, sources);
  assert.deepEqual(faultsOf(found), [
    "entry.ts:11: Shape.sides has no description",
    "entry.ts:13: Shape.turn(angle) has no description",
    "entry.ts:4: DrawOptions.wide has no description",
    "entry.ts:6: DrawOptions.kind does not say its default",
    'entry.ts:6: DrawOptions.kind does not say what "area" means',
    'entry.ts:6: DrawOptions.kind does not say what "line" means',
    "entry.ts:8: draw has no description",
    "entry.ts:8: draw(size) has no description",
  ]);
  assert.throws(() => checkModel(found), /entry\.ts:8: draw has no description/);
});

/** The options that a call takes, by the error that names them. */
async function optionsOf(call) {
  const error = await (async () => call({ nothing: 1 }))().catch((reason) => reason);
  assert.match(error.message, /there is no option nothing/);
  return error.expected.split(", ").sort();
}

const tableOf = (callable) =>
  callable.parameters
    .flatMap(({ options }) => options.map(({ name }) => name))
    .filter((name) => !name.includes("."))
    .sort();

test("the tables have the options that the calls take", async () => {
  const array = await zarr.create(new Map(), { shape: [2], dtype: "int8" });
  const made = [
    [itemOf("open"), (options) => zarr.open(new Map(), options)],
    [itemOf("init"), (options) => zarr.init(options)],
    [itemOf("warp"), (options) => zarr.warp(array, options)],
    [itemOf("histogram"), (options) => zarr.histogram(array, options)],
    [itemOf("statistics"), (options) => zarr.statistics(array, null, options)],
    [itemOf("createPyramid"), (options) => zarr.createPyramid(new Map(), array, options)],
    [itemOf("Array").methods.find(({ name }) => name === "stream"), (options) => array.stream(null, options)],
  ];
  for (const [callable, call] of made) assert.deepEqual(tableOf(callable), await optionsOf(call));
  // zarrita's `get` has shared memory, too.
  const get = itemOf("Array").methods.find(({ name }) => name === "get");
  const wanted = await optionsOf((options) => array.get(null, options));
  assert.deepEqual(
    tableOf(get),
    wanted.filter((name) => name !== "useSharedArrayBuffer"),
  );
  const others = ["chunkMemoryLayout", "chunkSeparator", "chunks", "dataType", "shards"];
  const created = [...new Set([...tableOf(itemOf("create")), ...others])].sort();
  assert.deepEqual(created, await optionsOf((options) => zarr.create(new Map(), options)));
  const { comment } = itemOf("CreateArrayOptions");
  for (const name of others) assert.ok(comment.text.includes(`\`${name}\``), name);
});

test("what is not for users does not appear", () => {
  const members = model.items.flatMap(({ name, properties = [], methods = [] }) =>
    [...properties, ...methods].map((member) => `${name}.${member.name}`),
  );
  assert.ok(members.length > 300, `only ${members.length} members`);
  const hidden = members.filter((name) => /\.(\[(?!Symbol\.iterator)|#|locate$|definition$)/.test(name));
  assert.deepEqual(hidden, []);
  const made = ["Pyramid", "Histogram", "Coordinates", "TimeUnits", "AtValue", "Points", "ReadPlan"];
  for (const name of made) assert.equal(itemOf(name).creation, undefined, `new ${name} is shown`);
  assert.ok(itemOf("FetchStore").creation);
});

/** Text of a page without code. */
const prose = (text) => text.replace(/^```[\s\S]*?^```/gm, "").replace(/(`+)[^`][\s\S]*?\1(?!`)/g, "");

/** What is wrong with a link of a page of the reference, or to a page of the guide. */
function linkFault(page, link) {
  const [path, anchor] = link.split("#");
  const target = path === "" ? page.path : posix.join(posix.dirname(page.path), path);
  if (target.startsWith("reference/")) {
    const found = pages.get(target);
    if (!found) return `there is no ${target}`;
    return anchor === undefined || anchorsOf(found).includes(anchor)
      ? undefined
      : `${target} has no #${anchor}`;
  }
  return existsSync(join(ROOT, "docs", target)) ? undefined : `there is no docs/${target}`;
}

test("the links of the reference lead to pages and headings", () => {
  let count = 0;
  for (const page of pages.values())
    for (const [, link] of prose(page.page).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (link.startsWith("https://")) {
        const [, path, line] = /zarr-wasm\/blob\/main\/(.+)#L(\d+)$/.exec(link) ?? [];
        if (path) assert.ok(read(path).split("\n").length >= Number(line), link);
        continue;
      }
      count += 1;
      assert.equal(linkFault(page, link), undefined, page.path);
    }
  assert.ok(count > 2000, `only ${count} links`);
});

test("no page has what Vue or a table would take for its own", () => {
  for (const { path, page } of pages.values()) {
    const text = prose(page.replace(/^---[\s\S]*?\n---/, "")).replace(/<br>|<a id="[\w-]+"><\/a>/g, "");
    assert.doesNotMatch(text, /<|\{\{/, path);
    for (const table of page.matchAll(/^\|.*\|\n\|(?:---\|)+\n(?:\|.*\|\n?)+/gm)) {
      const widths = table[0]
        .trim()
        .split("\n")
        .map((line) => line.match(/(?<!\\)\|/g).length);
      assert.equal(new Set(widths).size, 1, `${path}: ${table[0]}`);
    }
    assert.match(page, /^---\ntitle: ".+"\ndescription: ".+"\noutline: \[2, 3\]\n/, path);
  }
});

/** The anchors of a page of the guide, as GitHub and the site make them. */
const guideAnchors = (text) =>
  [...text.replace(/^```[\s\S]*?^```/gm, "").matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

test("the pages of the guide that explain the groups are there", () => {
  const groups = GROUPS.map(({ guide }) => guide);
  const guides = [...groups, ...Object.keys(SECTIONS), ...Object.values(ENTRY_GUIDES)];
  for (const guide of guides) {
    const [path, anchor] = guide.split("#");
    assert.ok(existsSync(join(ROOT, "docs", path)), guide);
    if (anchor) assert.ok(guideAnchors(read(join("docs", path))).includes(anchor), guide);
  }
  const adapters = model.entries.filter(({ hasPage, entry }) => hasPage && entry !== "");
  assert.deepEqual(Object.keys(ENTRY_GUIDES).sort(), adapters.map(({ entry }) => entry).sort());
  const unexplained = model.items.filter((item) => item.isValue && !guideOf(item));
  assert.deepEqual(
    unexplained.map(({ name }) => name),
    [],
  );
  const unknown = Object.values(SECTIONS)
    .flat()
    .filter((name) => !itemOf(name));
  assert.deepEqual(unknown, []);
});

test("the reference is written, with a side bar that leads to each of its pages", async () => {
  const written = await writeReference(folder);
  assert.equal(written.length, pages.size);
  for (const { path, title, description, markdown } of written) {
    assert.ok(title && description && markdown.startsWith(`# ${title}`), path);
    assert.ok(existsSync(join(folder, path)), path);
  }
  const listed = JSON.parse(readFileSync(join(folder, "reference/addresses.json"), "utf8"));
  assert.equal(Object.keys(listed).length, model.items.length);
  const linksIn = (items) =>
    items.flatMap(({ link = [], items: inner = [] }) => [link, ...linksIn(inner)].flat());
  const links = linksIn(await sidebarOf());
  assert.deepEqual(
    JSON.parse(readFileSync(join(folder, "reference/sidebar.json"), "utf8")),
    await sidebarOf(),
  );
  for (const link of links) {
    const path = link.split("#")[0].replace(/\/$/, "/index");
    assert.ok(existsSync(join(folder, `${path}.md`)), link);
  }
  const lost = written.filter(({ path }) => !links.some((link) => `/${path}`.startsWith(link.split("#")[0])));
  assert.deepEqual(
    lost.map(({ path }) => path),
    [],
  );
});
