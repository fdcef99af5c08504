/**
 * Makes docs/readers.md again: which reader reads what, decided by runs on the stores of
 * `tests/fixtures`, and the benchmark's figures as plots. The results are beside the page, in
 * docs/readers.json.
 *
 *   npm run readers                    everything; it installs and compiles the readers first
 *   npm run readers -- zarrita gdal    these readers alone; the others' results stay
 *   npm run readers -- --page          the page alone, of the results that are there
 *   npm run readers -- --plots         the plots alone
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "../../scripts/run_command.mjs";
import { serve } from "../../scripts/serve.mjs";
import { FIXTURES } from "../node/fixture_files.mjs";
import { fixtureArrays } from "./arrays.mjs";
import { firstDifference, isOther, outcomeOf } from "./compare.mjs";
import { containerArrays, layOut, VIRTUAL_PORT } from "./containers.mjs";
import { conventionArrays, layOutConventions } from "./conventions.mjs";
import { drive } from "./drivers.mjs";
import { FOLDER, makeEnvironments, versionsOf } from "./environments.mjs";
import { pageOf } from "./page.mjs";
import { drawPlots, measuredOn, plotsOf } from "./plots.mjs";
import { commandOf, containerReader, READERS } from "./readers.mjs";
import { packResults, textOf, unpackResults } from "./results.mjs";
import { serveVirtual } from "./virtual_files.mjs";

const [RESULTS, PAGE] = [join(ROOT, "docs/readers.json"), join(ROOT, "docs/readers.md")];
const STORES = join(FOLDER, "stores");

const readResults = () => JSON.parse(readFileSync(RESULTS, "utf8"));

/** A reader that has no store or no concept of a kind is not asked. */
const isUnknown = ({ error = "" }) => /has no store for|no such concept/.test(error);

/** Runs a reader on arrays. Returns outcomes by id, and what was wrong. */
async function ask(reader, environments, arrays) {
  const environment = { READERS_MODULES: environments.modules, PYTHONDONTWRITEBYTECODE: "1" };
  const command = commandOf(reader, environments);
  const lines = await drive(
    { command, environment },
    arrays.map(({ request }) => request),
  );
  return lines.map((line, at) => {
    const { request, features, expected } = arrays[at];
    if (isUnknown(line)) return { id: request.id, outcome: "none" };
    const outcome = outcomeOf(line, expected);
    const why = outcome === "wrong" ? JSON.stringify(firstDifference(line, expected)) : line.error;
    const told = outcome === "wrong" && isOther(features, reader.models) ? "other" : outcome;
    return { id: request.id, outcome: told, why };
  });
}

/** The lists of arrays that a reader is asked for. */
async function resultsOf(reader, environments, { fixtures, containers, conventions }) {
  const found = reader.isStore ? [] : await ask(reader, environments, fixtures);
  if (reader.containers) found.push(...(await ask(containerReader(reader), environments, containers)));
  if (reader.conventions) found.push(...(await ask(reader, environments, conventions)));
  return found;
}

/** Serves the fixtures and what is laid out of them, while a function runs. */
async function served(work) {
  const server = await serve({ "/": STORES, "/fixtures/": FIXTURES }, { data: ["/"] });
  const virtual = await serveVirtual(VIRTUAL_PORT);
  try {
    layOut(STORES, server.url);
    layOutConventions(join(STORES, "conventions"));
    const fixtures = fixtureArrays();
    for (const { request } of fixtures)
      request.url = encodeURI(`${server.url}/fixtures${request.store.slice(FIXTURES.length)}`);
    const containers = containerArrays(server.url, STORES);
    const conventions = conventionArrays(`${server.url}/conventions`, join(STORES, "conventions"));
    return await work({ fixtures, containers, conventions });
  } finally {
    await virtual.close();
    await server.close();
  }
}

function countsOf(outcomes) {
  const of = (wanted) => outcomes.filter(({ outcome }) => outcome === wanted).length;
  return `${of("reads")} read, ${of("wrong")} wrong, ${of("refuses")} refused`;
}

async function runReaders(names) {
  const environments = await makeEnvironments();
  const before = existsSync(RESULTS) ? readResults() : undefined;
  const known = before && unpackResults(before).outcomes;
  await served(async (lists) => {
    const date = new Date().toISOString().slice(0, 10);
    const results = { date, versions: versionsOf(environments), outcomes: {}, before };
    for (const reader of READERS) {
      if (names.length > 0 && !names.includes(reader.id)) {
        results.outcomes[reader.id] = known?.[reader.id] ?? [];
        continue;
      }
      results.outcomes[reader.id] = await resultsOf(reader, environments, lists);
      console.log(`${reader.id}: ${countsOf(results.outcomes[reader.id])}`);
    }
    const arrays = Object.values(lists).flat();
    writeFileSync(RESULTS, textOf(packResults(results, arrays)));
  });
}

/** Draws the plots, and notes what the page says of them and of sizes. */
function takeFigures() {
  const text = readFileSync(join(ROOT, "benches/RESULTS.md"), "utf8");
  const plots = plotsOf(text);
  drawPlots(ROOT, plots);
  const told = plots.map(({ svg, ...plot }) => plot);
  const sizes = /<!-- comparison:[^\n]*\n(.*?)\n<!-- \/comparison/s.exec(
    readFileSync(join(ROOT, "docs/sizes.md"), "utf8"),
  )[1];
  writeFileSync(RESULTS, textOf({ ...readResults(), measured: measuredOn(text), plots: told, sizes }));
}

const { values, positionals } = parseArgs({
  options: { page: { type: "boolean" }, plots: { type: "boolean" } },
  allowPositionals: true,
});
if (!values.page && !values.plots) await runReaders(positionals);
if (!values.page) takeFigures();
writeFileSync(PAGE, pageOf(readResults()));
