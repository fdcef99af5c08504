/**
 * Runs TypeDoc on the sources of the public entries. Types that the entries do not export, but that
 * a public signature names, are converted too, so that the reference can show what they are. What
 * the pages need of this is in `model.mjs`.
 */
import { join } from "node:path";
import { ROOT } from "../../scripts/run_command.mjs";

const ENTRIES = "src/package/entry";

/** The name of the module that holds the types without an export. */
const UNEXPORTED = "unexported";

/** Runs before TypeDoc resolves what it has converted. */
const FIRST = 1e9;

const optionsFor = (sources, { tsconfig, root = ROOT }) => ({
  entryPoints: sources,
  tsconfig,
  basePath: root,
  excludePrivate: true,
  excludeProtected: true,
  excludeInternal: true,
  excludeExternals: true,
  // `npm run check` has compiled the sources.
  skipErrorChecking: true,
  disableGit: true,
  gitRevision: "main",
  sourceLinkTemplate: "{path}#L{line}",
  sort: ["source-order"],
  logLevel: "Error",
});

/** Whether a symbol is a type of the sources themselves. */
function isOwnType(symbol, { SymbolFlags }) {
  const isType = symbol.flags & (SymbolFlags.TypeAlias | SymbolFlags.Interface | SymbolFlags.Class);
  const file = symbol.declarations?.[0]?.getSourceFile().fileName ?? "/node_modules/";
  return isType !== 0 && !file.includes("/node_modules/");
}

/** Converts the types that were named and that no entry exports. They may name others. */
function convertUnexported(context, named, { ReflectionKind }, ts) {
  const { converter } = context;
  context.setActiveProgram(context.programs[0]);
  const inProject = context.withScope(context.project);
  const module = inProject.createDeclarationReflection(
    ReflectionKind.Module,
    undefined,
    undefined,
    UNEXPORTED,
  );
  context.finalizeDeclarationReflection(module);
  const inside = context.withScope(module);
  converter.permitDeferredConversion();
  // The set grows meanwhile, and iteration reaches what is added.
  for (const symbol of named)
    if (isOwnType(symbol, ts) && !context.getReflectionFromSymbol(symbol))
      converter.convertSymbol(inside, symbol);
  converter.finalizeDeferredConversion();
  context.setActiveProgram(undefined);
}

/**
 * Changes how TypeDoc reads: it tells `named` the symbols that types name, and takes the comment at
 * the start of an entry for that of the entry, and not of its first export. Returns the function
 * that undoes it.
 */
function changeContext({ Context }, ts, named) {
  const { createSymbolReference, getComment } = Context.prototype;
  Context.prototype.createSymbolReference = function remembered(symbol, ...rest) {
    named.add(symbol);
    return createSymbolReference.call(this, symbol, ...rest);
  };
  Context.prototype.getComment = function ofDeclaration(symbol, kind) {
    const isListed = symbol.declarations?.some((one) => ts.isExportSpecifier(one));
    return isListed ? undefined : getComment.call(this, symbol, kind);
  };
  return () => Object.assign(Context.prototype, { createSymbolReference, getComment });
}

/** Whether a written type depends on a parameter of a type, whose meaning the compiler knows. */
function isGeneric(node, context, ts) {
  const named = ts.isIdentifier(node) ? context.getSymbolAtLocation(node) : undefined;
  if (named && named.flags & ts.SymbolFlags.TypeParameter) return true;
  return ts.forEachChild(node, (child) => isGeneric(child, context, ts)) ?? false;
}

/** The written type of an optional member without `undefined`, if one is left. */
function withoutUndefined(node, ts) {
  if (!ts.isUnionTypeNode(node)) return node;
  const others = node.types.filter(({ kind }) => kind !== ts.SyntaxKind.UndefinedKeyword);
  return others.length === 1 ? others[0] : node;
}

/**
 * Takes types as the sources have them. TypeDoc asks the compiler, which has lost some of their
 * names.
 */
