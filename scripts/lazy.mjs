/**
 * Publishes the lazy code (`src/package/entry/lazy.ts`) as one module without imports, and the
 * module that loads it, `#lazy`.
 *
 * The lazy code is a function that gets what it shares with a page's first script. If it imported
 * that, bundlers that split code would move it to a file of its own, and every page would wait for
 * one more round trip before its first call (`tests/browser/package/first_requests.spec.mjs`).
 * Modules that the first script of a typical page lacks are in the lazy code a second time. They
 * hold no state.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { aliases, ENTRY, firstScript, MODULES, optionsOf, SOURCES } from "./bundles.mjs";
import { filesOf, functionOf, sharing } from "./functions.mjs";
import { StepFailed } from "./run_command.mjs";

/** The imports of a typical page. */
const FIRST = 'export { open, get, slice } from "./index.ts"';
const EVERY_NAME = 'export * from "./index.ts"';

const FAILED = "chunkFailed";

/** State, or a class that `instanceof` may ask for. */
const STATE = /^(export )?(let |(abstract )?class |const .*= new (Weak)?(Map|Set)\b.*\(\);$)/m;

/** Throws if a module that is there twice holds state. */
async function checkCopies(build, own) {
  const others = filesOf(await firstScript(build, EVERY_NAME));
  for (const file of [...own].filter((name) => others.has(name)))
    if (STATE.test(readFileSync(file, "utf8")))
      throw new StepFailed(`${file} holds state, but is in lazy.js a second time`);
}

/** Where a module of `src` is published. */
const published = (file) => file.replace(SOURCES, ".").replace(/\.ts$/, ".js");

/** The module that loads the lazy code. */
function loaderOf(names) {
  const imports = [...names].map(
    ([file, list]) => `import { ${list.join(", ")} } from "${published(file)}";`,
  );
  const given = [...names.values()].flat().sort();
  return `import { ${FAILED} } from "./engine/ts/port/loading.js";
${imports.join("\n")}
let loaded;
export const lazy = async () =>
  (loaded ??= (await import("./lazy.js").catch(${FAILED})).default({ ${given.join(", ")} }));
`;
}

export async function publishLazyCode(build, options) {
  const files = filesOf(await firstScript(build, FIRST));
  // Its lists would be in the first script, for the lazy code alone.
  files.delete(join(SOURCES, "contract/contract.ts"));
  const entry = join(ENTRY, "lazy.ts");
  const how = { ...optionsOf(options), alias: aliases("none") };
  const { names, plugin, own } = await sharing(build, how, { entry, files, object: "shared" });
  await checkCopies(build, own);
  const text = await functionOf(build, { ...how, entry, parameters: "shared", plugins: [plugin] });
  writeFileSync(join(MODULES, "lazy.js"), text);
  writeFileSync(join(MODULES, "lazy_loader.js"), loaderOf(names));
}
