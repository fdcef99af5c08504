/**
 * The members of types as rows of tables. Members that a type inherits, or has by `Omit`, `Pick`,
 * `Partial` and intersections, are its own here. Those of an object within an object have names
 * with dots: `caches.encodedBytes`.
 */
import { commentOf, joinedComments } from "./comments.mjs";
import { textOf, unionOf, withoutUndefined } from "./types.mjs";

/** Where a reflection is in the sources. */
export function placeOf({ sources, signatures, getSignature }) {
  const [source] = sources ?? signatures?.[0]?.sources ?? getSignature?.sources ?? [];
  return source && { path: source.fileName, line: source.line };
}

/** Keys that are well-known symbols are public; those of this package are not. */
const isPublicKey = ({ name }) =>
  !name.startsWith("[") || name === "[iterator]" || name === "[asyncIterator]";

const isConstructor = ({ name }) => name === "constructor" || name === "__new";

/** The properties, accessors and methods of a declaration. */
export const childrenOf = (declaration) =>
  (declaration.children ?? []).filter((child) => isPublicKey(child) && !isConstructor(child));

/** The words of a union or a single literal. */
function literalsOf(type) {
  if (type.type === "literal") return [String(type.value)];
  return type.type === "union" ? type.types.flatMap(literalsOf) : [];
}

/** Returns the functions that make rows. `typed` is `typePrinter`'s, `nameOf` as there. */
export function memberReader({ typed, nameOf }) {
  /** A member that is a function with signatures, as tokens of a type. */
  const methodTokens = (child) => {
    const shown = child.signatures.map((one) => [
      ...typed.parametersOf(one),
      " => ",
      ...typed.tokensOf(one.type),
    ]);
    return shown.flatMap((tokens, at) => (at === 0 ? tokens : [" & ", ...tokens]));
  };

  const typeOf = ({ type, getSignature, flags }) =>
    flags?.isOptional === true ? withoutUndefined(type) : (type ?? getSignature?.type);

  /** What a parameter of a type may be, because a table of members has no place for its name. */
  function bound(type) {
    if (type?.type === "union") return { ...type, types: type.types.map(bound) };
    return type?.refersToTypeParameter ? (type.reflection?.type ?? type) : type;
  }

  /** A row, without those of the objects within it. */
  function rowOf(child, isOfClass) {
    const comment = commentOf(child.comment ?? child.getSignature?.comment ?? child.signatures?.[0]?.comment);
    const type = isOfClass ? typeOf(child) : withoutUndefined(bound(typeOf(child)));
    return {
      name: child.name,
      isOptional: child.flags?.isOptional === true,
      tokens: child.signatures ? methodTokens(child) : typed.tokensOf(type),
      alternatives: child.signatures ? [methodTokens(child)] : typed.alternativesOf(type),
      words: type && type.type !== "reference" ? literalsOf(type) : [],
      comment,
      place: placeOf(child),
      type,
    };
  }

  /** The declaration that a type names, if no page has it. */
  const unexportedOf = (type) => (type.reflection && !nameOf(type.reflection) ? type.reflection : undefined);

  /** The objects in braces, or without an export, that a member has or lists. */
  function insideOf(type) {
    if (!type) return [];
    if (type.type === "reflection") return type.declaration.children ? [type] : [];
    if (type.type === "array") return insideOf(type.elementType);
    if (type.type === "typeOperator") return insideOf(type.target);
    if (["union", "intersection"].includes(type.type)) return type.types.flatMap(insideOf);
    const target = type.type === "reference" ? unexportedOf(type) : undefined;
    return target?.children && target.kindString !== "Class" && !isClass(target) ? [type] : [];
  }

  const isClass = (target) =>
    childrenOf(target).some(({ signatures }) => signatures) || target.children.some(isConstructor);

  /** A row and those of the objects within it. `above` are the types that it is within. */
  function rowsOf(child, above = [], isOfClass = false) {
    const { type, ...row } = rowOf(child, isOfClass);
    const inside = insideOf(type).filter((one) => !above.includes(one.reflection ?? one.declaration));
    const isList = textOf(row.tokens).endsWith("[]");
    const rows = inside.flatMap((one) => {
      const own = one.reflection ?? one.declaration;
      return childrenOf(own).flatMap((deeper) => rowsOf(deeper, [...above, own]));
    });
    const prefix = `${row.name}${isList ? "[]" : ""}.`;
    return [row, ...merged(rows).map((deeper) => ({ ...deeper, name: prefix + deeper.name }))];
  }

  const ALTERED = {
    Omit: (rows, names) => rows.filter(({ name }) => !names.includes(name.split(".")[0])),
    Pick: (rows, names) => rows.filter(({ name }) => names.includes(name.split(".")[0])),
    Partial: (rows) => rows.map((row) => ({ ...row, isOptional: true })),
    Required: (rows) => rows.map((row) => ({ ...row, isOptional: false })),
    Readonly: (rows) => rows,
  };

  /** All rows of a type that stands for an object; none of other types. */
  function membersOf(type) {
    if (!type) return [];
    if (type.type === "reflection") return rowsOfChildren(type.declaration);
    if (type.type === "union" || type.type === "intersection") return merged(type.types.flatMap(membersOf));
    if (type.type === "mapped" && type.parameterType.type === "typeOperator")
      return ALTERED.Partial(membersOf(type.parameterType.target));
    if (type.type !== "reference") return [];
    const { reflection: target, name, typeArguments: [base, keys] = [] } = type;
    if (target) return target.children ? rowsOfChildren(target) : membersOf(target.type);
    return ALTERED[name] && base ? ALTERED[name](membersOf(base), keys ? literalsOf(keys) : []) : [];
  }

  /** Its own members first: those that it inherits are less special. */
  function rowsOfChildren(declaration) {
    const children = childrenOf(declaration);
    const inherited = children.filter(({ inheritedFrom }) => inheritedFrom !== undefined);
    const own = children.filter((child) => !inherited.includes(child));
    return merged([...own, ...inherited].flatMap((child) => rowsOf(child, [declaration])));
  }

  /** The public types of options of which a parameter is one, or several. */
  function typesOfOptions(type) {
    if (!type) return [];
    if (["union", "intersection"].includes(type.type)) return type.types.flatMap(typesOfOptions);
    if (type.type !== "reference") return [];
    const { reflection: target, name, typeArguments: [base] = [] } = type;
    if (target && nameOf(target)) return [nameOf(target)];
    const altered = name in ALTERED ? base : undefined;
    return typesOfOptions(target ? target.type : altered);
  }

  /** The rows of an alias. Public types that it is a union of have tables of their own. */
  function membersOfAlias(type) {
    if (type.type !== "union") return membersOf(type);
    return merged(type.types.flatMap((one) => (one.type === "reflection" ? membersOf(one) : [])));
  }

  return { membersOf, membersOfAlias, typesOfOptions, rowsOf, rowsOfChildren };
}

