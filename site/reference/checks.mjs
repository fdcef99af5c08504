/**
 * What the doc comments do not say: names, members, parameters, options and words without a
 * description, and options without a default. `checkModel` throws with the list.
 */
import { GROUPS, TYPE_PAGES } from "./groups.mjs";
import { namesIn, textOf } from "./types.mjs";

/** Types of options, whose members must say what happens without them. */
const TAKEN = /Options$|Config$/;

/** Options of these types have no value of their own: what happens without one is plain. */
const isChoice = ({ tokens, words }) => words.length > 1 || /\bboolean\b/.test(textOf(tokens));

const saysWord = (text, word) => text.includes(`\`${word}\``) || text.includes(`"${word}"`);

/** What is wrong with one row of a table of members or options. */
function faultsOfRow(row, isTaken) {
  const { comment, words, isOptional } = row;
  if (comment.text === "" && comment.deprecated === undefined) return ["has no description"];
  const said = `${comment.text} ${comment.standard ?? ""}`;
  const unsaid =
    words.length > 1 ? words.filter((word) => !saysWord(said, word) && Number.isNaN(Number(word))) : [];
  return [
    ...unsaid.map((word) => `does not say what ${JSON.stringify(word)} means`),
    ...(isTaken && isOptional && isChoice(row) && comment.standard === undefined
      ? ["does not say its default"]
      : []),
  ];
}

/** Whether the type of a parameter says what it is. */
const isSaidByType = ({ tokens }, described) => namesIn(tokens).some((name) => described.has(name));

function* faultsOfCallable(title, { parameters, place }, described) {
  for (const parameter of parameters) {
    const { name, comment, options } = parameter;
    if (comment.text === "" && options.length === 0 && !isSaidByType(parameter, described))
      yield { what: `${title}(${name})`, fault: "has no description", place };
    for (const row of options)
      for (const fault of faultsOfRow(row, true))
        yield { what: `${title}(${name}.${row.name})`, fault, place: row.place ?? place };
  }
}

function* faultsOfItem(item, described) {
  const { name, comment, place, words = [], members = [], properties = [], methods = [] } = item;
  if (comment.text === "") yield { what: name, fault: "has no description", place };
  for (const word of words.length > 1 ? words : [])
    if (!saysWord(comment.text, word))
      yield { what: name, fault: `does not say what ${JSON.stringify(word)} means`, place };
  for (const row of [...members, ...properties])
    for (const fault of faultsOfRow(row, TAKEN.test(name)))
      if (row.inherited === undefined)
        yield { what: `${name}.${row.name}`, fault, place: row.place ?? place };
  for (const method of methods.filter(({ inherited }) => inherited === undefined)) {
    if (method.comment.text === "")
      yield { what: `${name}.${method.name}`, fault: "has no description", place: method.place };
    yield* faultsOfCallable(`${name}.${method.name}`, method, described);
  }
  if (item.signatures) yield* faultsOfCallable(name, item, described);
  if (item.creation) yield* faultsOfCallable(`new ${name}`, { ...item.creation, place }, described);
}

/** The faults of a model, each once, as lines with file and line. */
export function faultsOf({ items }) {
  const described = new Set(items.filter(({ comment }) => comment.text !== "").map(({ name }) => name));
  const faults = items.flatMap((item) => [...faultsOfItem(item, described)]);
  const seen = new Set();
  return faults
    .filter(({ what, fault, place }) => {
      const key = `${place?.path}:${place?.line} ${what.replace(/^.*[.(]|\)$/g, "")} ${fault}`;
      return !seen.has(key) && seen.add(key);
    })
    .map(({ what, fault, place }) => `${place?.path}:${place?.line}: ${what} ${fault}`)
    .sort();
}

/** The names of the root that no group has, and those of groups that nothing exports. */
export function faultsOfGroups({ items }) {
  const grouped = GROUPS.flatMap(({ names }) => names);
  const listed = [...grouped, ...TYPE_PAGES.flatMap(({ names }) => names)];
  const known = new Set(items.map(({ name }) => name));
  const values = items.filter(({ isValue, entries }) => isValue && entries.includes("zarr-wasm"));
  const lost = values
    .filter(({ name }) => !grouped.includes(name))
    .map(({ name }) => `${name} is in no group`);
  const twice = listed
    .filter((name, at) => listed.indexOf(name) !== at)
    .map((name) => `${name} is in two groups`);
  const unknown = listed.filter((name) => !known.has(name)).map((name) => `${name} is not exported`);
  return [...lost, ...twice, ...unknown].map((fault) => `site/reference/groups.mjs: ${fault}`);
}

/** Throws with the list of what is not described, or in no group. */
export function checkModel(model) {
  const faults = [...faultsOf(model), ...faultsOfGroups(model)];
  if (faults.length > 0) throw new Error(`${faults.length} faults of public names:\n${faults.join("\n")}`);
}
