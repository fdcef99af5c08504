/**
 * `overrides` of npm, pnpm and Yarn: a library that depends on zarrita gets the package in its
 * place. The library is `@zarrita/ndarray`, which uses zarrita's internal calls.
 */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TARBALL } from "./project.mjs";
import { expectReadIn } from "./reading.mjs";

const PROGRAM = `import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { get } from "@zarrita/ndarray";
import * as storage from "@zarrita/storage";
import * as zarr from "zarrita";

const inLibrary = createRequire(import.meta.resolve("@zarrita/ndarray")).resolve("zarrita");
const own = realpathSync(fileURLToPath(import.meta.resolve("zarrita")));
if (realpathSync(inLibrary) !== own) throw new Error("two copies: " + inLibrary);
for (const name of ["FetchStore", "FileSystemStore", "ReferenceStore", "ZipFileStore"]) {
  if (typeof storage[name] !== "function") throw new Error(name);
}
const array = await zarr.open.v3(new storage.FetchStore(process.argv[2]), { kind: "array" });
const { data, shape } = await get(array);
const sum = data.reduce((total, value) => total + value, 0);
console.log(JSON.stringify({ shape: shape.join(), sum, last: data.at(-1), again: "1,2,3" }));
`;

const OURS = `file:${TARBALL}`;
const DEPENDENCIES = { zarrita: OURS, "@zarrita/storage": OURS, "@zarrita/ndarray": "0.1.7" };
const BOTH = { zarrita: OURS, "@zarrita/storage": OURS };

/** Each manager: its additions to `package.json`, its program, and its own configuration. */
const MANAGERS = {
  npm: {
    manifest: { overrides: { zarrita: "$zarrita", "@zarrita/storage": "$@zarrita/storage" } },
    command: () => ["npm", ["install", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"]],
  },
  pnpm: {
    manifest: { pnpm: { overrides: BOTH } },
    command: (project) => [project.bin("pnpm"), ["install", "--no-lockfile", "--reporter=silent"]],
  },
  yarn: {
    manifest: { resolutions: BOTH },
    configuration: {
      ".yarnrc.yml": "nodeLinker: node-modules\nenableTelemetry: false\nenableGlobalCache: true\n",
    },
    command: (project) => [project.bin("yarn"), ["install", "--no-immutable"]],
  },
};

async function check(project, name) {
  const { manifest, configuration = {}, command } = MANAGERS[name];
  const folder = join(project.folder, name);
  rmSync(folder, { recursive: true, force: true });
  for (const [file, text] of Object.entries({ ...configuration, "yarn.lock": "", "read.mjs": PROGRAM })) {
    project.write(join(name, file), text);
  }
  const whole = {
    name: "overriding",
    private: true,
    type: "module",
    dependencies: DEPENDENCIES,
    ...manifest,
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify(whole, null, 2));
  const [program, args] = command(project);
  await project.run(program, args, { folder });
  expectReadIn(await project.quietly(process.execPath, ["read.mjs", project.at.data], { folder }));
}

/** Makes the consumer for versions of pnpm and Yarn. npm comes with Node. */
export const overrides = (pnpm, yarn) => ({
  name: "zarrita, replaced by overrides",
  folder: "overrides",
  packages: { pnpm, "@yarnpkg/cli-dist": yarn },
  checks: Object.fromEntries(Object.keys(MANAGERS).map((name) => [name, (project) => check(project, name)])),
});
