/**
 * Markdown for VitePress: escapes what Vue and tables would read, links the names of public things,
 * and lays out declarations, which are too long for a line, as the sources are laid out.
 */
import { textOf } from "./types.mjs";

/** The longest line of a declaration, which a block of code shows without scrolling. */
const LINE = 76;

/** Fenced blocks and code spans, which are shown as they are. */
const CODE = /(^```[\s\S]*?^```$|(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\2(?!`))/m;

/** Escapes text that is not code. */
export const escapedText = (text) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("{{", "&#123;&#123;")
    .replaceAll("[", "\\[")
    .replaceAll("]", "\\]")
    .replace(/(?<=\w)\*(?=\w)|(?<!\w)_(?=\w)/g, "\\$&");

/** Markdown links in the text of comments, which stay. */
const LINK = /(\[[^\]\n]+\]\([^)\s]+\))/;

const escapedProse = (text) =>
  text
    .split(LINK)
    .map((part, at) => (at % 2 === 1 ? part : escapedText(part)))
    .join("");

/** A code span, also of text with backticks. */
export const code = (text) => (text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``);

/** Splits Markdown at its code. Each second part is code. */
function splitAtCode(text) {
  const parts = [];
  let rest = text;
  for (let found = CODE.exec(rest); found; found = CODE.exec(rest)) {
    parts.push(rest.slice(0, found.index), found[0]);
    rest = rest.slice(found.index + found[0].length);
  }
  return [...parts, rest];
}

/** The text of a comment, with links from code spans that are public names. */
export function prose(text, linkOf) {
  return splitAtCode(text)
    .map((part, at) => {
      if (at % 2 === 0) return escapedProse(part);
      const address = part.startsWith("```") ? undefined : linkOf(part.replace(/^`+|`+$/g, "").trim());
      return address ? `[${part}](${address})` : part;
    })
    .join("");
}

/** Text for one cell of a table. */
export const cell = (text) =>
  text
    .replaceAll("|", "\\|")
    .replace(/\n\n+(?=[-*] )|\n(?=[-*] )/g, "<br>")
    .replace(/\n\n+/g, "<br>")
    .replaceAll("\n", " ");

/** A table; nothing without rows. */
export function table(head, rows) {
  if (rows.length === 0) return [];
  const line = (cells) => `| ${cells.map(cell).join(" | ")} |`;
  return [[line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n")];
}

/** Types that are names, words and marks between them: each name can be a link of its own. */
const PIECES = /[\w$.]+|"[^"]*"|`[^`]*`|[<>|&,[\]() ]+/g;
const isPlain = (text) =>
  text.replace(PIECES, "") === "" && !/=>|\b(extends|infer|keyof|typeof)\b/.test(text);

const piece = (text) => (/^[<>|&,[\]() ]+$/.test(text) ? escapedText(text) : code(text));

/** A type, with links to the public types that it names. */
export function typeText(tokens, linkOf) {
  const named = tokens.filter((token) => token.isPublic).map(({ name }) => name);
  const names = [...new Set(named)].filter((name) => linkOf(name) !== undefined);
  const links = names.map((name) => `[${code(name)}](${linkOf(name)})`);
  if (names.length === 0) return code(textOf(tokens));
  if (!tokens.every((token) => typeof token !== "string" || isPlain(token)))
    return `${code(textOf(tokens))} (${links.join(", ")})`;
  return tokens
    .map((token) => {
      const link = token.isPublic && links[names.indexOf(token.name)];
      if (link) return link;
      const text = typeof token === "string" ? token : token.name;
      return text.match(PIECES).map(piece).join("");
    })
    .join("");
}

/** One way to call a function, in a line, or with a line for each parameter. */
export function signatureText({ name, typeParameters, parameters, returns }, word = "") {
  const isNew = name.startsWith("new ");
  // Those of a constructor are the class's.
  const head = `${word}${name}${isNew ? "" : textOf(typeParameters)}(`;
  const tail = isNew ? ")" : `): ${textOf(returns)}`;
  const texts = parameters.map(textOf);
  const line = `${head}${texts.join(", ")}${tail}`;
  if (line.length <= LINE || texts.length === 0) return line;
  return `${head}\n${texts.map((text) => `  ${text},`).join("\n")}\n${tail}`;
}

/** The declaration of a type: as in the sources, or from its parts. */
export function declarationOf(type) {
  const { kind, name, typeParameters, tokens = [], text, words = [], members = [] } = type;
  if (kind === "interface") {
    const bases = type.extends.length > 0 ? ` extends ${type.extends.map(textOf).join(", ")}` : "";
    const rows = members.filter((row) => !row.name.includes("."));
    const lines = rows.map((row) => `  ${row.name}${row.isOptional ? "?" : ""}: ${textOf(row.tokens)};`);
    return `interface ${name}${textOf(typeParameters)}${bases} {\n${lines.join("\n")}\n}`;
  }
  if (words.length > 1)
    return joinedUnion(
      `type ${name} =`,
      words.map((word) => JSON.stringify(word)),
    );
  return text ?? `type ${name}${textOf(typeParameters)} = ${textOf(tokens)}`;
}

function joinedUnion(head, parts) {
  const line = `${head} ${parts.join(" | ")}`;
  return line.length <= LINE ? line : `${head}\n${parts.map((part) => `  | ${part}`).join("\n")}`;
}

/** A block of code. */
export const fence = (lines) => `\`\`\`ts\n${lines.join("\n")}\n\`\`\``;
