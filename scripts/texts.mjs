/**
 * Publishes wasm and the programs of workers as texts, which every bundler takes.
 *
 * - `engine-texts`: the engine's wasm (deflate-raw, then base64), which browsers inflate
 *   themselves, and the workers' programs, for blob workers. Base64 of compressed bytes costs one
 *   per cent on the wire; base64 alone costs a third.
 * - `engine-programs`: the workers' programs alone, for pages that have the wasm as a file.
 * - `light-text`: the light build's wasm, in the same way.
 * - `reading-wasm` and so on, one for each other build: the module as a Zstandard frame with the
 *   engine's wasm as prefix, then base64. It is two fifths smaller than deflate.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { aliases, optionsOf, programs, SOURCES, TEXTS } from "./bundles.mjs";
import { filesOf, glueFunctions, sharing } from "./functions.mjs";
import { minified } from "./minified.mjs";
import { deflated, packedWasm, VARIANTS } from "./wasm.mjs";

const HOST = join(SOURCES, "engine/ts/host");
const DECODER = join(HOST, "decode/decode_main.ts");
const ENGINE = join(HOST, "engine_main.ts");

/** The variable with what the decoder's program gives to the engine's. */
const SHARED = "programShared";

/**
 * The programs of workers as classic scripts, so that blob workers made from them start in every
 * browser. The engine's program is appended to that of decode workers and uses its modules: a
 * decode worker starts from a fifth of the text.
 */
async function workerPrograms(build, { quick }) {
  const options = {
    ...optionsOf({ quick }),
    minifyIdentifiers: !quick,
    alias: aliases("none"),
    plugins: [programs, glueFunctions],
    write: false,
  };
  const { metafile } = await build({ ...options, entryPoints: [DECODER], metafile: true });
  const { names, plugin } = await sharing(build, options, {
    entry: ENGINE,
    files: filesOf(metafile),
    object: SHARED,
  });
  const given = [...names].map(([file, list]) => `export { ${list.join(", ")} } from "${file}";`);
  const program = `import "./${basename(DECODER)}";\n${given.join("\n")}`;
  const script = async (more) => {
    const { outputFiles } = await build({ ...options, format: "iife", ...more });
    return quick ? outputFiles[0].text : minified(outputFiles[0].text);
  };
  return {
    decoder: await script({
      stdin: { contents: program, resolveDir: dirname(DECODER) },
      globalName: SHARED,
    }),
    engine: await script({ entryPoints: [ENGINE], plugins: [...options.plugins, plugin] }),
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
  const textOf = async (name) => (await deflated(name, { quick })).toString("base64");
  writeTexts("light-text", { default: await textOf("light") });
  const wasm = await textOf("engine");
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
