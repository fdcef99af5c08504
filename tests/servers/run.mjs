/**
 * The lane `servers`: real servers of other projects, and one suite of reads over each, in Node,
 * and in Chromium for those that browsers treat differently. Prints one line per check, then a
 * table. A server that cannot be had is a failure that says why.
 *
 *   node tests/servers/run.mjs               all
 *   node tests/servers/run.mjs "nginx|S3"    servers with a matching name
 *   node tests/servers/run.mjs --write       writes the table into docs/works_with.md, too
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, say } from "../../scripts/run_command.mjs";
import { expectations } from "./data.mjs";
import { startServer } from "./host.mjs";
import { closeBrowser, runInBrowser } from "./in_browser.mjs";
import { runInNode } from "./in_node.mjs";
import { installServers } from "./tools.mjs";

const HOSTS = ["nginx", "apache", "caddy", "python", "sirv", "serve", "http_server", "s3"];
const PAGE = join(ROOT, "docs/works_with.md");

/** All servers that the files of `hosts/` describe. */
async function describeHosts(tools) {
  const files = await Promise.all(HOSTS.map((name) => import(`./hosts/${name}.mjs`)));
  return files.flatMap(({ hosts }) => hosts(tools));
}

function versionOf([program, args]) {
  const { stdout = "", stderr = "" } = spawnSync(program, args, { encoding: "utf8" });
  return /\d+\.\d+(\.\d+)?/.exec(`${stdout}${stderr}`)?.[0] ?? "";
}

/** Runs the suite in one place, with a server and data of its own. */
async function runPlace(host, place, { expected, results }) {
  const run = place === "Node" ? runInNode : runInBrowser;
  const name = place === "Node" ? host.name : `${host.name}, in ${place}`;
  const report = (check, error) => {
    results.push({ host, place, check, error });
    say(`${error ? "not ok" : "ok"} ${name}: ${check}`);
    if (error) say(error.slice(0, 2000).replace(/^/gm, "  # "));
  };
  if (host.missing) return report("it can be had", host.missing);
  let server;
  try {
    server = await startServer(host);
    await run({ ...server, host, expected }, report);
  } catch (error) {
    report("the suite runs", String(error.stack ?? error));
  } finally {
    await server?.close();
  }
}

const countOf = (results, host, place) => {
  const own = results.filter((result) => result.host === host && result.place === place);
  const passed = own.filter(({ error }) => !error).length;
  return own.length === 0 ? "" : `${passed} of ${own.length}`;
};

const yes = (is) => (is ? "yes" : "no");

function tableOf(hosts, results) {
  const row = (host) => {
    const { name, version, ranges, lists, note = "" } = host;
    const counts = [countOf(results, host, "Node"), countOf(results, host, "Chromium")];
    return `| ${[`${name} ${versionOf(version)}`.trim(), yes(ranges !== false), yes(lists), ...counts, note].join(" | ")} |`;
  };
  return [
    "| server | ranges | lists | Node | Chromium | |",
    "|---|---|---|---|---|---|",
    ...hosts.map(row),
  ].join("\n");
}

function writeTable(text) {
  const place = /(<!-- servers: [^\n]*-->\n)[\s\S]*?(<!-- \/servers -->)/;
  const page = readFileSync(PAGE, "utf8");
  if (!place.test(page)) throw new Error(`${PAGE} has no place for the table`);
  writeFileSync(
    PAGE,
    page.replace(place, (_all, begin, end) => `${begin}${text}\n${end}`),
  );
}

/**
 * Node reads certificates that it shall trust when it starts: this program starts itself again.
 */
function againWithCertificate({ tls }) {
  const { status } = spawnSync(process.execPath, process.argv.slice(1), {
    stdio: "inherit",
    env: { ...process.env, NODE_EXTRA_CA_CERTS: tls.certificate },
  });
  process.exit(status ?? 1);
}

const tools = await installServers();
if (tools.tls && process.env.NODE_EXTRA_CA_CERTS !== tools.tls.certificate) againWithCertificate(tools);
const words = process.argv.slice(2).filter((word) => word !== "--write");
const pattern = new RegExp(words[0] ?? "");
const hosts = (await describeHosts(tools)).filter(({ name }) => pattern.test(name));
const results = [];
for (const host of hosts) {
  const context = { expected: expectations(), results };
  await runPlace(host, "Node", context);
  if (host.inBrowser) await runPlace(host, "Chromium", context);
}
await closeBrowser();
const table = tableOf(hosts, results);
say(`\n${table}`);
const isRight = results.length > 0 && results.every(({ error }) => !error);
if (isRight && process.argv.includes("--write")) writeTable(table);
process.exitCode = isRight ? 0 : 1;
