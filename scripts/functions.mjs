/**
 * Makes functions of modules: the body is the module with all that it imports, and a call returns
 * what it exports. esbuild writes the module as a script, and the function is written around it.
 * There are three uses:
 *
 * - wasm-bindgen's JavaScript of a wasm build has the state of one instance in its variables. A
 *   function of it makes that of each instance.
 * - The lazy code and the engine's program use modules that another script has already. What they
 *   import from those is given to them.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROOT, StepFailed } from "./run_command.mjs";
import { glueFolder } from "./wasm.mjs";

/** The variable that has what a script exports. */
const EXPORTED = "exported";

/**
 * A module whose default export is the function. `entry` is the file, `options` are those of
 * esbuild, and `parameters` the text of the function's parameters.
 */
export async function functionOf(build, { entry, parameters, ...options }) {
  const { outputFiles } = await build({
    ...options,
    entryPoints: [entry],
    bundle: true,
    format: "iife",
    globalName: EXPORTED,
    banner: { js: `export default (${parameters}) => {` },
    footer: { js: `return ${EXPORTED};\n};` },
    write: false,
  });
  return outputFiles[0].text;
}

/** wasm-bindgen's JavaScript of a build. */
const glueOf = (build) => join(glueFolder(build), "zarr_wasm.js");

/** A plugin for `#engine-glue` and its like, which `src/package/virtual.d.ts` declares. */
export const glueFunctions = {
  name: "glue as functions",
  setup(plugin) {
    plugin.onResolve({ filter: /^#\w+-glue$/ }, ({ path }) => {
      const glue = glueOf(path.slice(1).replace("-glue", ""));
      // `npm start` has the engine's alone for a while, and no call needs another one until then.
      return { path: existsSync(glue) ? glue : glueOf("engine"), namespace: "glue" };
    });
    plugin.onLoad({ filter: /./, namespace: "glue" }, async ({ path }) => ({
      contents: await functionOf(plugin.esbuild.build, {
        entry: path,
        parameters: "TextDecoder, TextEncoder",
        target: "es2022",
      }),
    }));
  },
};

/** The files of which an output of esbuild has code. */
export function filesOf({ outputs }) {
  const [{ inputs }] = Object.values(outputs);
  return new Set(
    Object.keys(inputs).flatMap((name) => (inputs[name].bytesInOutput > 0 ? join(ROOT, name) : [])),
  );
}

/** A plugin that leaves imports of these files imports. */
const leftOut = (files) => ({
  name: "imports that stay",
  setup(plugin) {
    plugin.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
      const file = join(resolveDir, path);
      return files.has(file) ? { path: file, external: true } : undefined;
    });
  },
});

/** A plugin that takes what is imported from files out of an object. */
const taken = (names, object) => ({
  name: `what ${object} has`,
  setup(plugin) {
    plugin.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
      const file = join(resolveDir, path);
      return names.has(file) ? { path: file, namespace: object } : undefined;
    });
    plugin.onLoad({ filter: /./, namespace: object }, ({ path }) => ({
      contents: `export const { ${names.get(path).join(", ")} } = ${object};`,
    }));
  },
});

/** The names that a module imports, by the modules. The same name of two would be ambiguous. */
async function importedNames(text) {
  // It is not installed yet when a clean clone loads this file.
  const { parse } = await import("acorn");
  const { body } = parse(text, { ecmaVersion: "latest", sourceType: "module" });
  const imports = body.filter(({ type }) => type === "ImportDeclaration");
  const modules = new Map();
  for (const { source, specifiers } of imports)
    for (const { imported } of specifiers) {
      if (!imported) throw new StepFailed(`what is imported from ${source.value} has no name there`);
      const other = modules.get(imported.name) ?? source.value;
      if (other !== source.value)
        throw new StepFailed(`${other} and ${source.value} export ${imported.name}: rename one`);
      modules.set(imported.name, source.value);
    }
  const namesOf = (file) => [...modules].flatMap(([name, module]) => (module === file ? [name] : []));
  return new Map([...new Set(modules.values())].map((file) => [file, namesOf(file)]));
}

/**
 * What a module needs to take what it imports from some files out of an object: the `names` that it
 * imports from each, a plugin that does it, and the files that it has besides.
 */
export async function sharing(build, options, { entry, files, object }) {
  const { outputFiles, metafile } = await build({
    ...options,
    entryPoints: [entry],
    plugins: [...(options.plugins ?? []), leftOut(files)],
    metafile: true,
    write: false,
  });
  const names = await importedNames(outputFiles[0].text);
  return { names, plugin: taken(names, object), own: filesOf(metafile) };
}
