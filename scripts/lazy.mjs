/**
 * Publishes the lazy code (`src/package/entry/lazy.ts`) as one module without imports, and the
 * module that loads it, `#lazy`.
 *
 * The lazy code is a function that gets what it shares with a page's first script. If it imported
 * that, bundlers that split code would move it to a file of its own, and every page would wait for
 * one more round trip before its first call (`tests/browser/first_requests.mjs`). Modules that the
 * first script of a typical page lacks are in the lazy code a second time. They hold no state.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { aliases, ENTRY, firstScript, MODULES, optionsOf, SOURCES } from "./bundles.mjs";
import { ROOT, StepFailed } from "./run_command.mjs";

/** The imports of a typical page. */
const FIRST = 'export { open, get, slice } from "./index.ts"';
const EVERY_NAME = 'export * from "./index.ts"';

const FAILED = "chunkFailed";

/** The files of which an output of esbuild has code. */
function filesOf({ outputs }) {
  const [{ inputs }] = Object.values(outputs);
  return new Set(
    Object.keys(inputs).flatMap((name) => (inputs[name].bytesInOutput > 0 ? join(ROOT, name) : [])),
  );
}

/** State, or a class that `instanceof` may ask for. */
const STATE = /^(export )?(let |(abstract )?class |const .*= new (Weak)?(Map|Set)\b.*\(\);$)/m;

/** Throws if a module that is there twice holds state. */
async function checkCopies(build, own) {
  const others = filesOf(await firstScript(build, EVERY_NAME));
  for (const file of [...own].filter((name) => others.has(name)))
    if (STATE.test(readFileSync(file, "utf8")))
      throw new StepFailed(`${file} holds state, but is in lazy.js a second time`);
}

/** The lazy code as an ES module that imports what is shared from the published modules. */
async function lazyModule(build, options, shared) {
  const outside = {
    name: "modules that the lazy code gets",
    setup(plugin) {
      plugin.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
        const file = join(resolveDir, path);
        return shared.has(file)
          ? { path: file.replace(SOURCES, ".").replace(/\.ts$/, ".js"), external: true }
          : undefined;
      });
    },
  };
  const { outputFiles, metafile } = await build({
    ...optionsOf(options),
    entryPoints: [join(ENTRY, "lazy.ts")],
    alias: aliases("none"),
    plugins: [outside],
    metafile: true,
    write: false,
  });
  await checkCopies(build, filesOf(metafile));
  return outputFiles[0].text;
}

/** An import as esbuild writes it. */
const IMPORT = /^import \{([^}]*)\} from "([^"]+)";$/gm;

/** The names that are imported from each module. A name of two modules would be ambiguous. */
function importedNames(text) {
  const modules = new Map();
  for (const [, list, module] of text.matchAll(IMPORT)) {
    const names = list.split(",").map((name) => name.trim().split(" as ")[0]);
    modules.set(module, new Set([...(modules.get(module) ?? []), ...names]));
  }
  const all = [...modules.values()].flatMap((names) => [...names]);
  const twice = all.find((name, at) => all.indexOf(name) < at);
  if (twice) throw new StepFailed(`the lazy code imports ${twice} from two modules: rename one`);
  return modules;
}

/** A module as a function of what it imports, which returns what it exports. */
const asFunction = (text) =>
  `export default (shared) => {
${text
  .replace(IMPORT, (_, names) => `const {${names.replaceAll(" as ", ": ")}} = shared;`)
  .replace(/^export \{([^}]*)\};$/m, (_, names) => `return {${names.replace(/(\w+) as (\w+)/g, "$2: $1")}};`)}
};
`;

/** The module that loads the lazy code. */
function loaderOf(modules) {
  const imports = [...modules].map(
    ([module, names]) => `import { ${[...names].join(", ")} } from "${module}";`,
  );
  const given = [...modules.values()].flatMap((names) => [...names]).sort();
  return `import { ${FAILED} } from "./engine/ts/port/loading.js";
${imports.join("\n")}
let loaded;
export const lazy = async () =>
  (loaded ??= (await import("./lazy.js").catch(${FAILED})).default({ ${given.join(", ")} }));
`;
}

export async function publishLazyCode(build, options) {
  const shared = filesOf(await firstScript(build, FIRST));
  // Its lists would be in the first script, for the lazy code alone.
  shared.delete(join(SOURCES, "contract/contract.ts"));
  const text = await lazyModule(build, options, shared);
  const rest = text.replace(IMPORT, "").match(/^import .*/m);
  if (rest) throw new StepFailed(`the lazy code has an import of another form: ${rest[0]}`);
  writeFileSync(join(MODULES, "lazy.js"), asFunction(text));
  writeFileSync(join(MODULES, "lazy_loader.js"), loaderOf(importedNames(text)));
}
