/** The pages that list names: the index of the reference, and the page of each entry. */
import { addressIn } from "./addresses.mjs";
import { firstSentence } from "./comments.mjs";
import { ENTRY_GUIDES, GROUPS } from "./groups.mjs";
import { guideLink, pathBetween } from "./links.mjs";
import { code, prose, table } from "./markdown.mjs";

/** The page of an entry. */
export const entryAddress = ({ entry }) => `reference/entries/${entry === "" ? "zarr-wasm" : entry}`;

const INTRODUCTION = [
  "Every name that the package exports, from its declarations and their comments. The guide explains",
  "the same names with examples.",
].join(" ");

/** A table of names with the first sentences of what they are. */
function nameTable(items, { page, linkOf, addresses }) {
  const linked = ({ name }) => {
    const [other, anchor] = addressIn(addresses, name).split("#");
    return `[${code(name)}](${pathBetween(page, other)}.md${anchor === undefined ? "" : `#${anchor}`})`;
  };
  return table(
    ["Name", "Description"],
    items.map((item) => [linked(item), prose(firstSentence(item.comment.text), linkOf)]),
  );
}

const byName = (one, other) => one.name.toLowerCase().localeCompare(other.name.toLowerCase(), "en");

/** A capital at the beginning of a sentence that follows the name of an entry. */
export const sentence = (text) => text.replace(/^[a-z]/, (letter) => letter.toUpperCase());

function entryTable(entries, { page, linkOf }) {
  const rows = entries
    .filter(({ entry }) => entry !== "package.json")
    .map((one) => {
      const name = code(one.name);
      const linked = one.hasPage ? `[${name}](${pathBetween(page, entryAddress(one))}.md)` : name;
      return [linked, prose(sentence(one.description), linkOf)];
    });
  return table(["Entry", "Description"], rows);
}

/** The index: entries, the groups of names of the root, and all types. */
export function indexPage({ entries, items }, links) {
  const known = new Map(items.map((item) => [item.name, item]));
  const groups = GROUPS.flatMap(({ title, guide, names }) => [
    `## ${title}`,
    `Explained in [the guide](${guideLink(links.page, guide)}).`,
    ...nameTable(
      names.map((name) => known.get(name)),
      links,
    ),
  ]);
  const types = items.filter(({ isValue, entries: of }) => !isValue && of.includes("zarr-wasm")).sort(byName);
  const body = [INTRODUCTION, "## Entries", ...entryTable(entries, links), ...groups];
  return [...body, "## Types", ...nameTable(types, links)];
}

/** The values and the types that an entry exports. */
export function entryPage(entry, { items }, links) {
  const own = items.filter(
    (item) => item.entries.includes(entry.name) || item.isDefaultOf.includes(entry.name),
  );
  const values = own.filter(({ isValue }) => isValue);
  const standard = own.find(({ isDefaultOf }) => isDefaultOf.includes(entry.name));
  const guide = ENTRY_GUIDES[entry.entry];
  const lists =
    entry.entry === ""
      ? indexOfRoot(links)
      : [
          `\`\`\`ts\nimport { ${values.map(({ name }) => name).join(", ")} } from "${entry.name}";\n\`\`\``,
          ...(standard ? [`The default export is ${code(standard.name)}.`] : []),
          ...nameTable(values, links),
          ...typesOf(own, links),
        ];
  const more = guide ? [`Explained in [the guide](${guideLink(links.page, guide)}).`] : [];
  return [prose(sentence(entry.description), links.linkOf), ...more, ...lists];
}

function typesOf(items, links) {
  const types = items.filter(({ isValue }) => !isValue).sort(byName);
  return types.length === 0 ? [] : ["## Types", ...nameTable(types, links)];
}

const indexOfRoot = ({ page }) => [
  `\`\`\`ts\nimport * as zarr from "zarr-wasm";\n\`\`\``,
  `The [index](${pathBetween(page, "reference/index")}.md) lists its names.`,
];
