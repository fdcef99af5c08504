/**
 * `npm run site`: builds the site of the documentation to dist-site/, a folder for any static host
 * and any place on it. It has the pages of `docs/`, the reference that is made from the
 * declarations, programs of the blocks, the viewer (`view/`), the examples (`examples/`), the samples
 * (`samples/`), the documentation of the crates (`rust/`), and texts for machines. The package and
 * the viewer are built first, unless they are finished. `--quick` also accepts a quick build.
 */
import { cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { extname, join } from "node:path";
import { buildUnlessFinished } from "../scripts/build.mjs";
import { begin, finish, finished, keyOf } from "../scripts/finished.mjs";
import { command, ROOT, StepFailed, say, seconds } from "../scripts/run_command.mjs";
import { documentCrates } from "../scripts/rust_docs.mjs";
import { buildViewer } from "../scripts/www.mjs";
import { writeSamples } from "../tests/support/docs/samples.mjs";
import { writeConceptSamples } from "./concept_samples.mjs";
import { checkLinks } from "./link_check.mjs";
import { writeMachineTexts } from "./machine_texts.mjs";
import { installSitePackages } from "./packages.mjs";
import { writeVersions } from "./versions.mjs";

const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const OUTPUT = join(ROOT, "dist-site");
const PAGES = join(ROOT, "target/site/pages");
const SOURCES = [
  ...["CHANGELOG.md", "README.md", "docs", "package.json", "src", "tests/support/docs", "www"],
  ...["scripts/rust_docs.mjs", "scripts/www.mjs"],
  ...readdirSync(import.meta.dirname)
    .filter((name) => name !== "node_modules")
    .map((name) => `site/${name}`),
];

/** Copies the viewer and the element. The viewer keeps samples of its own, beside its page. */
function copyViewer() {
  const viewer = join(ROOT, "dist-www");
  const examples = join(viewer, "examples");
  const isCompressedForm = (path) => [".gz", ".br"].includes(extname(path));
  const filter = (source) => !source.startsWith(examples) && !isCompressedForm(source);
  cpSync(viewer, join(OUTPUT, "view"), { recursive: true, filter });
  // Where the examples and other people's pages find it.
  cpSync(join(viewer, "zarr-view.js"), join(OUTPUT, "zarr-view.js"));
}

/** Copies what `cargo doc` made of the published crates, and nothing that was there before. */
async function copyRustDocs() {
  rmSync(join(ROOT, "target/doc"), { recursive: true, force: true });
  await documentCrates();
  cpSync(join(ROOT, "target/doc"), join(OUTPUT, "rust"), { recursive: true });
}

const siteKey = () => keyOf(SOURCES, finished("dist"));

/** Whether dist-site/ is made of the sources as they are, and of the package that is there. */
export const isSiteBuilt = () => finished("dist-site")?.key === siteKey();

/** Builds dist-site/. The package must be there. */
export async function buildSite() {
  const started = performance.now();
  begin("dist-site");
  await installSitePackages();
  await buildViewer();
  // Loaded late: a new clone has their packages only now.
  const { docsPages, gatherPages } = await import("./pages.mjs");
  const { buildPrograms } = await import("./programs.mjs");
  say("· TypeDoc: the reference of every public name");
  const reference = await gatherPages(PAGES);
  say("· VitePress: the pages");
  const { buildPages } = await import("./vitepress.mjs");
  await buildPages();
  say("· esbuild: what blocks run with");
  await buildPrograms(
    docsPages().map((page) => `docs/${page}`),
    join(OUTPUT, "run"),
  );
  copyViewer();
  const { publishExamples } = await import("./examples.mjs");
  await publishExamples(join(ROOT, "dist-www/examples"), join(OUTPUT, "examples"));
  writeSamples(join(OUTPUT, "samples"));
  await writeConceptSamples(join(OUTPUT, "samples"));
  writeMachineTexts(PAGES, OUTPUT, reference);
  await copyRustDocs();
  writeVersions(OUTPUT, version, [version]);
  await checkLinks(OUTPUT);
  finish("dist-site", { key: siteKey() });
  say(`\n✓ dist-site/ is built in ${seconds(started)}: put it on any static host, under any path`);
}

if (import.meta.filename === process.argv[1]) {
  await command(async (args) => {
    const unknown = args.find((argument) => argument !== "--quick");
    if (unknown) throw new StepFailed(`unknown option ${unknown}: there is --quick`);
    await buildUnlessFinished({ quick: args.includes("--quick") });
    await buildSite();
  });
}
