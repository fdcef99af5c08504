/**
 * The sections of pages: of functions, members, options and types. `links` has the functions that
 * link names from the page on which the section is.
 */
import { anchorOf, isTaken, optionsAnchor } from "./addresses.mjs";
import { firstSentence } from "./comments.mjs";
import {
  code,
  declarationOf,
  escapedText,
  fence,
  prose,
  signatureText,
  table,
  typeText,
} from "./markdown.mjs";
import { namesIn, textOf } from "./types.mjs";

/** Where a thing is in the repository. */
const REPOSITORY = "https://github.com/zarr-wasm/zarr-wasm/blob/main";

export const sourceLink = (place) => (place ? [`[Source](${REPOSITORY}/${place.path}#L${place.line})`] : []);

const capitalised = (text) => text.replace(/^[a-z]/, (letter) => letter.toUpperCase());

const optional = ({ name, isOptional }) => code(`${name}${isOptional ? "?" : ""}`);

/** What a comment says, with its errors, in a cell. */
function described({ text, throws, deprecated }, { linkOf }) {
  const parts = [
    ...(deprecated === undefined ? [] : [`Deprecated: ${prose(deprecated, linkOf)}`]),
    prose(text, linkOf),
    ...throws.map((error) => `Throws ${prose(error, linkOf)}`),
  ];
  return parts.filter((part) => part !== "").join("<br>");
}

const typeCell = ({ tokens, comment }, { linkOf }) =>
  `${typeText(tokens, linkOf)}${comment.unit ? `, ${comment.unit}` : ""}`;

/** Options, with what happens without each. */
const optionTable = (rows, links) =>
  table(
    ["Option", "Type", "Default", "Description"],
    rows.map((row) => [
      row.isOptional ? code(row.name) : `${code(row.name)} (required)`,
      typeCell(row, links),
      row.isOptional ? prose(row.comment.standard ?? "none", links.linkOf) : "",
      described(row.comment, links),
    ]),
  );

/** Members of an object, or of a class. */
export function memberTable(rows, links) {
  const hasDefaults = rows.some(({ comment }) => comment.standard !== undefined);
  const head = ["Member", "Type", ...(hasDefaults ? ["Default"] : []), "Description"];
  const cells = rows.map((row) => [
    optional(row),
    typeCell(row, links),
    ...(hasDefaults ? [prose(row.comment.standard ?? "", links.linkOf)] : []),
    described(row.comment, links),
  ]);
  return table(head, cells);
}

/** What a parameter is: by its own comment, by its options, or by its type. */
function parameterText({ comment, options, tokens }, anchor, links) {
  const standard =
    comment.standard === undefined ? "" : ` Default: ${prose(comment.standard, links.linkOf)}.`;
  if (comment.text !== "") return `${described(comment, links)}${standard}`;
  if (options.length > 0) return `See [options](#${anchor}).`;
  const [type] = namesIn(tokens).flatMap((name) => links.itemOf(name) ?? []);
  return type ? prose(firstSentence(type.comment.text), links.linkOf) : "";
}

/** The type of a parameter; of options only the names, because a table has their members. */
function parameterType({ tokens, options, optionTypes }, links) {
  if (options.length === 0 || optionTypes.length === 0) return typeText(tokens, links.linkOf);
  return optionTypes.map((name) => linkedName(name, links)).join(" or ");
}

/** A name with a link, unless it is on the page itself. */
const linkedName = (name, { linkOf }) => {
  const address = linkOf(name);
  return address === undefined ? code(name) : `[${code(name)}](${address})`;
};

const parameterTable = ({ parameters }, anchor, links) =>
  table(
    ["Parameter", "Type", "Description"],
    parameters.map((one) => [optional(one), parameterType(one, links), parameterText(one, anchor, links)]),
  );

/** More results than these are in the signatures, and the text says what they have in common. */
const MOST_RESULTS = 2;

