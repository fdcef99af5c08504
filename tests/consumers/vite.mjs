/**
 * Vite: a page in development, as built, with a worker of the user, and with the element
 * `<zarr-view>`. Vite cannot split the code of workers unless their format is `es`.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PAGE_FILES, pageFiles, pageUrl } from "./bundled_page.mjs";
import { expectPage, HEAD, IN_A_WORKER, IN_BLOBS } from "./page.mjs";

const CONFIGURATION = `export default {
  worker: { format: "es" },
  build: { rollupOptions: { input: ["index.html", "worker.html", "view.html"] }, chunkSizeWarningLimit: 5000 },
};
`;

/** What `zarr-wasm/view` takes from a project, in the versions that it is tested with. */
const { devDependencies } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
const PEERS = Object.fromEntries(
  ["d3-scale-chromatic", "lit-html", "ol", "proj4"].map((name) => [name, devDependencies[name]]),
);

/** A page with the element, which has drawn its picture before the page reads. */
const VIEW_FILES = {
  "view.html": `${HEAD}<script type="module" src="./src/main_view.js"></script>`,
  "src/main_view.js": `import "zarr-wasm/view";
import { read } from "./read.js";
const data = new URL(location.href).searchParams.get("data");
const view = document.createElement("zarr-view");
const picture = new Promise((resolve, reject) => {
  view.addEventListener("zarr-load", resolve, { once: true });
  view.addEventListener("zarr-error", ({ detail }) => reject(detail), { once: true });
});
view.setAttribute("src", data);
document.body.append(view);
window.told = picture.then(({ detail }) => {
  if (!view.shadowRoot.querySelector("canvas")) throw new Error(\`no canvas for \${JSON.stringify(detail)}\`);
  return read(data);
});
`,
};

const checkPages = async (server, { data }) => {
  await expectPage(pageUrl(server, "index.html", data), IN_BLOBS);
  await expectPage(pageUrl(server, "worker.html", data), IN_A_WORKER);
};

const checkElement = (server, { data }) => expectPage(pageUrl(server, "view.html", data), IN_BLOBS);

/** Serves a project in development to `check`. */
export const inDevelopment = (project, check) =>
  project.serving(
    project.bin("vite"),
    ["--host", "127.0.0.1", "--port", "0", "--force"],
    { ready: /Local: +(http:\S+)/ },
    (url) => check(url, project.at),
  );

/** Builds a project, and serves what was built to `check`. */
export async function asBuilt(project, check) {
  await project.quietly(project.bin("vite"), ["build", "--logLevel", "warn"]);
  await project.at.servingFolder(join(project.folder, "dist"), (url) => check(url, project.at));
}

export const vite = (version) => ({
  name: `Vite ${version}`,
  folder: `vite-${version}`,
  packages: { vite: version, ...PEERS },
  files: { ...PAGE_FILES, ...pageFiles(), ...VIEW_FILES, "vite.config.js": CONFIGURATION },
  checks: {
    "dev, and in a worker": (project) => inDevelopment(project, checkPages),
    "dev, the element": (project) => inDevelopment(project, checkElement),
    "build, in a worker, and the element": (project) =>
      asBuilt(project, async (url, at) => {
        await checkPages(url, at);
        await checkElement(url, at);
      }),
  },
});
