/**
 * What the compiler knows of types, and TypeDoc does not tell: the words of a type that is made
 * from a list, and the text of a declaration as the sources have it.
 */

/** Whether a type is a class of the language, such as `Uint8Array`; what `Omit` makes is none. */
const isOfLanguage = ({ symbol }) =>
  symbol?.name !== "__type" &&
  /\/typescript\/lib\/lib\./.test(symbol?.declarations?.[0]?.getSourceFile().fileName ?? "");

/** Memory parameters of typed arrays, which compilers before TypeScript 5.7 do not have. */
export const withoutMemory = (text) => text.replace(/<ArrayBuffer(Like)?>/g, "");

/** Returns the functions that ask the compiler about the type aliases of `converted`. */
export function declarationReader({ checker, symbolOf, ts }) {
  const { NoTruncation, InTypeAlias } = ts.TypeFormatFlags;

  /** The compiler's type of an alias, and the types that it is a union of. */
  function aliased(reflection) {
    const symbol = symbolOf(reflection);
    if (!symbol || !(symbol.flags & ts.SymbolFlags.TypeAlias)) return { parts: [] };
    const type = checker.getDeclaredTypeOfSymbol(symbol);
    return { type, parts: type.isUnion() ? type.types : [type] };
  }

  /** The text of a short type, which is shown in place of the name of an alias. */
  function shortOf(reflection) {
    const { type, parts } = aliased(reflection);
    const areWords = parts.length > 0 && parts.every((one) => one.isLiteral());
    const isShort = areWords || (parts.length === 1 && isOfLanguage(parts[0]));
    return isShort
      ? withoutMemory(checker.typeToString(type, undefined, NoTruncation | InTypeAlias))
      : undefined;
  }

  /** The words that an alias stands for. */
  function wordsOf(reflection) {
    const { parts } = aliased(reflection);
    return parts.every((one) => one.isStringLiteral()) ? parts.map(({ value }) => value) : [];
  }

  /** The names that a file gives what it imports, with those that these have. */
  function renamedIn(file) {
    const bindings = file.statements.flatMap((one) => one.importClause?.namedBindings?.elements ?? []);
    const renamed = bindings.filter(({ propertyName }) => propertyName !== undefined);
    return renamed.map(({ name, propertyName }) => [name.text, propertyName.text]);
  }

  /** The declaration in the sources, without `export`. Undefined if it has comments in it. */
  function textOfDeclaration(reflection) {
    const [declaration] = symbolOf(reflection)?.declarations ?? [];
    const text = declaration?.getText();
    if (text === undefined || /\/\*|\/\//.test(text)) return undefined;
    const own = text.replace(/^export (default )?/, "").replace(/;$/, "");
    const renamed = renamedIn(declaration.getSourceFile());
    return renamed.reduce((all, [from, to]) => all.replace(new RegExp(`\\b${from}\\b`, "g"), to), own);
  }

  const known = new Map();
  const remembered = (reflection) => {
    if (!known.has(reflection)) known.set(reflection, shortOf(reflection));
    return known.get(reflection);
  };
  return { shortOf: remembered, wordsOf, textOfDeclaration };
}