/** What a function returns, each type once. */
function returnLines({ signatures, comment }, links) {
  const types = new Map(signatures.map(({ returns }) => [textOf(returns), returns]));
  const said = comment.returns === undefined ? "" : prose(comment.returns, links.linkOf);
  if (types.size > MOST_RESULTS && said !== "") return capitalised(said);
  const texts = [...types.values()].map((tokens) => typeText(tokens, links.linkOf));
  return `${texts.join(" or ")}${said === "" ? "" : `: ${said}`}`;
}

const isResult = ({ name, returns }) =>
  !name.startsWith("new ") && !/^(void|undefined|Promise<void>)$/.test(textOf(returns));

/** Errors as a list. */
const errorLines = ({ comment }, { linkOf }) =>
  comment.throws.map((error) => `- ${capitalised(prose(error, linkOf))}`).join("\n");

/** A declaration in a block of code, with those without an export that it names. */
function declarations(texts, helpers) {
  const named = new Map(helpers.map((one) => [one.name, declarationOf(one)]));
  const between = texts.length > 0 && named.size > 0 ? [""] : [];
  return fence([...texts, ...between, ...named.values()]);
}

/** The declarations without an export that the types in a table name. */
export const helperLines = (helpers) => (helpers.length > 0 ? [declarations([], helpers)] : []);

/** The tables of the options of a function. */
function optionLines(taken, anchor, heading, links) {
  return taken.flatMap(({ name, options, helpers }, at) => [
    heading(taken.length > 1 ? `Options: ${name}` : "Options", at === 0 ? anchor : `${anchor}-${name}`),
    ...optionTable(options, links),
    ...helperLines(helpers),
  ]);
}

/**
 * A function or a method. `heading` makes the headings of its parts, which are headings of a page
 * or bold words. `method` is its name on the page of a class. `elsewhere` is the anchor of its
 * options if the page has them already.
 */
export function callableLines(callable, { heading, method, elsewhere }, links) {
  const { signatures, parameters, comment, helpers } = callable;
  const word = method === undefined ? "function " : "";
  const texts = signatures.map((one) => signatureText(one, word));
  const taken = elsewhere === undefined ? parameters.filter(({ options }) => options.length > 0) : [];
  const anchor = elsewhere ?? optionsAnchor(method);
  return [
    ...(comment.deprecated === undefined ? [] : [`Deprecated: ${prose(comment.deprecated, links.linkOf)}`]),
    prose(comment.text, links.linkOf),
    declarations(texts, helpers),
    ...(parameters.length > 0 ? [heading("Parameters"), ...parameterTable(callable, anchor, links)] : []),
    ...optionLines(taken, anchor, heading, links),
    ...(signatures.some(isResult) ? [heading("Returns"), returnLines(callable, links)] : []),
    ...(comment.throws.length > 0 ? [heading("Errors"), errorLines(callable, links)] : []),
  ].filter((line) => line !== "");
}

/** A type, under a heading that the caller makes. */
export function typeLines(item, links) {
  const { name, kind, comment, members, helpers } = item;
  const isBare = kind === "interface" && members.length > 0;
  const rows = isTaken(name) ? optionTable(members, links) : memberTable(members, links);
  return [
    prose(comment.text, links.linkOf),
    ...(isBare ? basesOf(item, links) : [declarations([declarationOf(item)], helpers)]),
    ...rows,
    ...(isBare ? helperLines(helpers) : []),
  ].filter((line) => line !== "");
}

/** The public types that an interface has the members of. */
function basesOf({ extends: bases }, { linkOf }) {
  const known = bases.filter((tokens) => namesIn(tokens).length > 0);
  return known.length === 0 ? [] : [`Extends ${known.map((tokens) => typeText(tokens, linkOf)).join(", ")}.`];
}

/** Anchored headings of methods. */
export const memberHeading = (level, { name }) =>
  `${"#".repeat(level)} ${escapedText(name)}() {#${anchorOf(name)}}`;
