/**
 * A cell of a table: what a reader made of the arrays that have the row's feature. An array counts
 * if it is otherwise plain, so that a rare codec does not blame a data type; where no array is, all
 * with the feature do. An array does not count for a reader that reads nothing with another of its
 * features: that feature has its own row.
 */
import { PLAIN } from "./features.mjs";

/** Arrays of which a spec does not say what is in them have rows of their own, and count nowhere else. */
const NEVER_PLAIN = ["form:broken-rule", "form:unspecified"];

const has = (array, features) => features.some((feature) => array.features.includes(feature));
const others = (array, { features }) => array.features.filter((feature) => !features.includes(feature));

/** The drafts and the rare forms have rows of their own. */
const isSpecial = (feature) => /^(format:draft|form:)/.test(feature);

function candidates(arrays, row) {
  const found = arrays.filter((array) => has(array, row.features));
  const wanted = row.mustHave
    ? found.filter(({ features }) => features.some((each) => row.mustHave.test(each)))
    : found;
  const formats = row.only
    ? wanted.filter(({ features }) => features.includes(`format:${row.only}`))
    : wanted;
  const known = row.all ? formats : formats.filter((array) => !others(array, row).some(isSpecial));
  return row.others ? known : known.filter((array) => !has(array, NEVER_PLAIN));
}

const formatOf = ({ features }) =>
  features.find((feature) => /^format:v[23]$/.test(feature))?.slice("format:".length);
const FORMATS = [undefined, "v2", "v3"];

const isPlain = (row) => (array) => others(array, row).every((feature) => PLAIN.has(feature));

/** The arrays of a row: of each format the plain ones, if there are any. */
export function arraysOf(arrays, row) {
  const found = candidates(arrays, row);
  if (row.all) return found;
  return FORMATS.flatMap((format) => {
    const own = found.filter((array) => formatOf(array) === format);
    const plain = own.filter(isPlain(row));
    return plain.length > 0 ? plain : own;
  });
}

/** The features that a reader reads in at least one array, of each format apart. */
function readable(arrays, reader) {
  const read = arrays.filter((array) => array.outcomes[reader] === "reads");
  return new Set(read.flatMap((array) => array.features.map((feature) => `${formatOf(array)} ${feature}`)));
}

const isAble = (able, row) => (array) =>
  others(array, row).every((feature) => able.has(`${formatOf(array)} ${feature}`));

function countOutcomes(arrays, reader) {
  const counts = { reads: 0, wrong: 0, refuses: 0, other: 0, none: 0 };
  for (const { outcomes } of arrays) counts[outcomes[reader] ?? "none"] += 1;
  return counts;
}

function textOf({ reads, wrong, refuses, other, none }) {
  const asked = reads + wrong + refuses + other;
  if (asked === 0 || none > 0) return "–";
  if (reads === asked) return "yes";
  if (wrong > 0) return `**wrong ${wrong} of ${asked}**`;
  return reads === 0 ? "no" : `${reads} of ${asked}`;
}

/** Texts by format, where v2 and v3 differ in more than numbers. */
function byFormat(arrays, reader) {
  const parts = ["v2", "v3"].map((format) => [format, arrays.filter((array) => formatOf(array) === format)]);
  const texts = parts.map(([format, of]) => [format, textOf(countOutcomes(of, reader))]);
  const told = texts.filter(([, text]) => text !== "–");
  const differ =
    told.length > 1 && told[0][1] !== told[1][1] && told.some(([, text]) => text === "yes" || text === "no");
  return differ ? told.map(([format, text]) => `${format} ${text}`).join(", ") : undefined;
}

/** Cells of all readers by row: `cell(table, row, reader)` gives a text. */
export function cellsOf(arrays) {
  const known = new Map();
  const readableBy = (reader) => {
    if (!known.has(reader)) known.set(reader, readable(arrays, reader));
    return known.get(reader);
  };
  return (row, reader) => {
    const found = arraysOf(arrays, row);
    const counted = row.always ? found : found.filter(isAble(readableBy(reader), row));
    const parts = row.together ? undefined : byFormat(counted, reader);
    return parts ?? textOf(countOutcomes(counted, reader));
  };
}
