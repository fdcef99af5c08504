/**
 * `npm start`: builds and serves the viewer, also in a clean clone. It installs what is missing,
 * builds the package (quick profile) and the viewer with its samples, and serves them on loopback.
 * Encoders and codecs of images, which no first picture needs, are built while the page is there.
 * Finished builds are reused, so a second start takes seconds. `PORT` is the port (default: 8080).
 *
 * `npm run dev`: runs webpack's server, and builds again what has changed: Rust, TypeScript and the
 * viewer. It serves the examples from where they are, so a reload shows a change.
 */
import { watch } from "node:fs";
import { join } from "node:path";
import { build, buildUnlessFinished, isBuilt } from "./build.mjs";
import { buildEmbed } from "./embed.mjs";
import { watchModules } from "./examples.mjs";
import { begin, finished } from "./finished.mjs";
import { buildPackage } from "./package.mjs";
import { command, ROOT, run, StepFailed, say, seconds } from "./run_command.mjs";
import { serve } from "./serve.mjs";
import { setUp } from "./setup.mjs";
import { buildWasm, LIGHT, VARIANTS } from "./wasm.mjs";
import { buildViewer } from "./www.mjs";

const WEBPACK = join(ROOT, "node_modules/webpack/bin/webpack.js");

/** The viewer, and beside it the site of the documentation if `npm run site` has built it. */
const foldersToServe = () => ({
  "/": join(ROOT, "dist-www"),
  ...(finished("dist-site") && { "/site/": join(ROOT, "dist-site") }),
});

async function serveViewer(port) {
  try {
    return await serve(foldersToServe(), {
      data: ["/samples/", "/site/samples/", "/site/view/samples/"],
      port,
    });
  } catch (error) {
    if (error.code !== "EADDRINUSE") throw error;
    throw new StepFailed(`port ${port} is taken: try \`PORT=${port + 1} npm start\``);
  }
}

async function start(port) {
  const isThere = isBuilt({ quick: true });
  if (!isThere) await build({ quick: true, isFirst: true });
  await buildViewer();
  const { url } = await serveViewer(port);
  say(`\n✓ The viewer is at ${url}/`);
  if (finished("dist-site")) say(`  The documentation is at ${url}/site/`);
  say("  Ctrl-C ends it.");
  if (isThere) return;
  await build({ quick: true });
  await buildViewer();
  say("✓ Encoders and codecs of images are there too: reload the page");
}

/** Builds the package over the one that is served. Without Rust, cargo is not asked. */
async function buildAnew(isRust) {
  const started = performance.now();
  if (isRust) {
    const { clang } = await setUp({ rust: true });
    for (const variant of [...VARIANTS, LIGHT]) await buildWasm(variant, { quick: true, clang });
  }
  await buildPackage({ quick: true, isAnew: true });
  say(`✓ the package is built anew in ${seconds(started)}`);
}

/** Calls `buildAnew` after each change of `src/`, once for all that change meanwhile. */
function watchSources() {
  const changed = new Set();
  let isBuilding = false;
  const build = async () => {
    if (isBuilding) return;
    isBuilding = true;
    while (changed.size > 0) {
      const isRust = [...changed].some((name) => !name.endsWith(".ts"));
      changed.clear();
      begin("dist"); // declarations are not made again
      await buildAnew(isRust).catch((error) => say(`✗ ${error.message}`));
    }
    isBuilding = false;
  };
  watch(join(ROOT, "src"), { recursive: true }, (_, name) => {
    if (!/\.(rs|ts|js|toml)$/.test(name ?? "")) return;
    changed.add(name);
    setTimeout(build, 100); // an editor writes several files at once
  });
}

async function develop(port) {
  await buildUnlessFinished({ quick: true });
  watchSources();
  await watchModules(join(ROOT, "target/examples"));
  await buildEmbed(join(ROOT, "target/embed"));
  await run(
    "webpack serve (ends with Ctrl-C)",
    process.execPath,
    [WEBPACK, "serve", "--port", String(port)],
    { env: { NODE_ENV: "development" }, verbose: true },
  );
}

await command(async (args) => {
  const port = Number(process.env.PORT || 8080);
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new StepFailed(`PORT=${process.env.PORT} is no port`);
  await (args.includes("--dev") ? develop(port) : start(port));
});
