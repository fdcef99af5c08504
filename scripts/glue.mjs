/**
 * Reads wasm-bindgen's glue, and writes what the builds differ in as a module of tables,
 * `#glue-tables`: what their imports do, and what their exports take and give. What they share is
 * written once, in `src/engine/ts/host/glue.ts`: wasm-bindgen's own text has it in each build, and
 * is three times as long.
 *
 * wasm-bindgen writes few forms. One that is not known here fails the build.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { ROOT, StepFailed } from "./run_command.mjs";
import { glueFolder, VARIANTS } from "./wasm.mjs";

export const TABLES = join(ROOT, "target/glue/tables.js");

/** The builds that have glue. `npm start` has the first alone for a while. */
const BUILDS = VARIANTS.filter(({ operates }) => operates).map(({ name }) => name);

const glueOf = (build) => join(glueFolder(build), "zarr_wasm.js");

/** Matches every function of a text, with its name, its parameters and its statements. */
const EXPORTS = /^export function (\w+)\((.*?)\) \{\n(.*?)^\}$/gms;
const IMPORTS = /^ {8}(\w+): function\((.*?)\) \{(.*?)\},$\n(?= {8}\w+: function| {4}\};)/gms;

/**
 * What a parameter is passed as, by what the glue does with it. Others are passed as they are. The
 * letters are those of `PASS` in `glue.ts`.
 */
const passedAs = (name) => [
  ["s", `= passStringToWasm0(${name}, `],
  ["t", `= isLikeNone(${name}) ? 0 : passStringToWasm0(${name}, `],
  ["b", `= passArray8ToWasm0(${name}, `],
  ["d", `= passArrayF64ToWasm0(${name}, `],
];

/** How many numbers the wasm gets for a parameter. */
const WORDS = { s: 2, t: 2, b: 2, d: 2, _: 1 };

/** What the glue makes of a result, by its last statements. The letters are those of `GIVE`. */
const GIVEN = [
  ["u", /return ret >>> 0;$/],
  ["?", /return ret !== 0;$/],
  ["n", /return ret === Number\.MAX_SAFE_INTEGER \? undefined : ret;$/],
  ["!", /throw takeFromExternrefTable0\(ret\[0\]\);\s*\}$/],
  ["x!", /throw takeFromExternrefTable0\(ret\[1\]\);\s*\}\s*return takeFromExternrefTable0\(ret\[0\]\);$/],
  ["d", /var v1 = getArrayF64FromWasm0\(ret\[0\], ret\[1\]\)\.slice\(\);.*return v1;$/s],
  ["", /^[^=]*\bwasm\.\w+\([^;]*\);$/],
];

/** What an export takes and gives. */
function formOf(name, parameters, statements) {
  const fail = () => new StepFailed(`wasm-bindgen's glue has ${name} in an unknown form`);
  const names = parameters.split(", ").filter(Boolean);
  const letters = names.map(
    (each) => passedAs(each).find(([, passing]) => statements.includes(passing))?.[0] ?? "_",
  );
  const given = statements.match(new RegExp(`\\bwasm\\.${name}\\((.*?)\\);$`, "m"));
  const words = given?.[1]
    .replace(/\([^()]*\)/g, "")
    .split(", ")
    .filter(Boolean).length;
  if (words !== letters.reduce((sum, letter) => sum + WORDS[letter], 0)) throw fail();
  const [gives] = GIVEN.find(([, form]) => form.test(statements.trim())) ?? [];
  if (gives === undefined) throw fail();
  return `${letters.join("")}:${gives}`;
}

