/**
 * vitest, and Jest with Node's own modules: a test that reads an array, and the recipe's tests. With
 * happy-dom and jsdom, which imitate a page in Node, a further test reads through a stub of `fetch`.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { filesOf } from "../support/docs/snippets.mjs";
import { expectReadIn, readModule } from "./reading.mjs";

const TEST = `import { writeFileSync } from "node:fs";
import { expect, test } from "IMPORTS";
import "./fetch.mjs";
import { read } from "./read.mjs";

test("reads an array", async () => {
  const told = await read(process.env.DATA_URL);
  writeFileSync("told.json", JSON.stringify(told));
  expect(told.again).toBe("1,2,3");
});
`;

/** Gives an environment that has no `fetch`, as jsdom in Jest, one that users would write. */
const FETCH = `import http from "node:http";

const answerOf = async (response) => {
  const chunks = [];
  for await (const chunk of response) chunks.push(chunk);
  const { statusCode: status, headers } = response;
  const arrayBuffer = async () => new Uint8Array(Buffer.concat(chunks)).buffer;
  return { ok: status >= 200 && status < 300, status, headers, arrayBuffer };
};

globalThis.fetch ??= (url, { method, headers }) =>
  new Promise((resolve, reject) => {
    const options = { method, headers: Object.fromEntries(headers) };
    const answered = (response) => answerOf(response).then(resolve, reject);
    http.request(url, options, answered).on("error", reject).end();
  });
`;

/**
 * Reads an array of four elements in two chunks, one of them missing, through a global `fetch` that
 * answers with no more than it must.
 */
const STUB_TEST = `import { expect, test } from "IMPORTS";
import * as zarr from "zarr-wasm";

const METADATA = {
  zarr_format: 3,
  node_type: "array",
  shape: [4],
  data_type: "uint8",
  chunk_grid: { name: "regular", configuration: { chunk_shape: [2] } },
  chunk_key_encoding: { name: "default" },
  codecs: [{ name: "bytes" }],
  fill_value: 9,
};
const FILES = {
  "/zarr.json": Buffer.from(JSON.stringify(METADATA)),
  "/c/0": Buffer.from([5, 6]),
};

async function stub(request) {
  const file = FILES[new URL(request.url ?? request).pathname];
  if (!file) return { ok: false, status: 404 };
  return { ok: true, status: 200, arrayBuffer: async () => new Uint8Array(file).buffer };
}

const read = async (store) => {
  const { data } = await (await zarr.open(store, { kind: "array" })).get();
  return Array.from(data).join();
};

test("reads through a global fetch that is a stub", async () => {
  const { fetch } = globalThis;
  globalThis.fetch = stub;
  try {
    expect(await read("https://stub.invalid")).toBe("5,6,9,9");
  } finally {
    globalThis.fetch = fetch;
  }
});

test("without a fetch, the error says what to do", async () => {
  const { fetch } = globalThis;
  globalThis.fetch = undefined;
  try {
    await zarr.init({ engine: "caller" });
    const error = await read("https://stub.invalid").catch((thrown) => thrown);
    expect(error).toBeInstanceOf(zarr.ZarrError);
    expect(error.message).toMatch(/pass the option .fetch/);
  } finally {
    globalThis.fetch = fetch;
    zarr.dispose();
  }
});

const sumOf = (data) => data.reduce((sum, value) => sum + value, 0);

/** Workers of Node hand over buffers that are not of the classes of an imitated page. */
test("writes and reads large arrays in workers", async () => {
  await zarr.init({ workers: 2 });
  const options = { shape: [3000, 1000], chunkShape: [500, 1000], dtype: "float32" };
  const array = await zarr.create(new Map(), options);
  await array.set(null, Float32Array.from({ length: 3e6 }, (_, at) => at % 1000));
  const { data } = await array.get();
  expect(sumOf(data)).toBe(3000 * 499500);
  const { data: converted } = await array.get(null, { as: "float64" });
  expect(sumOf(converted)).toBe(3000 * 499500);
  expect((await zarr.statistics(array)).max).toBe(999);
  expect(zarr.info().parts.workers).toBeGreaterThan(0);
  zarr.dispose();
});

test("reads through the option fetch, with the engine on this thread and in a worker", async () => {
  for (const engine of ["caller", "worker"]) {
    zarr.dispose();
    await zarr.init({ engine });
    const store = new zarr.FetchStore("https://stub.invalid", { fetch: stub });
    expect(await read(store)).toBe("5,6,9,9");
  }
  zarr.dispose();
});
`;

