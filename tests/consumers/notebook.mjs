/**
 * The recipe for notebooks: its widget as one file, in a page that hosts it as anywidget does, with a
 * slider for what a notebook sets. Jupyter and marimo are not started.
 */
import { filesOf } from "../support/docs/snippets.mjs";
import { expectMonths } from "./months.mjs";
import { HEAD } from "./page.mjs";

const hostOf = (samples) => `${HEAD}<body><script type="module">
import widget from "./widget.js";
const state = {
  url: "${samples}/climate.zarr",
  path: "air_temperature",
  selection: { time: 0 },
  window: [230, 310],
};
const heard = new Set();
const model = {
  get: (name) => state[name],
  on: (_event, listener) => heard.add(listener),
  off: (_event, listener) => heard.delete(listener),
};
const slider = Object.assign(document.createElement("input"), { type: "range", max: 23, value: 0 });
const el = document.createElement("div");
document.body.append(slider, el);
widget.render({ model, el });
slider.addEventListener("input", () => {
  state.selection = { time: slider.valueAsNumber };
  for (const listener of heard) listener();
});
</script></body>`;

const BUNDLE = ["src/widget.js", "--bundle", "--minify", "--format=esm", "--loader:.wasm=binary"];

export const notebook = (esbuild) => ({
  name: "the recipe for notebooks",
  folder: "recipe-notebook",
  packages: { esbuild },
  files: ({ samples }) => ({
    ...filesOf("docs/recipes/notebooks.md", samples),
    "index.html": hostOf(samples),
  }),
  checks: {
    "a widget of one file": async (project) => {
      const write = "node_modules/zarr-wasm/dist/modules/package/entry/write_files.js";
      await project.quietly(process.execPath, [write, "wasm"]);
      const options = [...BUNDLE, "--outfile=widget.js", "--log-level=warning"];
      await project.quietly(project.bin("esbuild"), options);
      await project.at.servingFolder(project.folder, (url) => expectMonths(url));
    },
  },
});