function takeWrittenTypes({ converter }, { Converter, ReflectionKind }, ts) {
  const take = (context, reflection, node) => {
    if (node) reflection.type = converter.convertType(context.withScope(reflection), node);
  };
  const takeOfTypeParameter = (context, parameter, { constraint, default: standard } = {}) => {
    if (constraint) parameter.type = converter.convertType(context, constraint);
    if (standard) parameter.default = converter.convertType(context, standard);
  };
  const takeOfMember = (context, reflection) => {
    if (reflection.kind !== ReflectionKind.Property || reflection.type === undefined) return;
    const node = context.getSymbolFromReflection(reflection)?.valueDeclaration?.type;
    if (!node || isGeneric(node, context, ts)) return;
    take(context, reflection, reflection.flags.isOptional ? withoutUndefined(node, ts) : node);
  };
  const takeOfSignature = (context, reflection, node) => {
    take(context, reflection, node?.type);
    const inside = context.withScope(reflection);
    const { parameters = [], typeParameters = [] } = reflection;
    const nodes = (node?.parameters ?? []).filter(({ name }) => name.text !== "this");
    for (const [at, one] of parameters.entries()) take(inside, one, nodes[at]?.type);
    for (const [at, one] of typeParameters.entries())
      takeOfTypeParameter(inside, one, node?.typeParameters?.[at]);
  };
  converter.on(Converter.EVENT_CREATE_SIGNATURE, takeOfSignature);
  converter.on(Converter.EVENT_CREATE_DECLARATION, takeOfMember);
}

/** Makes the application, which converts the types without an export at its end. */
async function applicationFor(options, typedoc, ts) {
  const { Application, Converter, OptionDefaults } = typedoc;
  const blockTags = [...OptionDefaults.blockTags, "@unit"];
  const app = await Application.bootstrap({ ...options, blockTags });
  const named = new Set();
  const contexts = [];
  const restore = changeContext(typedoc, ts, named);
  takeWrittenTypes(app, typedoc, ts);
  const end = (context) => {
    contexts.push(context);
    convertUnexported(context, named, typedoc, ts);
  };
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, end, FIRST);
  return { app, contexts, restore };
}

/** The modules of sources. TypeDoc puts what a single source exports into the project itself. */
function modulesOf(project, sources, { root, kinds }) {
  const isModule = ({ kind }) => kind === kinds.Module;
  if (sources.length === 1) return [{ children: project.children.filter((child) => !isModule(child)) }];
  const pathOf = (module) => join(root, module.sources?.[0]?.fileName ?? "");
  const modules = project.children.filter(isModule);
  return sources.map((source) => {
    const module = modules.find((one) => pathOf(one) === source);
    if (!module) throw new Error(`TypeDoc has no module of ${source}`);
    return module;
  });
}

/** The source of an entry: `index.ts` for the root. */
export const sourceOf = (entry) => join(ROOT, ENTRIES, `${entry === "" ? "index" : entry}.ts`);

/**
 * Resolves to what TypeDoc knows of sources: the module of each, in their order, TypeDoc itself,
 * the compiler, and a function that returns the compiler's symbol of a reflection. `tsconfig` is
 * the project of the sources, and `root` the folder that their places are relative to.
 */
export async function convert(sources, { tsconfig, root = ROOT }) {
  const [typedoc, { default: ts }] = await Promise.all([import("typedoc"), import("typescript")]);
  const options = optionsFor(sources, { tsconfig, root });
  const { app, contexts, restore } = await applicationFor(options, typedoc, ts);
  try {
    const project = await app.convert();
    if (!project) throw new Error("TypeDoc could not read the sources");
    const modules = modulesOf(project, sources, { root, kinds: typedoc.ReflectionKind });
    const [context] = contexts;
    const symbolOf = (reflection) => context.getSymbolFromReflection(reflection);
    return { modules, typedoc, ts, symbolOf, checker: context.programs[0].getTypeChecker() };
  } finally {
    restore();
  }
}
