/** webpack: a page, and a page with a worker of the user. No loader and no plugin. */
import { join } from "node:path";
import { PAGE_FILES, pageUrl } from "./bundled_page.mjs";
import { expectPage, HEAD, IN_A_WORKER, IN_BLOBS } from "./page.mjs";

const CONFIGURATION = `import { join } from "node:path";
export default {
  mode: "production",
  entry: { main: "./src/main.js", main_worker: "./src/main_worker.js" },
  output: { path: join(import.meta.dirname, "dist"), filename: "[name].js" },
  performance: { hints: false },
};
`;

export const webpack = (version, cli) => ({
  name: `webpack ${version}`,
  folder: `webpack-${version}`,
  packages: { webpack: version, "webpack-cli": cli },
  files: {
    ...PAGE_FILES,
    "webpack.config.js": CONFIGURATION,
    "dist/index.html": `${HEAD}<script src="main.js"></script>`,
    "dist/worker.html": `${HEAD}<script src="main_worker.js"></script>`,
  },
  checks: {
    "build, and in a worker": async (project) => {
      await project.quietly(project.bin("webpack"), []);
      await project.at.servingFolder(join(project.folder, "dist"), async (url) => {
        await expectPage(pageUrl(url, "index.html", project.at.data), IN_BLOBS);
        await expectPage(pageUrl(url, "worker.html", project.at.data), IN_A_WORKER);
      });
    },
  },
});
