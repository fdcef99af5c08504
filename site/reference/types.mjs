/**
 * Types as lists of tokens: text, and names of public types, which pages link. TypeDoc's own texts
 * of types have neither links nor the short forms that are here: a union of a list of words is
 * shown as the words, and a typed array without the parameter for its memory.
 */

/** Binds as an operand: anything that needs brackets before `[]` or in a union. */
const LOOSE = new Set(["union", "intersection", "conditional", "typeOperator", "query", "inferred"]);

/** `ReflectionKind.ConstructorSignature`. This file does not import TypeDoc, which loads slowly. */
const CONSTRUCTOR_SIGNATURE = 16384;

/** Memory parameters of typed arrays, which compilers before TypeScript 5.7 do not have. */
const MEMORY = /^ArrayBuffer(Like)?$/;

const isFunction = ({ type, declaration }) =>
  type === "reflection" && declaration.signatures?.length > 0 && !declaration.children?.length;

/** The type `{}`: `string & {}` is any text, besides those that an editor offers. */
const isAnything = ({ type, declaration }) =>
  type === "reflection" && !declaration.children?.length && !declaration.signatures?.length;

const isLoose = (type) => LOOSE.has(type.type) || isFunction(type);

/** Joins lists of tokens, with a text between them. */
const joined = (lists, between) => lists.flatMap((list, at) => (at === 0 ? list : [between, ...list]));

/** The type of what may be left out, without `undefined`. */
export function withoutUndefined(type) {
  if (type?.type !== "union") return type;
  const types = type.types.filter((one) => !(one.type === "intrinsic" && one.name === "undefined"));
  return types.length === 1 ? types[0] : { ...type, types };
}

/** Joins texts that are neighbours. */
export function compact(tokens) {
  const found = [];
  for (const token of tokens)
    if (typeof token === "string" && typeof found.at(-1) === "string") found.push(found.pop() + token);
    else found.push(token);
  return found.filter((token) => token !== "");
}

/** The text of tokens. */
export const textOf = (tokens) =>
  tokens.map((token) => (typeof token === "string" ? token : token.name)).join("");

/** Alternatives as a union, each once. */
export function unionOf(alternatives) {
  const unique = new Map(alternatives.map((tokens) => [textOf(tokens), tokens]));
  return compact(joined([...unique.values()], " | "));
}

/** The names of public types among tokens. */
export const namesIn = (tokens) =>
  tokens.flatMap((token) => (typeof token === "string" || token.isPublic !== true ? [] : [token.name]));

/** The reflections of the types without an export among tokens. */
export const unexportedIn = (tokens) => tokens.flatMap((token) => token.unexported ?? []);

/**
 * Returns the function that makes tokens of TypeDoc's types. `nameOf` returns the public name of a
 * reflection, `shortOf` the text that is shown in place of a type without an export.
 */
