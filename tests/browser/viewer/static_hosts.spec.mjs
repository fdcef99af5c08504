/**
 * Tests the viewer's folder on static hosts, in a subfolder and without a network: on Python's
 * http.server, which ignores ranges, and on nginx, which sends the compressed files. A sample must
 * be drawn, without requests to other hosts and without missing files.
 */
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "../fixtures.mjs";
import { VIEWER } from "../places.mjs";
import { keepDrawings } from "../viewer_frame.mjs";
import { pythonServing, startHost } from "../web_hosts.mjs";

const NGINX = process.env.NGINX ?? "/usr/sbin/nginx";
const FOLDER = basename(VIEWER);
const SAMPLES = ["cells.ome.zarr", "climate.zarr", "arctic.zarr", "tissue.ome.zarr"];

const nginxConfiguration = (port, home) => `
  daemon off;
  master_process off;
  worker_processes 1;
  pid ${home}/nginx.pid;
  error_log ${home}/error.log;
  events { worker_connections 512; }
  http {
    access_log off;
    ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${home}/${name};`).join("\n")}
    types { text/html html; text/javascript js; text/css css; application/wasm wasm; application/json json; }
    gzip_static on;
    server { listen 127.0.0.1:${port}; root ${home}; }
  }`;

/** Copies the viewer, with compressed scripts beside those that are not: quickly, not well. */
function compressScripts(folder) {
  cpSync(VIEWER, folder, { recursive: true });
  for (const name of readdirSync(folder).filter((name) => name.endsWith(".js")))
    writeFileSync(join(folder, `${name}.gz`), gzipSync(readFileSync(join(folder, name)), { level: 1 }));
}

/** Starts a server of the folder above the viewer's. Resolves to `{url, close}`. */
async function start(program, argumentsOf) {
  const { url, close } = await startHost(program, argumentsOf, `/${FOLDER}/`);
  return { url: `${url}/${FOLDER}/`, close };
}

const HOSTS = [
  {
    name: "python -m http.server",
    samples: SAMPLES,
    start: () => start("python3", (port) => pythonServing(dirname(VIEWER), port)),
  },
  {
    name: "nginx with compressed files",
    samples: SAMPLES.slice(0, 1),
    /** Scripts must be compressed, to show that the compressed files are used. */
    isCompressed: true,
    start: () =>
      start(NGINX, (port, home) => {
        compressScripts(join(home, FOLDER));
        writeFileSync(join(home, "nginx.conf"), nginxConfiguration(port, home));
        return ["-p", home, "-e", join(home, "error.log"), "-c", join(home, "nginx.conf")];
      }),
  },
];

/** The number of colours in the picture. */
function coloursDrawn() {
  const sample = new OffscreenCanvas(96, 64);
  const context = sample.getContext("2d");
  for (const canvas of document.querySelectorAll('#map[aria-busy="false"] canvas'))
    if (canvas.width > 0) context.drawImage(canvas, 0, 0, sample.width, sample.height);
  const words = new Uint32Array(context.getImageData(0, 0, sample.width, sample.height).data.buffer);
  return new Set(words).size;
}

/** Whether a request is for a v2 document. It is sent too if the host is slow. */
const isProbe = (answer) => /\/\.z(array|group|attrs)$/.test(answer.url());

/** Opens a sample. Returns what is wrong with its requests and responses. */
async function faultsOf(page, host, url, sample) {
  const answers = [];
  page.on("response", (answer) => answers.push(answer));
  await page.addInitScript(keepDrawings);
  await page.goto(`${url}?source=./samples/${sample}`);
  await expect(async () => expect(await page.evaluate(coloursDrawn)).toBeGreaterThan(30)).toPass();
  const wire = answers.filter((answer) => /^https?:/.test(answer.url()));
  const script = wire.find((answer) => /\.js$/.test(answer.url()));
  return [
    ...wire.filter((answer) => !answer.url().startsWith(url)).map((answer) => `elsewhere: ${answer.url()}`),
    ...wire
      .filter((answer) => answer.status() >= 400 && !isProbe(answer))
      .map((answer) => `${answer.status()}: ${answer.url()}`),
    ...(host.isCompressed && script?.headers()["content-encoding"] !== "gzip"
      ? ["scripts come as they are"]
      : []),
  ];
}

test.use({ viewport: { width: 1200, height: 800 } });

test.describe("static host", () => {
  for (const host of HOSTS)
    for (const sample of host.samples)
      test(`${host.name} serves the viewer and ${sample} from a subfolder`, async ({ page }) => {
        const server = await host.start();
        try {
          expect(await faultsOf(page, host, server.url, sample)).toEqual([]);
        } finally {
          server.close();
        }
      });
});
