/**
 * The order of the pages beside the text. The titles are those of the pages. Pages that are in no
 * list here fail the build (`pages.mjs`), so that every page can be found.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../scripts/run_command.mjs";

const PAGES = join(ROOT, "target/site/pages");

/** Groups of pages, by their paths below `docs/`. */
export const GROUPS = [
  [
    "Tutorial",
    [
      "tutorial/index",
      "tutorial/1-open",
      "tutorial/2-slice",
      "tutorial/3-map-with-a-slider",
      "tutorial/4-click-to-series",
      "tutorial/5-pyramid",
    ],
  ],
  [
    "Guide",
    ["guide", "values", "conventions", "maps", "reductions", "stores", "writing", "codecs", "adapters"],
  ],
  ["Concepts", ["concepts/chunks-and-shards", "concepts/one-request"]],
  [
    "Recipes",
    [
      "recipes/index",
      "recipes/react",
      "recipes/vue",
      "recipes/svelte",
      "recipes/next",
      "recipes/own-worker",
      "recipes/service-worker-tiles",
      "recipes/node-scripts",
      "recipes/notebooks",
      "recipes/login",
      "recipes/cancel-and-progress",
      "recipes/caches",
      "recipes/gpu",
      "recipes/live-data",
      "recipes/errors",
      "recipes/tests",
      "recipes/isolation",
      "recipes/cors-and-cdn",
    ],
  ],
  [
    "Instead of",
    [
      "instead-of/index",
      "instead-of/zarrita",
      "instead-of/zarr-js",
      "instead-of/icechunk-js",
      "instead-of/h5wasm",
      "instead-of/titiler-xpublish",
      "instead-of/xarray-pyodide",
    ],
  ],
  ["Show", ["gallery", "examples", "viewer"]],
  ["Facts", ["readers", "sizes", "works_with", "reliability", "threat_model", "api", "changelog"]],
];

/** The first heading of a page, without its code marks. */
export function titleOf(text) {
  const [, title = ""] = /^# (.+)$/m.exec(text.replace(/^---\n[\s\S]*?\n---\n/, "")) ?? [];
  return title.replaceAll("`", "");
}

const item = (page) => {
  const text = readFileSync(join(PAGES, `${page}.md`), "utf8");
  const short = /^sidebar: (.+)$/m.exec(text)?.[1];
  return { text: short ?? titleOf(text), link: `/${page.replace(/(^|\/)index$/, "$1")}` };
};

const isThere = (page) => existsSync(join(PAGES, `${page}.md`));

function referenceSidebar() {
  const file = join(PAGES, "reference/sidebar.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
}

/** The sidebar of VitePress. The pages must be gathered. */
export function sidebar() {
  const groups = GROUPS.map(([text, pages]) => ({
    text,
    items: pages.filter(isThere).map(item),
  })).filter(({ items }) => items.length > 0);
  return { "/reference/": referenceSidebar(), "/": groups };
}
