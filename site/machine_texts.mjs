/**
 * The site for those who read by machine: each page as Markdown beside it, `llms.txt` (the list of
 * pages) and `llms-full.txt` (the manual in one file).
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { descriptionOf } from "./descriptions.mjs";
import { GROUPS, titleOf } from "./sidebar.mjs";

const HEAD = `# zarr-wasm

> Reads and writes Zarr (v2, v3, the drafts of v3) in browsers and Node: a Rust core compiled to WebAssembly
> plans which bytes of which chunks are needed, fetches them, decodes them in workers, and returns typed arrays.

Install it with \`npm install zarr-wasm\`. The whole manual is in llms-full.txt.
`;

const withoutFrontmatter = (text) => text.replace(/^---\n[\s\S]*?\n---\n+/, "");

/** Comments name the classes of blocks, and hold code that is not shown. */
const withoutComments = (text) => text.replace(/^<!-- [\s\S]*?-->\n/gm, "");

/** A page of the folder of pages: its path, title, description and text. */
function readPage(folder, path) {
  const text = readFileSync(join(folder, `${path}.md`), "utf8");
  const markdown = withoutComments(withoutFrontmatter(text));
  return { path: `${path}.md`, title: titleOf(text), description: descriptionOf(text), markdown };
}

const entryOf = ({ path, title, description }) => `- [${title}](${path}): ${description}`;

/** Writes the texts for the pages in `folder` to the site. `reference` has the pages of the reference. */
export function writeMachineTexts(folder, site, reference) {
  const groups = GROUPS.map(([name, paths]) => [name, paths.map((path) => readPage(folder, path))]);
  const lists = [...groups, ["Reference", reference]].map(
    ([name, pages]) => `## ${name}\n\n${pages.map(entryOf).join("\n")}\n`,
  );
  writeFileSync(join(site, "llms.txt"), [HEAD, ...lists].join("\n"));
  const pages = [...groups.flatMap(([, list]) => list), ...reference];
  writeFileSync(join(site, "llms-full.txt"), [HEAD, ...pages.map(({ markdown }) => markdown)].join("\n\n"));
  for (const { path, markdown } of pages) {
    mkdirSync(dirname(join(site, path)), { recursive: true });
    writeFileSync(join(site, path), markdown);
  }
  cpSync(join(site, "llms.txt"), join(site, "index.md"));
}
