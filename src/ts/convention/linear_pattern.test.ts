/** Patterns match what the language's own engine matches, in linear time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { LinearPattern } from "./linear_pattern.ts";

const PATTERNS = [
  ...[
    "",
    "a",
    "^a$",
    "a|b",
    "^(a|b)*$",
    "^(?:ab?)+$",
    "^a{2}$",
    "^a{2,}$",
    "^a{1,3}b{0,2}$",
    "(a*)*",
    "^(a*)+b$",
  ],
  ...[
    "^EPSG:\\d+$",
    "[a-c]+[^a-c]",
    "^[\\w.-]+@[\\w-]+\\.\\w{2,3}$",
    "^\\u0061.\\x62$",
    "\\p{Lu}\\p{Ll}",
    "^$|^x",
  ],
  ...[
    "^(?<year>\\d{4})-(\\d{2})$",
    "[\\]\\\\]",
    "^.+?$",
    "\\^\\$\\/",
    "a{0}b",
    "^(|a)b",
    "$a",
    "a^",
    "^[^]$",
    "é+",
  ],
  "^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(-[\\da-z-]+(\\.[\\da-z-]+)*)?$",
];
const TEXTS = [
  ...[
    "",
    "a",
    "b",
    "ab",
    "ba",
    "aa",
    "aab",
    "aaabb",
    "abab",
    "abc",
    "abd",
    "x",
    "xa",
    "\n",
    "a\nb",
    "Éa",
    "éé",
    "Ab",
  ],
  ...[
    "EPSG:4326",
    "EPSG:",
    "a.b@c-d.org",
    "a@b",
    "2020-01",
    "2020-1",
    "]",
    "\\",
    "^$/",
    "1.0",
    "01.0",
    "1.2-a.b-c",
    "😀",
  ],
];

test("the same answers as the language", () => {
  for (const pattern of PATTERNS) {
    const compiled = new LinearPattern(pattern);
    for (const text of TEXTS)
      assert.equal(
        compiled.test(text),
        new RegExp(pattern, "u").test(text),
        `${pattern} on ${JSON.stringify(text)}`,
      );
  }
});

test("what has no linear form, and what is no pattern", () => {
  for (const pattern of [
    "(?=a)",
    "(?!a)",
    "(?<=a)b",
    "(?<!a)b",
    "(a)\\1",
    "(?<n>a)\\k<n>",
    "\\ba",
    "\\B",
    "(",
    "a{2,1}",
  ])
    assert.throws(() => new LinearPattern(pattern), pattern);
  assert.throws(() => new LinearPattern("(a{1000}){1000}"), /too long/);
});

test("linear time", () => {
  const began = performance.now();
  const text = `${"a".repeat(20_000)}!`;
  for (const pattern of ["^(a+)+$", "^(a|a)*$", "^(a*)*$", "(a|aa)+$"])
    assert.equal(new LinearPattern(pattern).test(text), false);
  assert.ok(performance.now() - began < 5000);
});
