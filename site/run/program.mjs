/**
 * Makes a program for the frame of a block of the documentation, and of the blocks before it. The
 * build makes one for each block as it stands; the page makes one for a block that was edited. It
 * runs nothing. `frame.ts` gives programs the object `zarrRun`, which they call.
 */
import { parse } from "acorn";
import { transform } from "sucrase";
import { SAMPLES } from "./samples.mjs";

/** Sucrase removes types and keeps lines and comments. */
const plain = (code) =>
  transform(code, { transforms: ["typescript"], disableESTransforms: true, keepUnusedImports: true }).code;

/** The blocks of the same group up to the one at `at`, with the lines that each has. */
function linesOf(blocks, at) {
  const { group } = blocks[at];
  const parts = [];
  let first = 1;
  for (const [index, block] of blocks.entries()) {
    if (index > at || block.group !== group) continue;
    const count = block.code.split("\n").length;
    parts.push({ index, code: block.code, first });
    first += count;
  }
  return parts;
}

/** The names that a pattern declares. */
function namesIn(pattern) {
  switch (pattern?.type) {
    case "Identifier":
      return [pattern.name];
    case "ObjectPattern":
      return pattern.properties.flatMap((property) => namesIn(property.value ?? property.argument));
    case "ArrayPattern":
      return pattern.elements.flatMap(namesIn);
    case "AssignmentPattern":
      return namesIn(pattern.left);
    case "RestElement":
      return namesIn(pattern.argument);
    default:
      return [];
  }
}

/** All nodes of a tree, parents first. */
function* nodesOf(node) {
  if (Array.isArray(node)) {
    for (const child of node) yield* nodesOf(child);
  } else if (typeof node?.type === "string") {
    yield node;
    for (const child of Object.values(node)) if (typeof child === "object") yield* nodesOf(child);
  }
}

/** The replacement of a text that names the samples, by those beside the site. */
function placed(node) {
  const text = node.type === "Literal" ? node.value : node.value?.raw;
  if (typeof text !== "string" || !text.includes(SAMPLES)) return undefined;
  if (node.type === "TemplateElement") return text.replaceAll(SAMPLES, () => `\${zarrRun.samples}`);
  const parts = text.split(SAMPLES).map((part) => JSON.stringify(part));
  return `(${parts.join(" + zarrRun.samples + ")})`;
}

/** `import.meta.resolve` of a name: its argument. */
function resolvedName({ type, callee, arguments: [argument] = [] }) {
  const isResolve =
    type === "CallExpression" && callee.object?.type === "MetaProperty" && callee.property.name === "resolve";
  return isResolve ? argument : undefined;
}

/** The texts of a program that name modules. */
function* moduleNames(tree) {
  for (const node of nodesOf(tree)) {
    const name = node.source ?? resolvedName(node);
    if (name?.type === "Literal" && typeof name.value === "string") yield name;
  }
}

/** Changes of the names of modules to addresses. */
function* changedNames(tree, resolve) {
  for (const { start, end, value } of moduleNames(tree))
    yield { start, end, text: JSON.stringify(resolve(value)) };
}

/** Changes of the addresses of samples. */
function* changedAddresses(tree) {
  for (const node of nodesOf(tree)) {
    if (node.type !== "Literal" && node.type !== "TemplateElement") continue;
    const text = placed(node);
    if (text !== undefined) yield { start: node.start, end: node.end, text };
  }
}

/** Whether a comment of the documentation says that the statement on this line throws. */
const throwsAt = (comments, line) =>
  comments.some(({ value, loc }) => loc.start.line === line && /^ throws \w+$/.test(value));

/** Insertions that show what a statement gives. */
function* shownBy(statement, line) {
  if (statement.type === "ExpressionStatement") {
    const { start, end } = statement.expression;
    yield { start, end: start, text: `zarrRun.show(${line}, (` };
    yield { start: end, end, text: "))" };
  } else if (statement.type === "VariableDeclaration") {
    const names = statement.declarations.flatMap(({ id }) => namesIn(id));
    const { end } = statement;
    yield { start: end, end, text: ` zarrRun.declare(${line}, { ${names.join(", ")} });` };
  }
}

/** Changes of the statements: the own ones show their results, and expected errors are caught. */
function* changedStatements(tree, comments, own) {
  for (const statement of tree.body) {
    const { line } = statement.loc.end;
    const isOwn = line >= own.first && line <= own.last;
    if (throwsAt(comments, line) && statement.type === "ExpressionStatement") {
      const { start, end } = statement;
      const at = isOwn ? line - own.first + 1 : 0;
      yield { start, end: start, text: `await zarrRun.expectError(${at}, async () => { ` };
      yield { start: end, end, text: " });" };
    } else if (isOwn) yield* shownBy(statement, line - own.first + 1);
  }
}

/** The call that tells where the own block begins: what came before is not shown. */
function* changedBeginning(tree, own) {
  const isOwn = ({ type, loc }) => type !== "ImportDeclaration" && loc.start.line >= own.first;
  const { start } = tree.body.find(isOwn) ?? { start: tree.end };
  yield { start, end: start, text: "zarrRun.begin(); " };
}

/** Applies changes from the end, so that the places of the others stay right. */
function applied(code, changes) {
  const order = [...changes.entries()].sort(([i, a], [j, b]) => b.start - a.start || j - i);
  let text = code;
  for (const [, { start, end, text: part }] of order) text = text.slice(0, start) + part + text.slice(end);
  return text;
}

/** The file of a module in `run/modules`. Names that end in `.js` keep it. */
export const moduleFile = (name) => `${name.replace(/\.m?js$/, "")}.js`;

const OPTIONS = { ecmaVersion: "latest", sourceType: "module", locations: true };

/** A module with the addresses of the modules that it names, as `resolve` gives them. */
export function withModules(code, resolve) {
  return applied(code, [...changedNames(parse(code, OPTIONS), resolve)]);
}

/**
 * The program of the block at `at` of a page: `blocks` are `{ code, group }`. `resolve` gives the
 * address of a module that is imported by name. Throws a SyntaxError with the block's own line.
 */
export function programOf(blocks, at, resolve) {
  const parts = linesOf(blocks, at);
  const last = parts[parts.length - 1];
  const own = { first: last.first, last: last.first + last.code.split("\n").length - 1 };
  const code = plain(parts.map((part) => part.code).join("\n"));
  const comments = [];
  const tree = parse(code, { ...OPTIONS, onComment: comments });
  const changes = [
    ...changedBeginning(tree, own),
    ...changedNames(tree, resolve),
    ...changedAddresses(tree),
    ...changedStatements(tree, comments, own),
  ];
  return `${applied(code, changes)}\n`;
}
