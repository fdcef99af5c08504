/**
 * `npm start`: builds and serves the viewer, also in a clean clone. It installs what is missing,
 * builds the package (quick profile) and the viewer with its samples, and serves them on loopback.
 * Finished builds are reused, so a second start takes seconds. `PORT` is the port (default: 8080).
 * `--dev` runs webpack's server, which rebuilds the viewer when its source changes.
 */
import { join } from "node:path";
import { buildUnlessFinished } from "./build.mjs";
import { command, ROOT, run, StepFailed, say } from "./run_command.mjs";
import { serve } from "./serve.mjs";
import { buildViewer } from "./www.mjs";

const WEBPACK = join(ROOT, "node_modules/webpack/bin/webpack.js");

async function serveViewer(port) {
  try {
    return await serve({ "/": join(ROOT, "dist-www") }, { data: ["/samples/"], port });
  } catch (error) {
    if (error.code !== "EADDRINUSE") throw error;
    throw new StepFailed(`port ${port} is taken: try \`PORT=${port + 1} npm start\``);
  }
}

await command(async (args) => {
  const port = Number(process.env.PORT || 8080);
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new StepFailed(`PORT=${process.env.PORT} is no port`);
  await buildUnlessFinished({ quick: true });
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
  await buildViewer();
  const { url } = await serveViewer(port);
  say(`\n✓ The viewer is at ${url}/`);
  say("  Ctrl-C ends it.");
});
