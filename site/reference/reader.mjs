/**
 * Makes plain data of TypeDoc's reflections: functions, classes, types and constants. Which names
 * are public, and which page has them, is not its matter.
 */
import { commentOf, joinedComments } from "./comments.mjs";
import { declarationReader } from "./declarations.mjs";
import { childrenOf, memberReader, merged, placeOf } from "./members.mjs";
import { namesIn, typePrinter, unexportedIn, withoutUndefined } from "./types.mjs";

/** Parameters that are objects of options, by their names or by those of their types. */
const OPTIONS = /^(options|config)$|Options$|Config$/;

/** TypeDoc's name of a parameter that is taken apart. */
const UNNAMED = "__namedParameters";

/** The name of a member. Those with keys of the language are `[Symbol.iterator]`. */
const shownName = (name) => name.replace(/^\[(\w+)\]$/, "[Symbol.$1]");

const isMethod = (child) => child.signatures?.length > 0;

/** All tokens within plain data. */
export function tokensWithin(value) {
  if (Array.isArray(value)) return value.flatMap(tokensWithin);
  if (typeof value !== "object" || value === null) return [];
  if (value.isPublic === true || value.unexported) return [value];
  return Object.values(value).flatMap(tokensWithin);
}

/** What is shown of a type without an export: an alias is its text, whatever members it has. */
const shownOf = (type) => (type.kind === "type" ? { ...type, members: [] } : type);

/** Returns the functions that make plain data. `nameOf` returns the public name of a reflection. */
export function readerOf(converted, nameOf) {
  const declared = declarationReader(converted);
  const typed = typePrinter({ nameOf, shortOf: declared.shortOf });
  const members = memberReader({ typed, nameOf });

  /** A positional parameter, and the options that it takes if it is an object of options. */
  function parameterOf(parameter) {
    const name = parameter.name === UNNAMED ? "options" : parameter.name;
    const isOptional = parameter.flags.isOptional === true || parameter.defaultValue !== undefined;
    const type = isOptional ? withoutUndefined(parameter.type) : parameter.type;
    const tokens = typed.tokensOf(type);
    const takesOptions = OPTIONS.test(name) || namesIn(tokens).some((one) => OPTIONS.test(one));
    return {
      name,
      isOptional,
      tokens,
      alternatives: typed.alternativesOf(type),
      words: [],
      comment: commentOf(parameter.comment),
      options: takesOptions ? members.membersOf(type) : [],
      optionTypes: takesOptions ? members.typesOfOptions(type) : [],
    };
  }

  /** The parameters of all ways to call a function, by name. */
  function parametersOf(signatures) {
    const placed = signatures.flatMap(({ parameters = [] }) => [...parameters.map(parameterOf).entries()]);
    const all = placed.sort(([one], [other]) => one - other).map(([, parameter]) => parameter);
    const names = [...new Set(all.map(({ name }) => name))];
    return names.map((name) => {
      const same = all.filter((one) => one.name === name);
      const optionTypes = [...new Set(same.flatMap((one) => one.optionTypes))];
      const options = merged(same.flatMap((one) => one.options));
      return { ...merged(same)[0], options, optionTypes, helpers: helpersOfRows(options) };
    });
  }

  const signatureOf = (signature, name) => ({
    name,
    typeParameters: typed.typeParameters(signature.typeParameters),
    parameters: (signature.parameters ?? []).map((one) => typed.parameter(one)),
    returns: typed.tokensOf(signature.type),
  });

  function callableOf({ signatures, comment }, name) {
    const comments = signatures.map((one) => commentOf(one.comment)).filter(({ text }) => text !== "");
    const shown = signatures.map((one) => signatureOf(one, name));
    return {
      signatures: shown,
      helpers: helpersOf(shown),
      parameters: parametersOf(signatures),
      comment: comments.length > 0 ? joinedComments(comments) : commentOf(comment),
    };
  }

  /** The public class that has a member, if it is inherited. */
  function inheritedFrom(child) {
    const parent = child.inheritedFrom?.reflection?.parent;
    return parent && nameOf(parent);
  }

  const methodOf = (child) => ({
    ...callableOf(child, shownName(child.name)),
    name: shownName(child.name),
    isStatic: child.flags.isStatic === true,
    inherited: inheritedFrom(child),
    place: placeOf(child),
  });

  const propertiesOf = (child) =>
    members.rowsOf(child, [], true).map((row) => ({
      ...row,
      isStatic: child.flags.isStatic === true,
      inherited: inheritedFrom(child),
    }));

  function classOf(reflection) {
    const children = childrenOf(reflection);
    const made = reflection.children?.find(({ name }) => name === "constructor");
    const properties = children.filter((child) => !isMethod(child)).flatMap(propertiesOf);
    return {
      kind: "class",
      typeParameters: typed.typeParameters(reflection.typeParameters),
      extends: (reflection.extendedTypes ?? []).map((type) => typed.tokensOf(type)),
      creation: made && callableOf(made, `new ${reflection.name}`),
      properties,
      helpers: helpersOfRows(properties.filter(({ inherited }) => inherited === undefined)),
      methods: children.filter(isMethod).map(methodOf),
    };
  }

  const functionOf = (reflection) => ({
    kind: "function",
    ...callableOf(reflection, reflection.name),
    methods: childrenOf(reflection).map((child) => functionMember(reflection, child)),
  });

  /** A function that is a member of a function, such as `open.v2`. */
  function functionMember({ name }, child) {
    const signatures = child.signatures ?? child.type?.declaration?.signatures ?? signaturesOf(child.type);
    const own = callableOf({ signatures, comment: child.comment }, `${name}.${child.name}`);
    return {
      ...own,
      name: child.name,
      isStatic: false,
      place: placeOf(child),
      comment: commentOf(child.comment),
    };
  }

  const signaturesOf = (type) => type?.reflection?.signatures ?? [];

  /** A type, without those that it names. */
  function bareType(reflection) {
    const isAlias = reflection.type !== undefined;
    return {
      kind: isAlias ? "type" : "interface",
      typeParameters: typed.typeParameters(reflection.typeParameters),
      extends: (reflection.extendedTypes ?? []).map((type) => typed.tokensOf(type)),
      tokens: isAlias ? typed.tokensOf(reflection.type) : [],
      text: isAlias ? declared.textOfDeclaration(reflection) : undefined,
      words: isAlias ? declared.wordsOf(reflection) : [],
      members: isAlias ? members.membersOfAlias(reflection.type) : members.rowsOfChildren(reflection),
    };
  }

  const typeOf = (reflection) => {
    const bare = bareType(reflection);
    return { ...bare, helpers: helpersOf(bare) };
  };

  function constantOf(reflection) {
    const tokens = typed.tokensOf(reflection.type);
    return { kind: "constant", tokens, helpers: helpersOf(tokens) };
  }

  /** The declarations without an export that tokens name, each with those that it names. */
  function helpersOf(value) {
    const found = new Map();
    const add = (tokens) => {
      for (const reflection of unexportedIn(tokens)) {
        if (found.has(reflection)) continue;
        const own = shownOf({ name: reflection.name, ...bareType(reflection) });
        found.set(reflection, own);
        add(tokensWithin(own));
      }
    };
    add(tokensWithin(value));
    return [...found.values()];
  }

  /** Those of the rows of a table. The table has the members of interfaces itself. */
  const helpersOfRows = (rows) =>
    helpersOf(rows.map(({ tokens }) => tokens)).filter(({ kind }) => kind === "type");

  return { classOf, functionOf, typeOf, constantOf };
}
