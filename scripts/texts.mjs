/**
 * Publishes wasm and the programs of workers as texts, which every bundler takes.
 *
 * - `engine-texts`: the engine's wasm (deflate-raw, then base64), which browsers inflate
 *   themselves, and the workers' programs, for blob workers. Base64 of compressed bytes costs one
 *   per cent on the wire; base64 alone costs a third.
 * - `engine-programs`: the workers' programs alone, for pages that have the wasm as a file.
 * - `reading-wasm` and so on, one for each other build: the module as a Zstandard frame with the
 *   engine's wasm as prefix, then base64. It is two fifths smaller than deflate.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { aliases, optionsOf, SOURCES, TEXTS } from "./bundles.mjs";
import { minified } from "./minified.mjs";
import { deflatedEngine, packedWasm, VARIANTS } from "./wasm.mjs";

const PROGRAMS = ["decode/decode_main.ts", "engine_main.ts"].map((name) =>
  join(SOURCES, "engine/ts/host", name),
);

/** What esbuild writes for imports and exports. */
const IMPORT = /^import \{([^}]*)\} from "[./]*chunk-\w+\.js";$/m;
const EXPORT = /^export \{([^}]*)\};$/m;

/** A module's text as statements. No module has the variable's name for those of the chunk. */
const asStatements = (text) =>
  text
    .replace(IMPORT, (_, names) => `const {${names.replaceAll(" as ", ": ")}} = programShared;`)
    .replace(EXPORT, (_, names) => `return {${names.replace(/([\w$]+) as ([\w$]+)/g, "$2: $1")}};`);

/**
 * The programs of workers as classic scripts, so that blob workers made from them start in every
 * browser. The engine's program is appended to that of decode workers and uses its modules, which
 * are in a chunk at first: a decode worker starts from a fifth of the text.
 */
async function workerPrograms(build, { quick }) {
  const options = { ...optionsOf({ quick }), minifyIdentifiers: !quick, write: false };
  const split = { entryPoints: PROGRAMS, splitting: true, alias: aliases("none") };
  const { outputFiles } = await build({ ...options, ...split });
  const script = async (name, before = "") => {
    const { text } = outputFiles.find(({ path }) => basename(path).startsWith(name));
    const contents = `${before}(() => {\n${asStatements(text)}\n})();`;
    return quick ? contents : minified(contents);
  };
  return {
    decoder: (await script("chunk", "var programShared = ")) + (await script("decode_main")),
    engine: await script("engine_main"),
  };
}

/**
 * A text as a literal. JSON would have a backslash before each double quotation mark, of which the
 * programs have many.
 */
const literal = (text) =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

/** Writes a module that exports texts. */
function writeTexts(name, texts) {
  const exported = ([as, text]) => `export ${as === "default" ? as : `const ${as} =`} ${literal(text)};`;
  writeFileSync(TEXTS[`#${name}`], Object.entries(texts).map(exported).join("\n"));
}

/** Instead of a text that is not there yet: see `npm start`. */
const LATER = `throw new Error("this build of zarr-wasm is still being compiled: reload the page in a minute");`;

/** Publishes all texts. */
export async function publishTexts(build, { quick, isFirst }) {
  const programs = await workerPrograms(build, { quick });
  const wasm = (await deflatedEngine({ quick })).toString("base64");
  writeTexts("engine-texts", { wasm, ...programs });
  writeTexts("engine-programs", programs);
  for (const { name, isFirst: isThere } of VARIANTS.filter((variant) => variant.name !== "engine")) {
    if (isFirst && !isThere) {
      writeFileSync(TEXTS[`#${name}-wasm`], LATER);
      continue;
    }
    const frame = readFileSync(await packedWasm(name, { quick }));
    writeTexts(`${name}-wasm`, { default: frame.toString("base64") });
  }
}
