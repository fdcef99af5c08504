/**
 * The lane `dependencies`: what Cargo.lock and package-lock.json may name. Prints one line per
 * check. Advisories need a database or a registry that answers; where there is none, a comment says
 * so, and the lane goes on. It installs cargo-deny.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { noticesAreCurrent } from "../scripts/notices.mjs";
import { ROOT } from "../scripts/run_command.mjs";
import { installCargoDeny } from "../scripts/tools.mjs";

let failures = 0;

function report(name, error) {
  failures += error ? 1 : 0;
  console.log(`${error ? "not ok" : "ok"} ${name}`);
  if (error) console.log(error.trim().slice(-6000).replace(/^/gm, "  # "));
}

const run = (program, args) => spawnSync(program, args, { cwd: ROOT, encoding: "utf8" });

function checkCrates(deny) {
  for (const [word, what] of [
    ["licenses", "licences"],
    ["bans", "versions"],
    ["sources", "sources"],
  ]) {
    const { status, stderr } = run(deny, ["--locked", "check", word]);
    report(`cargo deny: ${what}`, status === 0 ? undefined : stderr);
  }
}

function checkAdvisories(deny) {
  const { status, stderr } = run(deny, ["--locked", "check", "advisories"]);
  const isUnreachable = stderr.includes("failed to fetch advisory database");
  if (isUnreachable) console.log("# cargo deny: advisories were not checked: no database can be reached");
  else report("cargo deny: advisories", status === 0 ? undefined : stderr);
}

/** npm asks the registry, which may not answer such questions. */
function checkNpm() {
  const { status, stdout, stderr } = run("npm", ["audit", "--json", "--audit-level", "high"]);
  const found = (() => {
    try {
      return JSON.parse(stdout).metadata?.vulnerabilities;
    } catch {
      return undefined;
    }
  })();
  if (!found)
    console.log(`# npm audit: not checked: ${stderr.split("\n").find((line) => line.includes("audit"))}`);
  else report("npm audit: nothing that is high or critical", status === 0 ? undefined : stdout);
}

/** The package brings everything, or asks for it as an optional peer. */
function checkPackage() {
  const {
    dependencies = {},
    peerDependencies,
    peerDependenciesMeta,
    files,
  } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const names = Object.keys(dependencies);
  report("the package installs no others", names.length > 0 ? names.join(" ") : undefined);
  const asked = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
  report("all its peers are optional", asked.length > 0 ? asked.join(" ") : undefined);
  const ships = files.includes("THIRD_PARTY_LICENSES") && noticesAreCurrent();
  const how = "THIRD_PARTY_LICENSES is old or not shipped: node scripts/notices.mjs --write";
  report("the package ships the licences of what is in it", ships ? undefined : how);
}

const deny = await installCargoDeny();
checkCrates(deny);
checkAdvisories(deny);
checkNpm();
checkPackage();
process.exitCode = failures > 0 ? 1 : 0;
