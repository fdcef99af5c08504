/** The linters of packages: publint and attw, without findings. */
import { TARBALL } from "./project.mjs";

export const publint = (version) => ({
  name: `publint ${version}`,
  folder: `publint-${version}`,
  packages: { publint: version },
  checks: {
    "no findings": async (project) => {
      const output = await project.quietly(project.bin("publint"), ["run", TARBALL, "--strict"]);
      if (!/All good!/.test(output)) throw new Error(output);
    },
  },
});

export const attw = (version) => ({
  name: `attw ${version}`,
  folder: `attw-${version}`,
  packages: { "@arethetypeswrong/cli": version },
  checks: {
    // The package has only modules. Node's `require` takes them since 20.19; attw does not know it.
    "no findings but that it has only modules": async (project) => {
      const output = await project.run(project.bin("attw"), [
        TARBALL,
        "--ignore-rules",
        "cjs-resolves-to-esm",
        // A file that bundlers place, and no module.
        "--exclude-entrypoints",
        "engine.wasm",
        "--no-emoji",
      ]);
      if (!/No problems found/.test(output)) throw new Error(output);
    },
  },
});
