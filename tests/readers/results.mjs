/**
 * docs/readers.json: of each array its features and a letter a reader, in the order of `readers`:
 * `r` reads, `w` wrong, `x` refuses, `o` other values where no text or another model says which are
 * right, `-` not asked.
 *
 * One line an array, so that a change is a changed line.
 */
const LETTERS = { reads: "r", wrong: "w", refuses: "x", other: "o", none: "-" };
const OUTCOMES = Object.fromEntries(Object.entries(LETTERS).map(([outcome, letter]) => [letter, outcome]));

/** Paths and addresses of this machine, and numbers that change, say nothing of the reader. */
const plainReason = (why) =>
  String(why)
    .replaceAll(/\s+/g, " ")
    .replaceAll(/(file:\/\/)?\/(work|home|tmp|root|Users)\/[^\s"')]*/g, "…")
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+[^\s"')]*/g, "…")
    .replaceAll(/ ?\[(tensorstore_spec|source locations)=.*/g, "")
    .slice(0, 220);

/** The commonest reasons of a reader, with the number of arrays and one of them. */
function reasonsOf(outcomes) {
  const reasons = new Map();
  for (const { id, outcome, why } of outcomes.filter(({ outcome }) => outcome === "refuses")) {
    const text = plainReason(why);
    reasons.set(
      text,
      [...(reasons.get(text) ?? []), id, outcome].filter((each) => each !== outcome),
    );
  }
  const sorted = [...reasons].sort(
    ([one, ids], [two, others]) => others.length - ids.length || (one < two ? -1 : 1),
  );
  return sorted.slice(0, 40).map(([text, ids]) => [ids.length, text, ids[0]]);
}

const wrongOf = (outcomes) =>
  Object.fromEntries(
    outcomes.filter(({ outcome }) => outcome === "wrong").map(({ id, why }) => [id, plainReason(why)]),
  );

const lines = (entries) => entries.map((entry) => `    ${entry}`).join(",\n");

/**
 * The content of the file. Readers that were not run again keep what `before` has of them, and so
 * do all other fields.
 */
export function packResults({ date, versions, outcomes, before }, arrays) {
  const readers = Object.keys(outcomes);
  const byId = readers.map((reader) => new Map(outcomes[reader].map((each) => [each.id, each.outcome])));
  const rows = arrays.map(({ request, features }) => [
    request.id,
    features.join(" "),
    byId.map((known) => LETTERS[known.get(request.id) ?? "none"]).join(""),
  ]);
  const isNew = (reader) => outcomes[reader].some(({ why }) => why !== undefined);
  const told = readers.map((reader) => [
    reader,
    isNew(reader) || !before?.details[reader]
      ? { reasons: reasonsOf(outcomes[reader]), wrong: wrongOf(outcomes[reader]) }
      : before.details[reader],
  ]);
  return { ...before, date, versions, readers, arrays: rows, details: Object.fromEntries(told) };
}

/** The text of the file: one line an array, and one a reader's details. */
export function textOf({ arrays, details, ...head }) {
  const rows = arrays.map((row) => JSON.stringify(row));
  const told = Object.entries(details).map(
    ([reader, each]) => `${JSON.stringify(reader)}: ${JSON.stringify(each)}`,
  );
  const fields = Object.entries(head).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
  );
  return `{\n${fields.join("\n")}\n  "arrays": [\n${lines(rows)}\n  ],\n  "details": {\n${lines(told)}\n  }\n}\n`;
}

/** The arrays as `cells.mjs` takes them, and outcomes by reader as `packResults` does. */
export function unpackResults({ date, versions, readers, arrays, details }) {
  const unpacked = arrays.map(([id, features, letters]) => ({
    id,
    features: features.split(" "),
    outcomes: Object.fromEntries(readers.map((reader, at) => [reader, OUTCOMES[letters[at]]])),
  }));
  const outcomes = Object.fromEntries(
    readers.map((reader) => [
      reader,
      unpacked.map(({ id, outcomes }) => ({ id, outcome: outcomes[reader] })),
    ]),
  );
  return { date, versions, readers, arrays: unpacked, outcomes, details };
}
