/**
 * Writes the reference as pages of Markdown for VitePress: an index, a page for each entry, class,
 * function and constant, and pages for the types that belong to no single one of them.
 *
 *     node site/reference/pages.mjs <folder>
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { addressesOf, addressIn, anchorOf } from "./addresses.mjs";
import { checkModel } from "./checks.mjs";
import { firstSentence } from "./comments.mjs";
import { TYPE_PAGES } from "./groups.mjs";
import { itemLines, sharedTypes } from "./items.mjs";
import { linksFrom } from "./links.mjs";
import { entryAddress, entryPage, indexPage, sentence } from "./lists.mjs";
import { readModel } from "./model.mjs";
import { sidebarFor } from "./sidebar.mjs";

/** The name of a page's text in its front matter, without Markdown. */
const plain = (text) => text.replace(/`([^`]*)`/g, "$1").replace(/\s+/g, " ");

/** The anchors of a part of a page: that of a heading is its own, or follows from its text. */
function anchorsIn(line) {
  const [, title, own] = /^#+ (.*?)(?: \{#([\w-]+)\})?$/.exec(line) ?? [];
  if (title !== undefined) return [own ?? anchorOf(title)];
  return line.match(/(?<=<a id=")[\w-]+/g) ?? [];
}

/** A page, with what VitePress reads at its start. Throws if two headings have the same anchor. */
function pageOf({ path, title, description, lines }) {
  const anchors = lines.flatMap(anchorsIn);
  const twice = anchors.find((anchor, at) => anchors.indexOf(anchor) !== at);
  if (twice !== undefined) throw new Error(`${path} has two headings with the anchor ${twice}`);
  const matter = [
    `title: ${JSON.stringify(title)}`,
    `description: ${JSON.stringify(plain(description))}`,
    "outline: [2, 3]",
    "editLink: false",
  ];
  const text = `# ${title}\n\n${lines.join("\n\n")}\n`;
  const page = `---\n${matter.join("\n")}\n---\n\n${text}`;
  return { path: `${path}.md`, title, description: plain(description), page, markdown: forMachines(text) };
}

const ENTITIES = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&#123;": "{" };

/** Markdown as programs read it: without what VitePress and Vue need. */
const forMachines = (text) =>
  text
    .replace(/ \{#[\w-]+\}$/gm, "")
    .replace(/<a id="[\w-]+"><\/a>/g, "")
    .replace(/&(?:lt|gt|amp|#123);/g, (entity) => ENTITIES[entity]);

/** The pages of names: of each item alone, with the types that are on its page. */
function namePages({ items }, links) {
  const byPage = new Map();
  for (const item of items) {
    const { page } = links.addresses.get(item.name);
    byPage.set(page, [...(byPage.get(page) ?? []), item]);
  }
  return [...byPage].filter(([page]) => !isShared(page)).map(([page, shown]) => namePage(page, shown, links));
}

const isShared = (page) => TYPE_PAGES.some((one) => page === `reference/types/${one.page}`);

function namePage(path, shown, context) {
  const links = linksFrom(path, shown, context);
  const item = shown.find(({ name }) => addressIn(context.addresses, name) === path);
  // Options whose table is with a function need no other place.
  const others = shown.filter((one) => one !== item && isType(one, context));
  const types = others.length === 0 ? [] : ["## Types", ...sharedTypes(others, links)];
  const lines = [...itemLines(item, links), ...types];
  return pageOf({ path, title: item.name, description: firstSentence(item.comment.text), lines });
}

const isType = ({ name }, { addresses }) => addresses.get(name).anchor?.startsWith("type-");

/** The pages of types that are explained together. */
function typePages({ items }, context) {
  return TYPE_PAGES.map(({ page, title, description, names }) => {
    const path = `reference/types/${page}`;
    const shown = names.map((name) => items.find((item) => item.name === name));
    const links = linksFrom(path, shown, context);
    return pageOf({ path, title, description, lines: [description, ...sharedTypes(shown, links, 2)] });
  });
}

function listPages(model, context) {
  const index = "reference/index";
  const description = "Every name that the package exports, with its parameters, options and errors.";
  const entries = model.entries.filter(({ hasPage }) => hasPage);
  return [
    pageOf({
      path: index,
      title: "Reference",
      description,
      lines: indexPage(model, linksFrom(index, [], context)),
    }),
    ...entries.map((entry) => {
      const path = entryAddress(entry);
      const lines = entryPage(entry, model, linksFrom(path, [], context));
      return pageOf({ path, title: entry.name, description: sentence(entry.description), lines });
    }),
  ];
}

/** All pages of a model. */
export function pagesOf(model, addresses = addressesOf(model)) {
  const byName = new Map(model.items.map((item) => [item.name, item]));
  const context = { addresses, byName };
  return [...listPages(model, context), ...namePages(model, context), ...typePages(model, context)];
}

/** The path of a public name's page on the site, with its anchor; undefined for other names. */
export const addressOf = async (name) => addressIn(addressesOf(await readModel()), name);

/** The side bar of the reference, for VitePress. */
export const sidebarOf = async () => {
  const model = await readModel();
  return sidebarFor(model, addressesOf(model));
};

/**
 * Writes the pages into `<folder>/reference`, and beside them `sidebar.json` and `addresses.json`,
 * which has the address of each name. Resolves to the pages as programs read them: `{ path, title,
 * description, markdown }`. Rejects with the list of what has no description.
 */
export async function writeReference(folder) {
  const model = await readModel();
  checkModel(model);
  const addresses = addressesOf(model);
  const pages = pagesOf(model, addresses);
  const lists = {
    "reference/sidebar.json": sidebarFor(model, addresses),
    "reference/addresses.json": Object.fromEntries(
      model.items.map(({ name }) => [name, `/${addressIn(addresses, name)}`]),
    ),
  };
  rmSync(join(folder, "reference"), { recursive: true, force: true });
  const write = (path, text) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const { path, page } of pages) write(path, page);
  for (const [path, list] of Object.entries(lists)) write(path, `${JSON.stringify(list, null, 1)}\n`);
  return pages.map(({ page, ...others }) => others);
}

if (import.meta.filename === process.argv[1]) {
  const [, , folder] = process.argv;
  if (folder === undefined) throw new Error("node site/reference/pages.mjs <folder>");
  const pages = await writeReference(folder);
  console.log(`${pages.length} pages in ${join(folder, "reference")}`);
}