export function typePrinter({ nameOf, shortOf }) {
  function operand(type) {
    const tokens = print(type);
    // The short form of a type without an export may be loose, too.
    const isShort = tokens.length === 1 && /^\w+ /.test(String(tokens[0]));
    return isLoose(type) || isShort ? ["(", ...tokens, ")"] : tokens;
  }
  const list = (types, between = ", ") => joined(types.map(print), between);
  const bracketed = (types) => (types?.length ? ["<", ...list(types), ">"] : []);

  function parameter({ name, type, flags, defaultValue }) {
    const own = name === "__namedParameters" ? "options" : name;
    const optional = flags?.isOptional || defaultValue !== undefined;
    return [`${flags?.isRest ? "..." : ""}${own}${optional ? "?" : ""}: `, ...print(type)];
  }

  function typeParameter({ name, type, default: standard }) {
    return [
      name,
      ...(type ? [" extends ", ...print(type)] : []),
      ...(standard ? [" = ", ...print(standard)] : []),
    ];
  }

  function parametersOf({ typeParameters, parameters = [] }) {
    const generic = typeParameters?.length
      ? ["<", ...joined(typeParameters.map(typeParameter), ", "), ">"]
      : [];
    return [...generic, "(", ...joined(parameters.map(parameter), ", "), ")"];
  }

  /** A member of a type in braces. */
  function member(child) {
    const { name, flags, type, signatures, getSignature } = child;
    const shown = /^[\w$]+$|^\[/.test(name) ? name : JSON.stringify(name);
    const head = `${flags.isReadonly ? "readonly " : ""}${shown}${flags.isOptional ? "?" : ""}`;
    if (signatures)
      return joined(
        signatures.map((one) => [head, ...parametersOf(one), ": ", ...print(one.type)]),
        "; ",
      );
    return [`${head}: `, ...print(type ?? getSignature.type)];
  }

  function braces({ children = [], signatures = [], indexSignatures = [] }) {
    const constructs = children.filter(({ name }) => name === "constructor" || name === "__new");
    const parts = [
      ...signatures.map((one) => [...parametersOf(one), ": ", ...print(one.type)]),
      ...constructs.flatMap((child) =>
        child.signatures.map((one) => ["new ", ...parametersOf(one), ": ", ...print(one.type)]),
      ),
      ...indexSignatures.map((one) => [
        `[${one.parameters[0].name}: `,
        ...print(one.parameters[0].type),
        "]: ",
        ...print(one.type),
      ]),
      ...children.filter((child) => !constructs.includes(child)).map(member),
    ];
    return parts.length === 0 ? ["{}"] : ["{ ", ...joined(parts, "; "), " }"];
  }

  function reflection({ declaration }) {
    if (!isFunction({ type: "reflection", declaration })) return braces(declaration);
    const [only, ...others] = declaration.signatures;
    if (others.length > 0) return braces(declaration);
    const isNew = only.kind === CONSTRUCTOR_SIGNATURE;
    return [isNew ? "new " : "", ...parametersOf(only), " => ", ...print(only.type)];
  }

  function reference(type) {
    const { reflection: target, name, typeArguments } = type;
    const own = typeArguments?.filter((one) => !(one.type === "reference" && MEMORY.test(one.name)));
    const publicName = target && nameOf(target);
    if (publicName) return [{ name: publicName, isPublic: true }, ...bracketed(own)];
    if (!target || type.refersToTypeParameter) return [name, ...bracketed(own)];
    const short = shortOf(target);
    return short === undefined ? [{ name, unexported: target }, ...bracketed(own)] : [short];
  }

  const printers = {
    array: ({ elementType }) => [...operand(elementType), "[]"],
    conditional: ({ checkType, extendsType, trueType, falseType }) => [
      ...[...print(checkType), " extends ", ...print(extendsType), " ? "],
      ...[...print(trueType), " : ", ...print(falseType)],
    ],
    indexedAccess: ({ objectType, indexType }) => [...operand(objectType), "[", ...print(indexType), "]"],
    inferred: ({ name }) => [`infer ${name}`],
    intersection: ({ types }) => joined(types.filter((one) => !isAnything(one)).map(operand), " & "),
    intrinsic: ({ name }) => [name],
    literal: ({ value }) => [typeof value === "bigint" ? `${value}n` : JSON.stringify(value)],
    mapped: ({ parameter: name, parameterType, templateType, optionalModifier }) => [
      ...[`{ [${name} in `, ...print(parameterType), optionalModifier === "+" ? "]?: " : "]: "],
      ...[...print(templateType), " }"],
    ],
    namedTupleMember: ({ name, isOptional, element }) => [
      `${name}${isOptional ? "?" : ""}: `,
      ...print(element),
    ],
    optional: ({ elementType }) => [...operand(elementType), "?"],
    predicate: ({ asserts, name, targetType }) => [
      `${asserts ? "asserts " : ""}${name}`,
      ...(targetType ? [" is ", ...print(targetType)] : []),
    ],
    query: ({ queryType }) => ["typeof ", ...reference(queryType)],
    reference,
    reflection,
    rest: ({ elementType }) => ["...", ...operand(elementType)],
    templateLiteral: ({ head, tail }) => [
      `\`${head}`,
      ...tail.flatMap(([type, text]) => ["${", ...print(type), `}${text}`]),
      "`",
    ],
    tuple: ({ elements = [] }) => ["[", ...list(elements), "]"],
    typeOperator: ({ operator, target }) => [`${operator} `, ...operand(target)],
    union: ({ types }) =>
      joined(
        types.map((one) => (isFunction(one) ? operand(one) : print(one))),
        " | ",
      ),
    unknown: ({ name }) => [name],
  };

  function print(type) {
    if (!type) return ["void"];
    const printer = printers[type.type];
    if (!printer) throw new Error(`a type of the kind ${type.type} cannot be shown`);
    return printer(type);
  }

  /** The types of a union, each as tokens. */
  const alternativesOf = (type) =>
    (type?.type === "union" ? type.types : [type]).map((one) =>
      compact(isFunction(one ?? {}) ? operand(one) : print(one)),
    );

  return {
    tokensOf: (type) => compact(print(type)),
    alternativesOf: (type) => (type?.type === "union" ? alternativesOf(type) : [compact(print(type))]),
    parametersOf: (signature) => compact(parametersOf(signature)),
    parameter: (one) => compact(parameter(one)),
    typeParameters: (list) =>
      compact(list?.length ? ["<", ...joined(list.map(typeParameter), ", "), ">"] : []),
  };
}
