/**
 * Every regular expression of the package and of the viewer takes linear time, because texts of
 * servers, documents and links reach many of them. `recheck` decides it by analysis, so that the
 * test does not depend on the speed of the machine.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { transformSync } from "esbuild";
import { checkSync } from "recheck";

const ROOT = join(import.meta.dirname, "../..");
const FOLDERS = ["src", "www/src"];

/** The same seed, and no clock: an attack is slow by its steps. So each machine has one verdict. */
const REPEATABLE = {
  randomSeed: 1,
  timeout: null,
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null,
};

const isSource = (name) => /\.(ts|js|mjs)$/.test(name) && !/\.(test|d)\.\w+$/.test(name);

/** Strings and expressions of a program without comments and template literals. */
const TOKENS =
  /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?<=[(,=:[!&|?{};+>]|return)\/((?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([a-z]*)/g;

function expressionsOf(path) {
  const program = readFileSync(path, "utf8").replace(/^#!.*/, "");
  const { code } = transformSync(program, {
    loader: path.endsWith(".ts") ? "ts" : "js",
    minifyWhitespace: true,
    legalComments: "none",
    supported: { "template-literal": false },
  });
  const found = [...code.matchAll(TOKENS)].filter(([, source]) => source !== undefined);
  return found.map(([, source, flags]) => new RegExp(source, flags));
}

function allExpressions() {
  const found = new Map();
  for (const folder of FOLDERS) {
    for (const name of readdirSync(join(ROOT, folder), { recursive: true }).filter(isSource)) {
      const expressions = expressionsOf(join(ROOT, folder, name));
      for (const expression of expressions) found.set(String(expression), { expression, name });
    }
  }
  return [...found.values()];
}

/** A text for which the expression is too slow, or the reason why nothing can be said. */
function attackOn({ source, flags }) {
  const { status, attack, error } = checkSync(source, flags, REPEATABLE);
  if (status === "safe") return undefined;
  return attack?.pattern ?? JSON.stringify(error);
}

test("the search finds slow expressions, and lets fast ones pass", () => {
  for (const slow of [
    /\/+$/,
    /^(https?:\/\/[^?#]*?)\/*$/,
    /^\/+|\/+$/g,
    /(a|a)*b/,
    /"(?:[^"\\]|\\.)*"/g,
    /\s+x/,
    /^(\w+):\/\/([^/]+)\/?(.*)$/,
  ]) {
    assert.ok(attackOn(slow), String(slow));
  }
  for (const fast of [/^\/+/, /(?<!\/)\/+$/, /^[\w.]+$/, /a{1,20}b/, /["'](?=\s)/g]) {
    assert.equal(attackOn(fast), undefined, String(fast));
  }
});

test("every regular expression takes linear time", () => {
  const all = allExpressions();
  assert.ok(all.length > 100, `${all.length} expressions were found`);
  const slow = all.flatMap(({ expression, name }) => {
    const attack = attackOn(expression);
    return attack ? [`${name}: ${expression} ${attack}`] : [];
  });
  assert.deepEqual(slow, []);
});
