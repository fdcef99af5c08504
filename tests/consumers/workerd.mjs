/**
 * workerd, the runtime of Cloudflare Workers. It compiles no bytes, so the wasm files of the
 * command `zarr-wasm <folder>` are modules of the worker, and `zarr-wasm/slim` gets them.
 */
import { expectRead, readModule } from "./reading.mjs";

const configuration = (port) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .reader),
    (name = "network", network = (allow = ["private", "public"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const reader :Workerd.Worker = (
  modules = [
    (name = "worker.js", esModule = embed "bundle.js"),
    (name = "zarr_wasm.wasm", wasm = embed "wasm/zarr_wasm.wasm"),
    (name = "zarr_wasm_full.wasm", wasm = embed "wasm/zarr_wasm_full.wasm"),
  ],
  compatibilityDate = "2026-01-01",
  globalOutbound = "network",
);
`;

const WORKER = `import engine from "./zarr_wasm.wasm";
import full from "./zarr_wasm_full.wasm";
import { init } from "zarr-wasm/slim";
import { read } from "./read.mjs";
const started = init({ wasm: engine, wasmFull: full });
export default {
  async fetch(request) {
    await started;
    return Response.json(await read(new URL(request.url).searchParams.get("data")));
  },
};
`;

async function check(project) {
  const port = project.at.freePort();
  await project.quietly(process.execPath, [
    "node_modules/zarr-wasm/dist/modules/package/entry/write_files.js",
    "wasm",
  ]);
  const options = [
    "--bundle",
    "--format=esm",
    "--external:*.wasm",
    "--outfile=bundle.js",
    "--log-level=warning",
  ];
  await project.quietly(project.bin("esbuild"), ["worker.mjs", ...options]);
  project.write("config.capnp", configuration(port));
  const program = `${project.folder}/node_modules/@cloudflare/workerd-linux-64/bin/workerd`;
  await project.serving(
    program,
    ["serve", "--verbose", "config.capnp", "--control-fd=1"],
    { ready: /"event":"(listen)"/ },
    async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/?data=${encodeURIComponent(project.at.data)}`);
      const text = await answer.text();
      if (!answer.ok) throw new Error(text);
      expectRead(JSON.parse(text), { engine: "caller" });
    },
  );
}

export const workerd = (version, esbuild) => ({
  name: `workerd ${version}`,
  folder: `workerd-${version}`,
  packages: { "@cloudflare/workerd-linux-64": version, esbuild },
  files: { "read.mjs": readModule("zarr-wasm/slim"), "worker.mjs": WORKER },
  checks: { "slim, with wasm modules": check },
});
