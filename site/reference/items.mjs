/** The contents of the page of one public name: of a class, a function, a constant or a type. */
import { addressIn, optionsAnchor } from "./addresses.mjs";
import { guideOf } from "./groups.mjs";
import { guideLink } from "./links.mjs";
import { code, prose, typeText } from "./markdown.mjs";
import {
  callableLines,
  helperLines,
  memberHeading,
  memberTable,
  sourceLink,
  typeLines,
} from "./sections.mjs";

/** A heading of a part of a page. */
const heading = (title, anchor) => `## ${title}${anchor === undefined ? "" : ` {#${anchor}}`}`;

/** The title of a part of a method, which is no heading, so that the outline has only names. */
const bold = (title, anchor) => `${anchor === undefined ? "" : `<a id="${anchor}"></a>`}**${title}**`;

/** A part of a page; nothing if it is empty. */
const section = (title, lines) => (lines.length === 0 ? [] : [heading(title), ...lines]);

/** A method, or a function that is a member of another one, whose options it may have. */
function methodLines(method, links, elsewhere) {
  const lines = callableLines(method, { heading: bold, method: method.name, elsewhere }, links);
  return [memberHeading(3, method), ...lines, ...sourceLink(method.place)];
}

const methodsOf = (methods, links) => methods.flatMap((method) => methodLines(method, links));

const isOwn = ({ inherited }) => inherited === undefined;

/** The members that a public base class has, as links to its page. */
function inheritedLines({ properties, methods }, { linkOf }) {
  const inherited = [...properties, ...methods].filter((one) => !isOwn(one) && !one.name.includes("."));
  if (inherited.length === 0) return [];
  const texts = inherited.map(({ name, inherited: base }) => {
    const address = linkOf(`${base}.${name}`);
    return address === undefined ? code(name) : `[${code(name)}](${address})`;
  });
  const [{ inherited: base }] = inherited;
  return [heading("Inherited members"), `From [${code(base)}](${linkOf(base)}): ${texts.join(", ")}.`];
}

function classLines(item, links) {
  const { creation, comment, extends: bases, helpers, properties, methods } = item;
  const known = bases.filter((tokens) => tokens.every((token) => token.unexported === undefined));
  const options = { heading: bold, method: "constructor" };
  const of = (list, isStatic) => list.filter((one) => isOwn(one) && one.isStatic === isStatic);
  return [
    prose(comment.text, links.linkOf),
    ...known.map((tokens) => `Extends ${typeText(tokens, links.linkOf)}.`),
    ...(creation ? section("Constructor", callableLines(creation, options, links)) : []),
    ...section("Properties", memberTable(of(properties, false), links)),
    ...helperLines(helpers),
    ...section("Methods", methodsOf(of(methods, false), links)),
    ...section("Static properties", memberTable(of(properties, true), links)),
    ...section("Static methods", methodsOf(of(methods, true), links)),
    ...inheritedLines(item, links),
  ];
}

/** The names of the options of a function, as a text. */
const optionNames = ({ parameters }) =>
  parameters.flatMap(({ options }) => options.map(({ name }) => name)).join();

function functionLines(item, links) {
  const members = item.methods.flatMap((method) => {
    const isSame = optionNames(method) !== "" && optionNames(method) === optionNames(item);
    return methodLines(method, links, isSame ? optionsAnchor() : undefined);
  });
  return [...callableLines(item, { heading }, links), ...section("Members", members)];
}

/** A constant: what it is, and its type. */
const constantLines = ({ comment, tokens, helpers }, links) => [
  prose(comment.text, links.linkOf),
  `Type: ${typeText(tokens, links.linkOf)}.`,
  ...helperLines(helpers),
];

const LINES = { class: classLines, function: functionLines, constant: constantLines };

const exportedBy = ({ entries, isDefaultOf }) => {
  const standard = isDefaultOf.map((entry) => `${code(entry)} (as default)`);
  const names = [...entries.filter((entry) => !isDefaultOf.includes(entry)).map(code), ...standard];
  return `Exported by ${names.join(", ")}.`;
};

/** All of a name that has a page, without the title of the page. */
export function itemLines(item, links) {
  const lines = (LINES[item.kind] ?? typeLines)(item, links).filter((line) => line !== "");
  const [first, ...rest] = lines;
  const guide = guideOf(item);
  const explained = guide ? [`Explained in [the guide](${guideLink(links.page, guide)}).`] : [];
  return [first, [exportedBy(item), ...explained, ...sourceLink(item.place)].join(" "), ...rest];
}

/** The types that a page has besides its own name, each under a heading. */
export function sharedTypes(items, links, level = 3) {
  return items.flatMap((item) => {
    const [, anchor] = addressIn(links.addresses, item.name).split("#");
    return [
      `${"#".repeat(level)} ${item.name} {#${anchor}}`,
      ...typeLines(item, links),
      ...sourceLink(item.place),
    ];
  });
}
