/**
 * Compares the documentation with the project: links, files, commands, entries, error codes,
 * named tests, sizes, rooms. `docs_snippets.test.mjs` runs the code of the pages.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { anchorOf } from "../../site/markdown/anchors.mjs";
import { ENTRY_GUIDES, GROUPS } from "../../site/reference/groups.mjs";

const ROOT = join(import.meta.dirname, "../..");
const read = (path) => readFileSync(join(ROOT, path), "utf8");
const manifest = JSON.parse(read("package.json"));

const markdownOf = (folder, options) =>
  readdirSync(join(ROOT, folder), options)
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));

/** The pages of the site, in their folders. */
const DOCS = markdownOf("docs", { recursive: true });

const PAGES = [
  ...DOCS,
  ...[".", "tests", ".github", ".github/ISSUE_TEMPLATE", "www/samples"].flatMap((folder) =>
    markdownOf(folder),
  ),
  "tests/fixtures/README.md",
];

/** Text without code, whose brackets are not links. */
const prose = (text) =>
  text.replace(/^```[\s\S]*?^```/gm, "").replace(/`[^`\n]*`/g, (code) => "`".repeat(code.length));

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text) {
  const headings = text.replace(/^```[\s\S]*?^```/gm, "").matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, title]) => anchorOf(title));
}

/** The links of a page: those in its text, and those that it defines at its end. */
const linksOf = (page) =>
  [...prose(read(page)).matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$/gm)].map(
    ([, inText, defined]) => inText ?? defined,
  );

/** The addresses of files of this project, as its public page has them. */
const OWN = [manifest.homepage.replace(/#.*/, "/blob/main/")];
OWN.push(OWN[0].replace("github.com", "raw.githubusercontent.com").replace("/blob/", "/"));

/** What is wrong with one link of a page; undefined if it resolves. */
function linkFault(page, link) {
  const own = OWN.find((start) => link.startsWith(start));
  if (own) return linkFault("README.md", link.slice(own.length));
  if (/^(https?|mailto):/.test(link)) return undefined;
  const [path, anchor] = link.split("#");
  const target = path === "" ? page : join(dirname(page), path);
  if (!existsSync(join(ROOT, target))) return `${page}: there is no ${target}`;
  if (anchor !== undefined && !anchorsOf(read(target)).includes(anchor)) {
    return `${page}: ${target} has no heading #${anchor}`;
  }
  return undefined;
}

test("links of the documentation resolve, to files and to headings", () => {
  const links = PAGES.flatMap((page) => linksOf(page).map((link) => [page, link]));
  assert.ok(links.length > 60, `only ${links.length} links`);
  const faults = links.map(([page, link]) => linkFault(page, link)).filter(Boolean);
  assert.deepEqual(faults, []);
});

test("a link to nothing is found", () => {
  assert.match(linkFault("docs/guide.md", "nothing.md"), /there is no docs\/nothing.md/);
  assert.match(linkFault("docs/guide.md", "values.md#nothing"), /no heading #nothing/);
  assert.equal(linkFault("docs/guide.md", "#select"), undefined);
  assert.match(linkFault("docs/guide.md", `${OWN[0]}docs/nothing.md`), /there is no docs\/nothing.md/);
});

test("links of the README work wherever the package's page is", () => {
  const { status, stdout } = spawnSync("npm", ["pack", "--dry-run", "--json"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  assert.equal(status, 0);
  const [{ files }] = JSON.parse(stdout);
  const packed = new Set(files.map(({ path }) => path));
  const links = linksOf("README.md");
  assert.ok(links.length > 10 && links.some((link) => link.endsWith(".jpg")), `${links.length} links`);
  const lost = links.filter((link) => !/^https:/.test(link) && !packed.has(link.split("#")[0]));
  assert.deepEqual(lost, []);
  // A link of which the definition is missing is shown as its brackets.
  const used = [...prose(read("README.md")).matchAll(/\]\[([^\]]+)\]/g)].map(([, name]) => name);
  const missing = used.filter((name) => !read("README.md").includes(`\n[${name}]: `));
  assert.deepEqual(missing, []);
});

test("the manifests say where the project is, all the same", () => {
  const home = manifest.homepage.replace(/#.*/, "");
  assert.match(home, /^https:\/\/[^/]+\/[^/]+\/[^/]+$/);
  assert.deepEqual(manifest.repository, { type: "git", url: `git+${home}.git` });
  assert.deepEqual(manifest.bugs, { url: `${home}/issues` });
  const workspace = read("Cargo.toml");
  const folders = /^members = (\[[^\]]*\])$/m.exec(workspace)[1];
  for (const folder of [...JSON.parse(folders), "fuzz"])
    for (const field of ["homepage", "repository"]) {
      const isShared = read(`${folder}/Cargo.toml`).includes(`\n${field}.workspace = true\n`);
      const text = isShared ? workspace : read(`${folder}/Cargo.toml`);
      assert.ok(text.includes(`\n${field} = "${home}"\n`), `${folder}/Cargo.toml has no ${field}`);
    }
});

test("every page of docs/ is in its index", () => {
  const index = read("docs/README.md");
  // The gallery lists its own pages.
  const isListed = (page) =>
    page.startsWith("docs/gallery/")
      ? read("docs/gallery.md").includes(page.slice("docs/".length))
      : index.includes(page.slice("docs/".length));
  const missing = DOCS.filter((page) => !isListed(page));
  assert.deepEqual(missing, []);
});

const CODE_PATH = /`((?:src|tests|scripts|docs|benches|www|xtask|\.ci|\.github)\/[^`\s*<…]*)`/g;

test("files and folders that the documentation names exist", () => {
  const named = PAGES.filter((page) => page !== "CHANGELOG.md").flatMap((page) =>
    [...read(page).matchAll(CODE_PATH)].map(([, path]) => [page, path]),
  );
  assert.ok(named.length > 100, `only ${named.length} paths`);
  const missing = named.filter(([, path]) => !existsSync(join(ROOT, path)));
  assert.deepEqual(missing, []);
});

test("ARCHITECTURE.md names every room", () => {
  const named = [...read("ARCHITECTURE.md").matchAll(CODE_PATH)].map(([, path]) => path);
  const foldersIn = (folder) =>
    readdirSync(join(ROOT, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${folder}/${name}`);
  const rooms = [...foldersIn("src"), ...foldersIn("src/engine/ts"), ...foldersIn("src/package")];
  assert.deepEqual(
    rooms.filter((room) => !named.includes(room)),
    [],
  );
});