const check = async (project, program, args, env = {}) => {
  await project.quietly(program, args, { env: { ...env, DATA_URL: project.at.data } });
  expectReadIn(readFileSync(join(project.folder, "told.json"), "utf8"));
};

/** Checks the test alone, and both tests in an environment that imitates a page. */
const filesFor = (library, environment) => ({
  "read.mjs": readModule(),
  "fetch.mjs": FETCH,
  "read.test.mjs": TEST.replace("IMPORTS", library),
  ...(environment && { "stub.test.mjs": STUB_TEST.replace("IMPORTS", library) }),
});

/** `environment` is `{ name, packages }`; without one the tests run in that of Node. */
export const vitest = (version, environment) => ({
  name: `vitest ${version}${environment ? ` with ${environment.name}` : ""}`,
  folder: `vitest-${version}${environment ? `-${environment.name}` : ""}`,
  packages: { vitest: version, vite: "8.3.8", ...environment?.packages },
  files: filesFor("vitest", environment),
  checks: {
    test: (project) =>
      check(project, project.bin("vitest"), [
        "run",
        ...(environment ? ["--environment", environment.name] : []),
      ]),
  },
});

/** Jest needs a flag of Node for ES modules, and Node warns about this flag. */
const FLAGS = "--experimental-vm-modules --disable-warning=ExperimentalWarning";

export const jest = (version, environment) => ({
  name: `Jest ${version}${environment ? ` with ${environment.name}` : ""}`,
  folder: `jest-${version}${environment ? `-${environment.name}` : ""}`,
  packages: { jest: version, ...environment?.packages },
  files: {
    ...filesFor("@jest/globals", environment),
    "jest.config.mjs": `export default ${JSON.stringify({
      testMatch: ["**/*.test.mjs"],
      transform: {},
      ...(environment && { testEnvironment: environment.name }),
    })};\n`,
  },
  checks: {
    "test, with --experimental-vm-modules": (project) =>
      check(project, project.bin("jest"), [], { NODE_OPTIONS: FLAGS }),
  },
});

const RECIPE = "docs/recipes/tests.md";
/** The folder of the same files for Jest. */
const FOR_JEST = "jest";

/** The files of the recipe, and again with Jest's import, as the page says. */
function recipeFiles({ samples }) {
  const files = Object.entries(filesOf(RECIPE, samples));
  const forJest = files.map(([path, text]) => [
    `${FOR_JEST}/${path}`,
    text.replace('from "vitest"', 'from "@jest/globals"'),
  ]);
  return Object.fromEntries([...files, ...forJest]);
}

const runRecipe = (project, runner, options) => {
  const inJest = { folder: join(project.folder, FOR_JEST), env: { NODE_OPTIONS: FLAGS } };
  if (runner === "jest") return project.quietly(project.bin("jest"), options, inJest);
  return project.quietly(project.bin("vitest"), ["run", "--dir", "tests", ...options]);
};

export const testsRecipe = ({ vitest, jest, jsdom, jestJsdom }) => ({
  name: "the recipe for tests",
  folder: "recipe-tests",
  packages: { vitest, vite: "8.3.8", jest, jsdom, "jest-environment-jsdom": jestJsdom },
  files: recipeFiles,
  checks: {
    vitest: (project) => runRecipe(project, "vitest", []),
    "vitest with jsdom": (project) => runRecipe(project, "vitest", ["--environment", "jsdom"]),
    Jest: (project) => runRecipe(project, "jest", []),
    "Jest with jsdom": (project) => runRecipe(project, "jest", ["--env=jsdom"]),
  },
});
