/**
 * Doc comments as plain texts of Markdown: the description, and what its tags and its sentences say
 * of defaults, units, results and errors. A default is the sentence that begins with `Default: `,
 * as all sources have it, or the tag `@default`.
 */

/** Text with its code spans replaced, so that marks in code are not taken for the text's. */
function withoutCode(text) {
  const spans = [];
  const plain = text.replace(/(`+)[^`][\s\S]*?\1/g, (span) => `\ue000${spans.push(span) - 1}\ue001`);
  const restored = (part) => part.replace(/\ue000(\d+)\ue001/g, (_, at) => spans[Number(at)]);
  return { plain, restored };
}

/** Short forms, whose full stop ends no sentence. */
const SENTENCE_END = /(?<!\b(?:e\.g|i\.e|vs|Fig))\.(?=\s|$)/;

/** The first sentence of a text, without its examples. */
export function firstSentence(text) {
  const { plain, restored } = withoutCode(text.split("\n\n")[0] ?? "");
  const end = SENTENCE_END.exec(plain)?.index;
  return restored(end === undefined ? plain : plain.slice(0, end + 1)).trim();
}

const DEFAULT = /(?:^|\s)Default(?: (for [^:.]+))?: ([\s\S]+)$/;

/** Takes the sentence about the default out of a text. */
export function withoutDefault(text) {
  const { plain, restored } = withoutCode(text);
  const found = DEFAULT.exec(plain);
  if (!found) return { text, standard: undefined };
  const [all, condition, rest] = found;
  const end = SENTENCE_END.exec(rest)?.index ?? rest.length;
  const standard = restored(`${condition ? `${condition}: ` : ""}${rest.slice(0, end)}`).trim();
  const after = rest.slice(end + 1);
  const before = plain.slice(0, plain.length - all.length);
  return { text: restored(`${before}${after}`).trim(), standard: standard.replace(/\s+/g, " ") };
}

const isExample = (block) => block.split("\n").every((line) => /^ {4}/.test(line));

/** A block of a comment, in one line, or as an example. */
function reflowed(block) {
  if (isExample(block)) return `\`\`\`ts\n${block.replace(/^ {4}/gm, "")}\n\`\`\``;
  if (/^(```|\|)/.test(block)) return block;
  return block.replace(/\n(?!\s*(?:[-*]|\d+\.) )\s*/g, " ");
}

/** The Markdown of TypeDoc's parts of a comment. A link to a name is the name as code. */
function markdownOf(parts = []) {
  const text = parts
    .map(({ kind, text: own }) => (kind === "inline-tag" ? `\`${own.split("|")[0].trim()}\`` : own))
    .join("");
  return text.trim() === ""
    ? ""
    : text
        .replace(/^\n+/, "")
        .trimEnd()
        .split(/\n{2,}/)
        .map(reflowed)
        .join("\n\n");
}

/** TypeDoc marks the text of `@default` as code. */
const unfenced = (text) => text.replace(/^```\w*\n([\s\S]*?)\n?```$/, "$1").replace(/\.$/, "");

/** What a doc comment says; empty texts if there is none. */
export function commentOf(comment) {
  const tags = (name) =>
    (comment?.blockTags ?? []).filter(({ tag }) => tag === name).map(({ content }) => markdownOf(content));
  const { text, standard } = withoutDefault(markdownOf(comment?.summary));
  const [tagged = standard] = [...tags("@default"), ...tags("@defaultValue")].map(unfenced);
  const [returns] = tags("@returns");
  const [unit] = tags("@unit");
  const [deprecated] = tags("@deprecated");
  return {
    text,
    ...(tagged !== undefined && { standard: tagged }),
    ...(unit !== undefined && { unit }),
    ...(returns !== undefined && { returns }),
    ...(deprecated !== undefined && { deprecated }),
    throws: tags("@throws"),
  };
}

/** Joins what several comments say of one thing. Equal sentences are said once. */
export function joinedComments(comments) {
  const [first, ...others] = comments;
  if (others.length === 0) return first;
  const unique = (values) => [...new Set(values.filter((value) => value !== undefined && value !== ""))];
  const one = (name) => unique(comments.map((comment) => comment[name])).join("; ");
  const texts = unique(comments.map(({ text }) => text));
  const found = { text: texts.join(" "), throws: unique(comments.flatMap(({ throws }) => throws)) };
  for (const name of ["standard", "unit", "returns", "deprecated"]) if (one(name)) found[name] = one(name);
  return found;
}
