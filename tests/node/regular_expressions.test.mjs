/**
 * Every regular expression of the package and of the viewer takes linear time, because texts of
 * servers, documents and links reach many of them. Hostile texts are made of what an expression
 * itself names: its literal beginnings, one or two of its characters many times, and an end that it
 * does not expect.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { transformSync } from "esbuild";

const ROOT = join(import.meta.dirname, "../..");
const FOLDERS = ["src/ts", "src/engine/js", "www/src"];

/** The longest text. It takes a quadratic expression a hundred times as long as a linear one. */
const LONGEST = 1 << 13;

/** Times below this one, in ms, say more about the machine than about the expression. */
const LEAST = 2;

/** Growth of the time while the text grows by four. */
const MOST_GROWTH = 2.5 ** 2;

/** A slow text is measured again, because the machine may have been busy. */
const ATTEMPTS = 8;

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

const CLASSES = { d: "1", D: "x", w: "a", W: "!", s: " ", S: "x", b: "", B: "", 0: "\0", n: "\n", t: "\t" };

/** The literal characters of an expression, run by run. A class stands for one of its own. */
function literals(source) {
  const plain = source
    .replace(/\\u([\da-fA-F]{4})/g, (_all, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\(.)/g, (_all, char) => CLASSES[char] ?? char)
    .replace(/\[\^[^\]]*\]/g, "x")
    .replace(/\{\d*,?\d*\}|\(\?<?[:=!]/g, "¦");
  const runs = plain.split(/[¦()|*+?^$[\]]/).filter((run) => run !== "");
  const characters = new Set([...plain.replace(/[¦()|*+?^$]/g, ""), "a", "1", " ", "/"]);
  return { runs, characters: [...characters].slice(0, 24) };
}

/** Beginnings, pieces that are repeated, and ends. */
function shapesOf(source) {
  const { runs, characters } = literals(source);
  const pairs = characters.flatMap((one) => characters.slice(0, 8).map((other) => one + other));
  const first = runs.slice(0, 4).map((_run, at) => runs.slice(0, at + 1).join(""));
  const beginnings = new Set(["", "a", ...first, runs.join("")]);
  return { beginnings, pieces: new Set([...characters, ...runs, ...pairs]), ends: ["", "\0!", "\n!"] };
}

function use(expression, text) {
  expression.lastIndex = 0;
  const began = performance.now();
  if (expression.flags.includes("g")) for (const _ of text.matchAll(expression));
  else expression.exec(text);
  return performance.now() - began;
}

const least = (times, measure) => Math.min(...Array.from({ length: times }, measure));

/** Lengths, close to each other at first, so that an exponential expression ends as well. */
const LENGTHS = [8, 12, 16, 20, 24, 28, 32];
for (let length = 64; length <= LONGEST; length *= 2) LENGTHS.push(length);

/** The growth of the time for a text of this shape; undefined where it stays short. */
function growthOf(expression, make) {
  for (const length of LENGTHS) {
    if (use(expression, make(length)) < LEAST) continue;
    const long = least(ATTEMPTS, () => use(expression, make(length)));
    if (long < LEAST) continue;
    const growth = long / least(ATTEMPTS, () => use(expression, make(length / 4)));
    if (growth > MOST_GROWTH) return growth;
  }
  return undefined;
}

/** A text for which the expression is too slow. */
function attackOn(expression) {
  const { beginnings, pieces, ends } = shapesOf(expression.source);
  for (const beginning of beginnings) {
    for (const piece of pieces) {
      for (const end of ends) {
        const make = (length) => beginning + piece.repeat(Math.ceil(length / piece.length)) + end;
        const growth = growthOf(expression, make);
        if (growth !== undefined) return { beginning, piece, end, growth };
      }
    }
  }
  return undefined;
}

test("the search finds slow expressions, and lets fast ones pass", () => {
  for (const slow of [
    /\/+$/,
    /^(https?:\/\/[^?#]*?)\/*$/,
    /^\/+|\/+$/g,
    /(a|a)*b/,
    /"(?:[^"\\]|\\.)*"/g,
    /\s+x/,
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
    return attack ? [`${name}: ${expression} ${JSON.stringify(attack)}`] : [];
  });
  assert.deepEqual(slow, []);
});
