/**
 * Gathers the pages of the site into one folder: those of `docs/`, the change log, the home page,
 * and the reference that is made from the declarations.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../scripts/run_command.mjs";
import { descriptionOf } from "./descriptions.mjs";
import { writeReference } from "./reference/pages.mjs";
import { GROUPS } from "./sidebar.mjs";

const DOCS = join(ROOT, "docs");
/** GitHub's index of the pages. The site has its own. */
const LEFT_OUT = new Set(["README.md"]);

/** The pages of `docs/` on the site, as paths below it. */
export const docsPages = () =>
  readdirSync(DOCS, { recursive: true })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".md") && !LEFT_OUT.has(name))
    .sort();

/** Throws unless each page has a description, and is in the sidebar. */
function checkPages(pages) {
  const listed = new Set(GROUPS.flatMap(([, names]) => names.map((name) => `${name}.md`)));
  const unlisted = pages.filter((page) => !listed.has(page) && !page.startsWith("gallery/"));
  if (unlisted.length > 0) throw new Error(`site/sidebar.mjs does not list ${unlisted.join(", ")}`);
  const plain = pages.filter((page) => !descriptionOf(readFileSync(join(DOCS, page), "utf8")));
  if (plain.length > 0) throw new Error(`without a description in their first lines: ${plain.join(", ")}`);
}

const CHANGES = `---
description: What changed in each version of zarr-wasm.
outline: 2
---
`;

/** The home page. How the package compares is said in README.md, with the addresses of its links. */
function homePage() {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const [compared] = /^## Compared\n[\s\S]*?(?=^## )/m.exec(readme);
  const addresses = readme.match(/^\[[^\]]+\]: \S+$/gm).join("\n");
  const home = readFileSync(join(ROOT, "site/home.md"), "utf8");
  return home.replace("<!-- the comparison of README.md -->", () => `${compared}\n${addresses}`);
}

/** Copies files that VitePress publishes as they are. */
function copyPublicFiles(folder) {
  cpSync(join(ROOT, "site/public"), folder, { recursive: true });
  cpSync(join(DOCS, "pictures"), join(folder, "pictures"), { recursive: true });
  cpSync(join(ROOT, "www/examples/pictures"), join(folder, "pictures/examples"), { recursive: true });
  cpSync(join(ROOT, "www/screenshot.jpg"), join(folder, "screenshot.jpg"));
}

/**
 * Writes the pages to a folder. Resolves to them: `{ path, title, description, markdown }`, with
 * those of the reference behind the others.
 */
export async function gatherPages(folder) {
  const pages = docsPages();
  checkPages(pages);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(DOCS, folder, { recursive: true, filter: (source) => source !== join(DOCS, "README.md") });
  writeFileSync(join(folder, "index.md"), homePage());
  writeFileSync(join(folder, "changelog.md"), CHANGES + readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"));
  copyPublicFiles(join(folder, "public"));
  return writeReference(folder);
}