/** The exports of a build: their forms by their names. */
function exportsOf(text) {
  const functions = [...text.matchAll(EXPORTS)];
  if (functions.length !== text.match(/^export function \w+\(/gm).length)
    throw new StepFailed("wasm-bindgen's glue has exports of an unknown form");
  return Object.fromEntries(functions.map(([, name, ...rest]) => [name, formOf(name, ...rest)]));
}

/** What wasm-bindgen writes in imports, and what `glue.ts` has for it. */
const REWRITTEN = [
  [/^\s*\/\/.*\n/gm, ""],
  [
    /(const|var) ptr1 = (isLikeNone\(ret\) \? 0 : )?passStringToWasm0\(ret, .*\);\s*(const|var) len1 = WASM_VECTOR_LEN;\s*getDataViewMemory0\(\)\.setInt32\(\(arg0 >>> 0\) \+ 4 \* 1, len1, true\);\s*getDataViewMemory0\(\)\.setInt32\(\(arg0 >>> 0\) \+ 4 \* 0, ptr1, true\);/,
    "giveText(arg0, ret);",
  ],
  [
    /let result;\s*try \{\s*result = (\w+) instanceof (\w+);\s*\} catch \(_\) \{\s*result = false;\s*\}/,
    "const result = isA($1, $2);",
  ],
  [/makeMutClosure\(arg0, arg1, (\w+)\)/, 'closure(arg0, arg1, "$1")'],
  [/getStringFromWasm0\(/g, "text("],
  [/getArray(U8|U32|F32|F64)FromWasm0\(/g, (_, kind) => `array(${ARRAYS[kind]}, `],
  [/getDataViewMemory0\(\)/g, "view()"],
  [/isLikeNone\(/g, "isNone("],
  [/addToExternrefTable0\(/g, "keep("],
  [/debugString\(/g, "shown("],
  [/\bwasm\.__wbindgen_externrefs/g, "references()"],
];
const ARRAYS = { U8: "Uint8Array", U32: "Uint32Array", F32: "Float32Array", F64: "Float64Array" };

/** The functions of `glue.ts` that imports call. */
const CALLED = [
  "array",
  "catching",
  "closure",
  "giveText",
  "isA",
  "isNone",
  "keep",
  "references",
  "shown",
  "text",
  "view",
];

/** Names that are left over from wasm-bindgen's own functions. */
const LEFT = /\w(?<!Uint8Array|\barg\d)0\(|WASM_VECTOR_LEN|\bwasm\b|handleError|_memory/;

/** An import as an arrow function. */
function importFunction(name, parameters, statements) {
  const caught = statements.match(/^ return handleError\(function \((.*?)\) \{(.*)\}, arguments\); $/s);
  const [takes, does] = caught ? caught.slice(1) : [parameters, statements];
  const body = REWRITTEN.reduce((text, [from, to]) => text.replace(from, to), does)
    .replace(/\n\s*/g, "\n")
    .trim();
  if (LEFT.test(body)) throw new StepFailed(`wasm-bindgen's glue has ${name} in an unknown form`);
  const arrow = `(${takes}) => {\n${body}\n}`;
  return caught ? `catching(${arrow})` : arrow;
}

/** The imports of a build: their functions by their names. */
function importsOf(text) {
  const functions = [...text.matchAll(IMPORTS)];
  if (functions.length !== text.match(/^ {8}\w+: function/gm).length)
    throw new StepFailed("wasm-bindgen's glue has imports of an unknown form");
  return new Map(functions.map(([, name, ...rest]) => [name, importFunction(name, ...rest)]));
}

const record = (entries) => `{\n${entries.map(([name, value]) => `${name}: ${value},`).join("\n")}\n}`;

/** Writes the tables. */
export function writeGlueTables() {
  const texts = BUILDS.filter((build) => existsSync(glueOf(build))).map((build) => ({
    build,
    text: readFileSync(glueOf(build), "utf8"),
  }));
  const imports = texts.map(({ text }) => importsOf(text));
  const isShared = (name, does) => imports.every((each) => (each.get(name) ?? does) === does);
  const shared = new Map(imports.flatMap((each) => [...each].filter((entry) => isShared(...entry))));
  const own = imports.map((each, at) => [
    texts[at].build,
    record([...each].filter((entry) => !isShared(...entry))),
  ]);
  const forms = Object.assign({}, ...texts.map(({ text }) => exportsOf(text)));
  const exchange = texts.at(-1).text.match(/^import \{ exchange \} from '(.*)';$/m)[1];
  const module = `import { exchange } from "./${relative(join(TABLES, ".."), join(glueFolder(texts.at(-1).build), exchange))}";
export const forms = ${record(Object.entries(forms).map(([name, form]) => [name, JSON.stringify(form)]))};
export const importsOf = (build, { ${CALLED.join(", ")} }) => {
const shared = ${record([...shared])};
const own = ${record(own)};
return { ...shared, ...own[build] };
};
`;
  writeFileSync(TABLES, module);
}