/** Comments that say something, each once; the first one if none does. */
function saidOnce(comments) {
  const said = comments.filter(({ text, deprecated }) => text !== "" || deprecated !== undefined);
  const unique = new Map(
    (said.length > 0 ? said : comments.slice(0, 1)).map((one) => [JSON.stringify(one), one]),
  );
  return [...unique.values()];
}

const isNothing = (tokens) => textOf(tokens) === "undefined";

/** One row for the rows of a name: their types as a union, and what all their comments say. */
function mergedRow(rows) {
  const others = rows.filter(({ tokens }) => !isNothing(tokens));
  const used = others.length > 0 ? others : rows;
  const isOptional = rows.some((row) => row.isOptional);
  const all = used.flatMap((row) => row.alternatives);
  const alternatives = isOptional && all.length > 1 ? all.filter((tokens) => !isNothing(tokens)) : all;
  const comments = saidOnce(used.flatMap((row) => row.comments ?? [row.comment]));
  return {
    ...used[0],
    isOptional,
    alternatives,
    tokens: unionOf(alternatives),
    words: [...new Set(used.flatMap(({ words }) => words))],
    comments,
    comment: joinedComments(comments),
  };
}

/** Merges the rows of the same name, in the order of the first of each. */
export function merged(rows) {
  const byName = new Map();
  for (const row of rows) byName.set(row.name, [...(byName.get(row.name) ?? []), row]);
  return [...byName.values()].map(mergedRow);
}
