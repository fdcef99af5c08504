/**
 * The lane `site`: builds the site from the package as it is, unless it is finished, and tests it in
 * Chromium. The build itself checks links, descriptions, and that blocks parse.
 *
 *   node tests/site/run.mjs [options of Playwright]
 */
import { join } from "node:path";
import { command, ROOT, run } from "../../scripts/run_command.mjs";
import { buildSite, isSiteBuilt } from "../../site/build.mjs";

const VUE_TSC = join(ROOT, "site/node_modules/vue-tsc/bin/vue-tsc.js");
const PLAYWRIGHT = join(ROOT, "node_modules/@playwright/test/cli.js");

await command(async (args) => {
  if (!isSiteBuilt()) await buildSite();
  await run("vue-tsc: types of the theme and the frames", process.execPath, [VUE_TSC, "--project", "site"]);
  const options = ["test", "--config", "tests/site", ...args];
  await run("Playwright: the site in Chromium", process.execPath, [PLAYWRIGHT, ...options], {
    verbose: true,
  });
});
