/**
 * The public calls, as the declarations of the built package have them: functions, constructors and
 * methods, with the names of their parameters and of the members of their options. It reads
 * declarations with the API of TypeScript and calls nothing.
 */
import { join } from "node:path";
import { API } from "typescript/unstable/sync";

const HERE = import.meta.dirname;
const TYPES = join(HERE, "../../../dist/types");

/** Kinds of signatures (`SignatureKind` of TypeScript), and the flag of imported names. */
const [CALL, CONSTRUCT, ALIAS] = [0, 1, 2 ** 21];

class Declarations {
  #checker;
  #program;

  constructor({ checker, program }) {
    this.#checker = checker;
    this.#program = program;
  }

  /** The exports of an entry, with their meaning. */
  exportsOf(entry) {
    const file = this.#program.getSourceFile(join(TYPES, `package/entry/${entry}.d.ts`));
    const names = this.#checker.getExportsOfModule(this.#checker.getSymbolAtLocation(file));
    return names.map((symbol) => [
      symbol.name,
      symbol.flags & ALIAS ? this.#checker.getAliasedSymbol(symbol) : symbol,
    ]);
  }

  signatures(type, kind) {
    return this.#checker.getSignaturesOfType(type, kind);
  }

  typeOf(symbol) {
    return this.#checker.getTypeOfSymbol(symbol);
  }

  instanceOf(symbol) {
    return this.#checker.getDeclaredTypeOfSymbol(symbol);
  }

  /** Members that this package declares, without those of the language and of symbols. */
  membersOf(type) {
    return this.#checker
      .getPropertiesOfType(type)
      .filter(({ name, declarations }) => !name.startsWith("__") && declarations.some(isOurs));
  }

  /** The names of an option's members, and of their members. `depth` bounds types of trees. */
  options(type, depth = 2) {
    const known = {};
    for (const part of this.#parts(type)) {
      for (const member of this.membersOf(part)) {
        const inner = depth > 1 ? this.options(this.typeOf(member), depth - 1) : {};
        known[member.name] = { ...known[member.name], ...inner };
      }
    }
    return known;
  }

  /** The types of a union that are plain objects: neither text, lists, functions nor classes. */
  #parts(type) {
    const whole = type.isTypeParameter() ? this.#checker.getBaseConstraintOfType(type) : type;
    if (!whole) return [];
    if (whole.isUnionType()) return whole.getTypes().flatMap((part) => this.#parts(part));
    const isPlain =
      (whole.isObjectType() || whole.isIntersectionType()) &&
      !this.#checker.isArrayLikeType(whole) &&
      this.signatures(whole, CALL).length === 0 &&
      !this.#isClass(whole);
    return isPlain ? [whole] : [];
  }

  #isClass(type) {
    const symbol = type.getSymbol();
    return symbol !== undefined && (symbol.flags & CLASS) !== 0;
  }

  /** The parameters of all overloads: `{ name, options }` by position. */
  parameters(signatures) {
    const merged = [];
    for (const signature of signatures) {
      for (const [at, parameter] of signature.getParameters().entries()) {
        merged[at] ??= { name: parameter.name, options: {} };
        for (const [name, inner] of Object.entries(this.options(this.typeOf(parameter))))
          merged[at].options[name] = { ...merged[at].options[name], ...inner };
      }
    }
    return merged;
  }
}

/** `SymbolFlags.Class` of TypeScript. */
const CLASS = 32;

const isOurs = ({ path }) => path.toLowerCase().startsWith(TYPES.toLowerCase());

/** The calls of one export: of a function, of a function's members, of a class. */
function* callsOf(declarations, name, symbol) {
  const type = declarations.typeOf(symbol);
  if (!type) return;
  const called = declarations.signatures(type, CALL);
  if (called.length > 0) yield [name, called];
  const made = declarations.signatures(type, CONSTRUCT);
  if (made.length > 0) yield [`new ${name}`, made];
  for (const member of declarations.membersOf(type)) {
    const signatures = declarations.signatures(declarations.typeOf(member), CALL);
    if (signatures.length > 0) yield [`${name}.${member.name}`, signatures];
  }
  if (!(symbol.flags & CLASS)) return;
  for (const member of declarations.membersOf(declarations.instanceOf(symbol))) {
    const signatures = declarations.signatures(declarations.typeOf(member), CALL);
    if (signatures.length > 0) yield [`${name}.${member.name}`, signatures];
  }
}

/** The public calls of entries: a record from each call's name to its parameters. */
export function publicCalls(entries) {
  const api = new API({ cwd: HERE });
  try {
    const snapshot = api.updateSnapshot({ openProject: join(HERE, "tsconfig.json") });
    const declarations = new Declarations(snapshot.getProjects()[0]);
    const calls = {};
    for (const entry of entries) {
      for (const [name, symbol] of declarations.exportsOf(entry)) {
        for (const [call, signatures] of callsOf(declarations, name, symbol))
          calls[call] = declarations.parameters(signatures);
      }
    }
    return calls;
  } finally {
    api.close();
  }
}
