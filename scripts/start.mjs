/**
 * `npm start`: from a clean clone to the viewer in a browser. It sets the machine up, builds the
 * package and the viewer, and serves both and the demo data on loopback. The package has the quick
 * profile: a fraction of the release build's time and nine tenths of its speed. `PORT` sets the
 * port; the default is 8080. `--dev` runs webpack's server instead, which rebuilds the viewer when
 * its source changes.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { command, ROOT, run, StepFailed, say } from "./run_command.mjs";
import { serve } from "./serve.mjs";

const DEMO = join(ROOT, "tests/fixtures/demo");
const WEBPACK = join(ROOT, "node_modules/webpack/bin/webpack.js");

async function serveViewer(port) {
  try {
    return await serve({ "/": join(ROOT, "dist-www"), "/demo/": DEMO }, { port });
  } catch (error) {
    if (error.code !== "EADDRINUSE") throw error;
    throw new StepFailed(`port ${port} is taken: try \`PORT=${port + 1} npm start\``);
  }
}

await command(async (args) => {
  const port = Number(process.env.PORT || 8080);
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new StepFailed(`PORT=${process.env.PORT} is no port`);
  await build({ quick: true });
  if (args.includes("--dev")) {
    await run(
      "webpack serve (ends with Ctrl-C)",
      process.execPath,
      [WEBPACK, "serve", "--port", String(port)],
      {
        env: { NODE_ENV: "development" },
        verbose: true,
      },
    );
    return;
  }
  await run("webpack: the viewer in www/", process.execPath, [WEBPACK]);
  const { url } = await serveViewer(port);
  say(`\n✓ The viewer is at ${url}/`);
  if (existsSync(DEMO)) say(`  The demo data is at ${url}/demo/`);
  say("  Ctrl-C ends it.");
});
