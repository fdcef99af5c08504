/**
 * The entries of the package, as `package.json` exports them, and what the comment at the start of
 * their sources says. An entry with the names of another one, or without names, has no page.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../scripts/run_command.mjs";
import { firstSentence } from "./comments.mjs";
import { sourceOf } from "./typedoc.mjs";

/** These export the names of the root. */
export const SAME_NAMES = ["inline", "slim"];

/** These export no names. */
const NO_NAMES = ["worker", "script", "engine.wasm", "package.json"];

/** What is said of the entries without a TypeScript source. */
const OTHERS = {
  "engine.wasm": "the engine's wasm as a file, for `init({ wasm })`.",
  "package.json": "the manifest of the package.",
};

/** The name of an entry as it is imported. */
export const importOf = (entry) => (entry === "" ? "zarr-wasm" : `zarr-wasm/${entry}`);

/** The first sentence of the comment at the start of an entry's source, after its name. */
function describedIn(entry) {
  if (entry in OTHERS) return OTHERS[entry];
  const [, comment] = /\/\*\*([\s\S]*?)\*\//.exec(readFileSync(sourceOf(entry), "utf8")) ?? [];
  if (comment === undefined) throw new Error(`${sourceOf(entry)} does not begin with a comment`);
  const text = comment
    .replace(/^\s*\* ?/gm, "")
    .trim()
    .replace(/\s+/g, " ");
  return firstSentence(text.replace(/^`[^`]+`: /, ""));
}

/** The entries of the package, in its order. */
export function entriesOfPackage() {
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  return Object.keys(manifest.exports).map((path) => {
    const entry = path.replace(/^\.\/?/, "");
    return {
      entry,
      name: importOf(entry),
      description: describedIn(entry),
      hasPage: !SAME_NAMES.includes(entry) && !NO_NAMES.includes(entry),
    };
  });
}
