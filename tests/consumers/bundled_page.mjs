/**
 * The files of a page for bundlers: one program on the page, and one in a worker of the user. The
 * worker imports the entry `./inline`, because some bundlers cannot split a worker's code.
 */
import { HEAD } from "./page.mjs";
import { readModule } from "./reading.mjs";

const DATA = `new URL(location.href).searchParams.get("data")`;

export const PAGE_FILES = {
  "src/read.js": readModule(),
  "src/read_inline.js": readModule("zarr-wasm/inline"),
  "src/main.js": `import { read } from "./read.js";\nwindow.told = read(${DATA});\n`,
  "src/worker.js": `import { read } from "./read_inline.js";
self.onmessage = ({ data }) => read(data).then((told) => self.postMessage({ told }), (error) => self.postMessage({ told: String(error.stack) }));
`,
  "src/main_worker.js": `const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
window.told = new Promise((resolve) => {
  worker.onmessage = ({ data }) => resolve(data.told);
  worker.onerror = (event) => resolve(event.message);
});
worker.postMessage(${DATA});
`,
};

/** Pages with the program as a module beside them. */
export const pageFiles = (folder = "src/") => ({
  "index.html": `${HEAD}<script type="module" src="./${folder}main.js"></script>`,
  "worker.html": `${HEAD}<script type="module" src="./${folder}main_worker.js"></script>`,
});

/** Returns a page's URL, with the URL of the data. */
export const pageUrl = (server, page, data) => `${new URL(page, server)}?data=${encodeURIComponent(data)}`;