test("commands that the documentation names are scripts of package.json", () => {
  const commands = PAGES.flatMap((page) =>
    [...read(page).matchAll(/`npm (?:run )?([a-z][\w:-]*)/g)].map(([, name]) => [page, name]),
  );
  assert.ok(commands.length > 15, `only ${commands.length} commands`);
  const builtIn = ["audit", "ci", "install", "pack"];
  const unknown = commands.filter(([, name]) => !builtIn.includes(name) && !(name in manifest.scripts));
  assert.deepEqual(unknown, []);
});

/** The names in the first column of a page's tables. */
const firstColumn = (text) =>
  [...text.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );

// `reference.test.mjs` compares the names themselves with what the entries export.
test("docs/api.md lists the entries of the package, with the pages that explain them", () => {
  const [entries] = read("docs/api.md").split("## Names");
  const paths = Object.keys(manifest.exports).filter((path) => path !== "./package.json");
  assert.deepEqual(firstColumn(entries).sort(), paths.map((path) => join("zarr-wasm", path)).sort());
  for (const [entry, guide] of Object.entries(ENTRY_GUIDES)) {
    const row = new RegExp(`^\\| \`zarr-wasm/${entry}\` \\|.*$`, "m").exec(entries)?.[0];
    assert.ok(row?.includes(`](${guide})`), `the row of ${entry} has no link to ${guide}`);
  }
});

test("docs/api.md lists the groups of names as the reference has them", () => {
  const [, names] = read("docs/api.md").split("## Names");
  const rows = [...names.matchAll(/^\| ([^|]+) \| ([^|]+) \| \[[^\]]+\]\(([^)]+)\) \|$/gm)];
  assert.deepEqual(
    rows.map(([, title, , guide]) => [title, guide]),
    GROUPS.map(({ title, guide }) => [title, guide]),
  );
  for (const [at, [, title, examples]] of rows.entries())
    for (const [, name] of examples.matchAll(/`([^`]+)`/g))
      assert.ok(GROUPS[at].names.includes(name), `${name} is not in the group ${title}`);
});

test("docs/reliability.md lists the error codes and classes, and no others", () => {
  const [errors] = read("docs/reliability.md").split("## What is guaranteed");
  const codes = JSON.parse(/ERROR_CODES = (\[.*\]) as const/.exec(read("src/contract/contract.ts"))[1]);
  const classes = [...read("src/engine/ts/model/errors.ts").matchAll(/^export class (\w+)/gm)]
    .map(([, name]) => name)
    .filter((name) => name !== "TrapError");
  assert.deepEqual(firstColumn(errors).sort(), [...codes, ...classes].sort());
});

/** Rows that end with the file and the name of a test. */
const TESTED_ROW = /^\| .* \| `((?:tests|src)\/[^`]+)` \| ([^|]+) \|$/gm;

for (const page of ["docs/reliability.md", "docs/threat_model.md"]) {
  test(`each test that ${page} names is there`, () => {
    const rows = [...read(page).matchAll(TESTED_ROW)];
    assert.ok(rows.length > 20, `only ${rows.length} rows`);
    const missing = rows.filter(([, path, name]) => !read(path).includes(name));
    assert.deepEqual(
      missing.map(([row]) => row),
      [],
    );
  });
}

test("the sizes of the README are those of docs/sizes.md", () => {
  const sizeOf = (file) =>
    new RegExp(`^\\| \`${file}\` \\|.*\\| (\\d+ kB) \\|$`, "m").exec(read("docs/sizes.md"))?.[1];
  const [first, light] = [sizeOf("open, get, slice"), sizeOf("modules/light/ts/light.js")];
  const row = /^\| first download, gzip \| ([^|]+) \|/m.exec(read("README.md"))?.[1];
  assert.equal(row, `${first}, then ${light}`);
});

test("the README is two screens long", () => {
  const lines = read("README.md").split("\n").length;
  assert.ok(lines <= 130, `${lines} lines: move text to docs/`);
});

test("the versions of peers in the README and in docs/instead-of/ are those that are tested", () => {
  const { zarrita } = manifest.devDependencies;
  assert.ok(read("README.md").includes(`zarrita ${zarrita} |`), `the README does not compare ${zarrita}`);
  assert.ok(read("docs/instead-of/zarrita.md").includes(`zarrita ${zarrita.replace(/\.\d+$/, "")}`));
});
