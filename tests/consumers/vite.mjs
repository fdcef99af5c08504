/**
 * Vite: a page in development, as built, and with a worker of the user. Vite cannot split the
 * code of workers unless their format is `es`.
 */
import { join } from "node:path";
import { PAGE_FILES, pageFiles, pageUrl } from "./bundled_page.mjs";
import { expectPage, IN_A_WORKER, IN_BLOBS } from "./page.mjs";

const CONFIGURATION = `export default {
  worker: { format: "es" },
  build: { rollupOptions: { input: ["index.html", "worker.html"] }, chunkSizeWarningLimit: 5000 },
};
`;

const checkPages = async (server, { data }) => {
  await expectPage(pageUrl(server, "index.html", data), IN_BLOBS);
  await expectPage(pageUrl(server, "worker.html", data), IN_A_WORKER);
};

export const vite = (version) => ({
  name: `Vite ${version}`,
  folder: `vite-${version}`,
  packages: { vite: version },
  files: { ...PAGE_FILES, ...pageFiles(), "vite.config.js": CONFIGURATION },
  checks: {
    "dev, and in a worker": (project) =>
      project.serving(
        project.bin("vite"),
        ["--host", "127.0.0.1", "--port", "0", "--force"],
        { ready: /Local: +(http:\S+)/ },
        (url) => checkPages(url, project.at),
      ),
    "build, and in a worker": async (project) => {
      await project.quietly(project.bin("vite"), ["build", "--logLevel", "warn"]);
      await project.at.servingFolder(join(project.folder, "dist"), (url) => checkPages(url, project.at));
    },
  },
});
