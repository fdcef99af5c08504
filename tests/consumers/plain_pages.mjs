/**
 * Pages without a bundler: modules and scripts from another origin, and pages with a content
 * security policy.
 */
import { join } from "node:path";
import { pageUrl } from "./bundled_page.mjs";
import { expectPage, HEAD, IN_BLOBS } from "./page.mjs";
import { READ } from "./reading.mjs";

const DATA = `new URL(location.href).searchParams.get("data")`;

/** Returns the first lines of a page's program that imports a file of the package. */
const importing = (base, more = "") =>
  `import * as zarr from "${base}/node_modules/zarr-wasm/dist/index.js";\n${more}${READ}\nwindow.told = read(${DATA});\n`;

const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src *; img-src data:";

const withPolicy = (workers) => ({ "Content-Security-Policy": `${POLICY}; worker-src ${workers}` });

/** Serves the project's folder with a page's program, and checks the page. */
async function checkProgram(project, program, { headers, places }) {
  project.write("main.js", program);
  project.write("index.html", `${HEAD}<script type="module" src="main.js"></script>`);
  await project.at.servingFolder(
    project.folder,
    (url) => expectPage(pageUrl(url, "index.html", project.at.data), places),
    headers,
  );
}

async function checkScript(project) {
  const served = async (cdn) => {
    const script = `<script src="${new URL("zarr-wasm/dist/script.js", cdn)}"></script>`;
    project.write("index.html", `${HEAD}${script}<script>${READ}\nwindow.told = read(${DATA});</script>`);
    await project.at.servingFolder(project.folder, (url) =>
      expectPage(pageUrl(url, "index.html", project.at.data), IN_BLOBS),
    );
  };
  await project.at.servingFolder(join(project.folder, "node_modules"), served, FOR_ALL);
}

/** What a server for pages of other origins sends. */
const FOR_ALL = { "Access-Control-Allow-Origin": "*" };

const START_IN_URL = `await zarr.init({ workerUrl: "/node_modules/zarr-wasm/dist/worker.js" });\n`;
const START_NOWHERE = `await zarr.init({ engine: "caller", workers: 0 });\n`;

export const plainPages = () => ({
  name: "a page without a bundler",
  folder: "plain-pages",
  checks: {
    "modules of another origin": (project) =>
      project.at.servingFolder(
        project.folder,
        (cdn) => checkProgram(project, importing(cdn.replace(/\/$/, "")), { places: IN_BLOBS }),
        FOR_ALL,
      ),
    "a script tag": checkScript,
    "a policy with worker-src blob:": (project) =>
      checkProgram(project, importing(""), { headers: withPolicy("blob:"), places: IN_BLOBS }),
    "a policy with worker-src 'self', and workerUrl": (project) =>
      checkProgram(project, importing("", START_IN_URL), {
        headers: withPolicy("'self'"),
        places: { engine: "url", decoder: "url" },
      }),
    "a policy without workers": (project) =>
      checkProgram(project, importing("", START_NOWHERE), {
        headers: withPolicy("'none'"),
        places: { engine: "caller" },
      }),
  },
});
