/** esbuild: code in chunks, and one file for a script tag. */
import { join } from "node:path";
import { PAGE_FILES, pageUrl } from "./bundled_page.mjs";
import { expectPage, HEAD, IN_BLOBS } from "./page.mjs";

const bundle = (project, ...options) =>
  project.quietly(project.bin("esbuild"), [
    "src/main.js",
    "--bundle",
    "--minify",
    "--log-level=warning",
    ...options,
  ]);

export const esbuild = (version) => ({
  name: `esbuild ${version}`,
  folder: `esbuild-${version}`,
  packages: { esbuild: version },
  files: {
    ...PAGE_FILES,
    "dist/index.html": `${HEAD}<script type="module" src="main.js"></script>`,
    "dist/one_file.html": `${HEAD}<script src="one_file.js"></script>`,
  },
  checks: {
    "chunks, and one file": async (project) => {
      await bundle(project, "--format=esm", "--splitting", "--outdir=dist");
      await bundle(project, "--format=iife", "--outfile=dist/one_file.js");
      await project.at.servingFolder(join(project.folder, "dist"), async (url) => {
        await expectPage(pageUrl(url, "index.html", project.at.data), IN_BLOBS);
        await expectPage(pageUrl(url, "one_file.html", project.at.data), IN_BLOBS);
      });
    },
  },
});
