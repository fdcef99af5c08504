/** Rollup with its plugin that finds packages: code in chunks, and one file for a script tag. */
import { join } from "node:path";
import { PAGE_FILES, pageUrl } from "./bundled_page.mjs";
import { expectPage, HEAD, IN_BLOBS } from "./page.mjs";

const CONFIGURATION = `import resolve from "@rollup/plugin-node-resolve";
export default [
  { input: "src/main.js", output: { dir: "dist", format: "es" }, plugins: [resolve()] },
  {
    input: "src/main.js",
    output: { file: "dist/one_file.js", format: "iife", inlineDynamicImports: true },
    plugins: [resolve()],
  },
];
`;

export const rollup = (version, resolver) => ({
  name: `Rollup ${version}`,
  folder: `rollup-${version}`,
  packages: { rollup: version, "@rollup/plugin-node-resolve": resolver },
  files: {
    ...PAGE_FILES,
    "rollup.config.js": CONFIGURATION,
    "dist/index.html": `${HEAD}<script type="module" src="main.js"></script>`,
    "dist/one_file.html": `${HEAD}<script src="one_file.js"></script>`,
  },
  checks: {
    "chunks, and one file": async (project) => {
      await project.quietly(project.bin("rollup"), ["--config"]);
      await project.at.servingFolder(join(project.folder, "dist"), async (url) => {
        await expectPage(pageUrl(url, "index.html", project.at.data), IN_BLOBS);
        await expectPage(pageUrl(url, "one_file.html", project.at.data), IN_BLOBS);
      });
    },
  },
});
