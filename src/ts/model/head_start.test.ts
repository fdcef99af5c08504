/** The page and the engine give v3's document the same head start. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { HEAD_START_MS } from "./head_start.ts";

// The unit lane runs in the project's folder.
test("v3's document has the same head start in TypeScript and in Rust", () => {
  const rust = readFileSync("src/hierarchy/open.rs", "utf8");
  const [, milliseconds] = /const HEAD_START_MS: u32 = (\d+);/.exec(rust) ?? [];
  assert.equal(Number(milliseconds), HEAD_START_MS);
});
