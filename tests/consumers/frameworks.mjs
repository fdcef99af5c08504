/**
 * The recipes for React, Vue and Svelte: the code of their pages, built by Vite and in development,
 * where React's StrictMode runs effects twice.
 */
import { basename } from "node:path";
import { filesOf } from "../support/docs/snippets.mjs";
import { expectMonths } from "./months.mjs";
import { HEAD } from "./page.mjs";
import { asBuilt, inDevelopment } from "./vite.mjs";

const pageWith = (program) =>
  `${HEAD}<div id="root"></div><div id="app"></div><script type="module" src="./src/${program}"></script>`;

const configuration = (plugin) => `import * as plugin from "${plugin}";
const make = plugin.default ?? plugin.svelte;
export default { plugins: [make()], build: { chunkSizeWarningLimit: 5000 } };
`;

/** A framework with the plugin of Vite that compiles it. `packages` has the versions of all. */
const framework = ({ name, page, plugin, program, packages }) => ({
  name: `the recipe for ${name}`,
  folder: `recipe-${basename(page, ".md")}`,
  packages,
  files: ({ samples }) => ({
    ...filesOf(page, samples),
    "index.html": pageWith(program),
    "vite.config.js": configuration(plugin),
  }),
  checks: {
    dev: (project) => inDevelopment(project, (url) => expectMonths(url)),
    build: (project) => asBuilt(project, (url) => expectMonths(url)),
  },
});

export const react = (version, vite, plugin) =>
  framework({
    name: `React ${version}`,
    page: "docs/recipes/react.md",
    plugin: "@vitejs/plugin-react",
    program: "main.jsx",
    packages: { react: version, "react-dom": version, vite, "@vitejs/plugin-react": plugin },
  });

export const vue = (version, vite, plugin) =>
  framework({
    name: `Vue ${version}`,
    page: "docs/recipes/vue.md",
    plugin: "@vitejs/plugin-vue",
    program: "main.js",
    packages: { vue: version, vite, "@vitejs/plugin-vue": plugin },
  });

export const svelte = (version, vite, plugin) =>
  framework({
    name: `Svelte ${version}`,
    page: "docs/recipes/svelte.md",
    plugin: "@sveltejs/vite-plugin-svelte",
    program: "main.js",
    packages: { svelte: version, vite, "@sveltejs/vite-plugin-svelte": plugin },
  });
