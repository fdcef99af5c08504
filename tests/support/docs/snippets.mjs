/**
 * The code blocks of README.md and docs/: finds them, and makes programs of them. It runs nothing.
 *
 * The blocks of one page are one program, in order, so a block may use what an earlier block made.
 * Every block of JavaScript or TypeScript runs in Node, and on the site in a browser, unless a
 * comment on the line above it names another class and the reason:
 *
 *     <!-- snippet: node: reads the disk -->         runs in Node alone
 *     <!-- snippet: browser: needs OPFS -->          runs in Chromium
 *     <!-- snippet: draws: a map -->                 as `browser`; it must draw a picture
 *     <!-- snippet: lax: it makes code of texts -->  as `browser`, and not on the site
 *     <!-- snippet: types: needs a bucket -->        is only compiled
 *     <!-- snippet: file: React -->                  is a file of a project for a consumer
 *
 * A file of a project names itself in its first line, as `// src/main.js`. Only JavaScript needs
 * the class: blocks of languages that do not run as they stand need the line alone.
 *
 * A block of HTML that draws is a page of its own.
 *
 * `<!-- hidden`, lines of code and `-->` are code that runs and is not shown, as is
 * `<!-- hidden: browser`. Each program keeps the line numbers of its page, so an error names the
 * page's line.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SAMPLES } from "../../../site/run/samples.mjs";
import { checkClaim } from "./claim_lines.mjs";

const ROOT = join(import.meta.dirname, "../../..");

/** README.md and every page of docs/ and its folders, as paths from the root. */
export const PAGES = [
  "README.md",
  ...readdirSync(join(ROOT, "docs"), { recursive: true })
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => `docs/${name.replaceAll("\\", "/")}`),
];

export const readPage = (page) => readFileSync(join(ROOT, page), "utf8");

const FENCE = /^```(\w*)$/;
const CLASS = /^<!-- snippet: (\w+): (.+) -->$/;
const HIDDEN = /^<!-- hidden(?:: (\w+))?$/;
/** Names of fences with code that runs or is compiled. */
export const CODE = new Set(["js", "ts", "mjs", "javascript", "typescript"]);
const CLASSES = new Set(["node", "browser", "draws", "lax", "types", "file"]);
const FILE = /^(?:\/\/|#|<!--) ([\w./-]+\.\w+)(?: -->)?$/;

/** Whether a block is part of the program for Chromium. */
const isForBrowsers = ({ kind, isHtml }) => !isHtml && ["browser", "draws", "lax"].includes(kind);

/** The class that the comment above a block names; undefined without a comment. */
function classAbove(page, lines, at) {
  const above = lines[at - 1] ?? "";
  const match = CLASS.exec(above);
  if (!match && above.includes("snippet:"))
    throw new Error(`${page}:${at}: write <!-- snippet: class: reason -->`);
  const name = match?.[1];
  if (name !== undefined && !CLASSES.has(name)) throw new Error(`${page}:${at}: no class ${name}`);
  return name;
}

/** The index of the line that ends what begins at `at`. */
function endOf(page, lines, at, isEnd) {
  const end = lines.findIndex((line, index) => index > at && isEnd(line));
  if (end < 0) throw new Error(`${page}:${at + 1}: what begins here does not end`);
  return end;
}

/**
 * The blocks of a page: `{kind, isForNodeAlone, isHidden, isHtml, first, lines}`. `first` is the
 * first line's index.
 */
export function blocksOf(page, text) {
  const lines = text.split("\n");
  const blocks = [];
  for (let at = 0; at < lines.length; at += 1) {
    const [fence, hidden] = [FENCE.exec(lines[at]), HIDDEN.exec(lines[at])];
    if (!fence && !hidden) continue;
    const end = endOf(page, lines, at, (line) => line === (fence ? "```" : "-->"));
    const isHtml = fence?.[1] === "html";
    const isCode = hidden || isHtml || CODE.has(fence[1]);
    const named = hidden ? hidden[1] : isCode && classAbove(page, lines, at);
    const block = { kind: named ?? "node", isForNodeAlone: named === "node", isHtml };
    const [first, isHidden] = [at + 1, hidden !== null];
    if (isCode) blocks.push({ ...block, isHidden, first, lines: lines.slice(first, end) });
    at = end;
  }
  return blocks;
}

/** A block, and behind one that draws the call that waits for its picture (`docs_pages.mjs`). */
function withPicture(page, block) {
  const { kind, first, lines } = block;
  const end = first + lines.length;
  const check = `await globalThis.drawn(${JSON.stringify(`${page}:${first}`)});`;
  return kind === "draws" ? [block, { ...block, first: end, lines: [check] }] : [block];
}

/** The blocks of HTML that draw: `{place, text}`. `host` replaces the host of the examples. */
export const pagesThatDraw = (page, host) =>
  blocksOf(page, readPage(page))
    .filter(({ kind, isHtml }) => isHtml && kind === "draws")
    .map(({ first, lines }) => ({
      place: `${page}:${first}`,
      text: lines.join("\n").replaceAll(SAMPLES, host),
    }));

/** The files of projects that a page shows: text by path. `host` replaces that of the examples. */
export function filesOf(page, host) {
  const lines = readPage(page).split("\n");
  const files = {};
  for (let at = 0; at < lines.length; at += 1) {
    if (!FENCE.test(lines[at])) continue;
    const end = endOf(page, lines, at, (line) => line === "```");
    const path = FILE.exec(lines[at + 1])?.[1];
    if (path in files) throw new Error(`${page}:${at + 1}: ${path} is there twice`);
    if (path) files[path] = `${lines.slice(at + 1, end).join("\n")}\n`.replaceAll(SAMPLES, host);
    at = end;
  }
  return files;
}

/** Lines of code, each at the line that it has in the page. */
function placed(blocks, change = (line) => line) {
  const program = [];
  for (const { first, lines } of blocks) {
    while (program.length < first) program.push("");
    program.push(...lines.map((line, index) => change(line, first + index + 1)));
  }
  return program;
}

/**
 * The program of one class of a page, which checks what its comments state. Undefined if the page
 * has no such block. `host` replaces the host of the examples; `claims` is `claims.mjs`.
 */
export function programOf(page, kind, { host, claims }) {
  const isOfKind = kind === "browser" ? isForBrowsers : (block) => !block.isHtml && block.kind === kind;
  const blocks = blocksOf(page, readPage(page)).filter(isOfKind);
  if (!blocks.some(({ isHidden }) => !isHidden)) return undefined;
  const all = blocks.flatMap((block) => withPicture(page, block));
  const program = placed(all, (line, number) =>
    checkClaim(line.replaceAll(SAMPLES, host), `${page}:${number}`),
  );
  program[0] = `import { claim as __claim, rejects as __rejects } from ${JSON.stringify(claims)};`;
  return `${program.join("\n")}\nexport {};\n`;
}

/** The modules of a page for the compiler: one per class that runs, and one per other block. */
export function compiledModulesOf(page) {
  const blocks = blocksOf(page, readPage(page)).filter(({ isHtml }) => !isHtml);
  const alone = blocks.filter(({ kind }) => kind === "types").map((block) => [block]);
  const programs = [blocks.filter(({ kind }) => kind === "node"), blocks.filter(isForBrowsers)];
  return [...programs, ...alone]
    .filter((group) => group.length > 0)
    .map((group) => `${placed(group).join("\n")}\nexport {};\n`);
}
