/**
 * What the build of the site refuses: links that lead nowhere, and blocks that do not parse; and
 * how sites of several versions are put together. The lane `site` tests the built site itself.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import * as tar from "tar";
import { installSitePackages } from "../../site/packages.mjs";
import { publish } from "../../site/versions.mjs";

await installSitePackages();
const { checkLinks } = await import("../../site/link_check.mjs");
const { programOf, withModules } = await import("../../site/run/program.mjs");

const FOLDER = mkdtempSync(join(tmpdir(), "zarr-wasm-site-"));
after(() => rmSync(FOLDER, { recursive: true, force: true }));

/** Writes files to a new folder. Returns its path. */
function folderOf(name, files) {
  for (const [path, text] of Object.entries(files)) {
    const file = join(FOLDER, name, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return join(FOLDER, name);
}

test("links to nothing are found, with their pages", async () => {
  const site = folderOf("broken", {
    "index.html": '<a href="./guide.html#open">1</a><a href="./guide.html#nothing">2</a>',
    "guide.html": '<h1 id="open">Open</h1><a href="lost.html">3</a><a href="/guide.html">4</a>',
  });
  await assert.rejects(checkLinks(site), ({ message }) => {
    assert.match(message, /index\.html: guide\.html has no #nothing/);
    assert.match(message, /guide\.html: there is no lost\.html/);
    assert.match(message, /guide\.html: \/guide\.html begins at the root/);
    assert.equal(message.split("\n").length, 4);
    return true;
  });
});

test("links that lead somewhere pass", async () => {
  const site = folderOf("whole", {
    "index.html": '<a href="./below/">1</a><a href="https://host.example/">2</a><a href="#a" id="a">3</a>',
    "below/index.html": '<img src="../picture.svg">',
    "picture.svg": "<svg/>",
  });
  await checkLinks(site);
});

const resolve = (name) => `../modules/${name}.js`;
const node = (code) => ({ code, group: "node" });

test("a program has the blocks of its group, and shows what its own block gives", () => {
  const blocks = [
    node('import { one } from "lib";\nconst two: number = one + 1;'),
    { code: "never();", group: "browser" },
    node("two;\nconst { three, ...rest } = f();"),
  ];
  const lines = programOf(blocks, 2, resolve).split("\n");
  assert.equal(lines[0], 'import { one } from "../modules/lib.js";');
  assert.doesNotMatch(lines.join("\n"), /never|: number|zarrRun\.show\(.*one/);
  assert.equal(lines[2], "zarrRun.begin(); zarrRun.show(1, (two));");
  assert.equal(lines[3], "const { three, ...rest } = f(); zarrRun.declare(2, { three, rest });");
});

test("what a page says throws is caught, and addresses of samples are those of the site", () => {
  const address = "https://zarr-wasm.github.io/zarr-wasm/samples";
  const block = node(`await open("${address}/a"); // throws NotFoundError\nopen(\`${address}/b\`);`);
  const [first, second] = programOf([block], 0, resolve).split("\n");
  assert.match(first, /await zarrRun\.expectError\(1, async \(\) => \{ await open\(.*\); \}\); \/\/ throws/);
  assert.match(first, /zarrRun\.samples \+ "\/a"/);
  assert.match(second, /`\$\{zarrRun\.samples\}\/b`/);
});

test("a block that does not parse is refused, and names of modules are resolved everywhere", () => {
  assert.throws(() => programOf([node("const = 3;")], 0, resolve), SyntaxError);
  const code = 'import a from "a"; await import("b"); import.meta.resolve("c"); call("d");';
  const changed = withModules(code, (name) => name.toUpperCase());
  assert.equal(changed, 'import a from "A"; await import("B"); import.meta.resolve("C"); call("d");');
});

test("sites of several versions stand beside each other, and each knows the others", async () => {
  const archives = [];
  for (const version of ["0.9.0", "0.10.0"]) {
    const folder = folderOf(`site-${version}`, { "index.html": version });
    const file = join(FOLDER, `zarr-wasm-site-${version}.tar.gz`);
    await tar.create({ gzip: true, file, cwd: folder }, ["."]);
    archives.push(file);
  }
  const output = join(FOLDER, "published");
  await publish(output, archives);
  const versions = (path) => JSON.parse(readFileSync(join(output, path, "versions.json"), "utf8")).versions;
  assert.equal(readFileSync(join(output, "index.html"), "utf8"), "0.10.0");
  assert.equal(readFileSync(join(output, "v0.9.0/index.html"), "utf8"), "0.9.0");
  assert.deepEqual(versions("."), [
    { version: "0.10.0", path: "./" },
    { version: "0.9.0", path: "./v0.9.0/" },
  ]);
  assert.deepEqual(versions("v0.9.0"), [
    { version: "0.10.0", path: "../" },
    { version: "0.9.0", path: "./" },
  ]);
  await assert.rejects(publish(output, [join(FOLDER, "other.tar.gz")]), /not named as sites are/);
  assert.ok(existsSync(join(output, "v0.9.0/versions.json")));
});
