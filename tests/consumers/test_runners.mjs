/** vitest, and Jest with Node's own modules: a test that reads an array. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expectReadIn, readModule } from "./reading.mjs";

const TEST = `import { writeFileSync } from "node:fs";
import { expect, test } from "IMPORTS";
import { read } from "./read.mjs";

test("reads an array", async () => {
  const told = await read(process.env.DATA_URL);
  writeFileSync("told.json", JSON.stringify(told));
  expect(told.again).toBe("1,2,3");
});
`;

const check = async (project, program, args, env = {}) => {
  await project.quietly(program, args, { env: { ...env, DATA_URL: project.at.data } });
  expectReadIn(readFileSync(join(project.folder, "told.json"), "utf8"));
};

export const vitest = (version) => ({
  name: `vitest ${version}`,
  folder: `vitest-${version}`,
  packages: { vitest: version, vite: "8.3.8" },
  files: { "read.mjs": readModule(), "read.test.mjs": TEST.replace("IMPORTS", "vitest") },
  checks: { test: (project) => check(project, project.bin("vitest"), ["run"]) },
});

/** Jest needs a flag of Node for ES modules, and Node warns about this flag. */
const FLAGS = "--experimental-vm-modules --disable-warning=ExperimentalWarning";

export const jest = (version) => ({
  name: `Jest ${version}`,
  folder: `jest-${version}`,
  packages: { jest: version },
  files: {
    "read.mjs": readModule(),
    "read.test.mjs": TEST.replace("IMPORTS", "@jest/globals"),
    "jest.config.mjs": `export default { testMatch: ["**/*.test.mjs"], transform: {} };\n`,
  },
  checks: {
    "test, with --experimental-vm-modules": (project) =>
      check(project, project.bin("jest"), [], { NODE_OPTIONS: FLAGS }),
  },
});
