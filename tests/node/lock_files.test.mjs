/**
 * No command changes a lock file of cargo: each call says `--locked`, and a lock file that does not
 * fit is an error that tells what to run.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT, run, StepFailed } from "../../scripts/run_command.mjs";

const FOLDERS = [
  "scripts",
  "tests",
  "tests/conformance",
  "tests/servers",
  "tests/consumers",
  "fuzz",
  "benches",
];
const programs = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(".mjs"))
    .map((name) => join(folder, name)),
);

/** Lists of words that begin with a command of cargo that reads a lock file. */
const CALLS = /\[\s*(?:"cargo",\s*)?(?:\.\.\.\[)?"(?:build|test|run|clippy|doc|check|metadata|tree)",[^\]]*/g;

test("every call of cargo leaves the lock file as it is", () => {
  let calls = 0;
  for (const name of programs) {
    const text = readFileSync(join(ROOT, name), "utf8");
    if (!text.includes(`"cargo"`)) continue;
    for (const [call] of text.matchAll(CALLS)) {
      calls += 1;
      assert.match(call, /"--locked"|\.\.\.OURS/, `${name}: ${call}`);
    }
  }
  assert.ok(calls > 10, `${calls} calls were found`);
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  for (const [name, script] of Object.entries(scripts))
    assert.ok(!/cargo (build|test|run)(?! --locked)/.test(script), `npm run ${name}: ${script}`);
});

test("a lock file that does not fit is an error that tells what to run", async () => {
  const folder = mkdtempSync(join(tmpdir(), "zarr-lock-"));
  const crate = (name, more = "") => {
    mkdirSync(join(folder, name, "src"), { recursive: true });
    writeFileSync(join(folder, name, "src/lib.rs"), "");
    const text = `[package]\nname = "${name}"\nversion = "0.1.0"\nedition = "2021"\n[workspace]\n${more}`;
    writeFileSync(join(folder, name, "Cargo.toml"), text);
  };
  crate("other");
  crate("own");
  const manifest = join(folder, "own/Cargo.toml");
  const cargo = (...words) => run("cargo", "cargo", [...words, "--offline", "--manifest-path", manifest]);
  await cargo("generate-lockfile");
  crate("own", '[dependencies]\nother = { path = "../other" }\n');
  const lock = join(folder, "own/Cargo.lock");
  const before = readFileSync(lock, "utf8");
  await assert.rejects(cargo("check", "--locked"), (error) => {
    assert.ok(error instanceof StepFailed);
    assert.match(error.message, new RegExp(`cargo update --workspace --manifest-path ${manifest}`));
    return true;
  });
  assert.equal(readFileSync(lock, "utf8"), before);
  await cargo("update", "--workspace");
  await cargo("metadata", "--locked", "--format-version", "1");
});
