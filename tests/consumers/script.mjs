/** The recipe for a script in Node: the statistics of the climate sample, from a server and a folder. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../scripts/run_command.mjs";
import { filesOf } from "../support/docs/snippets.mjs";

const CLIMATE = "www/samples/climate.zarr";
/** The least, the greatest and the mean value of arrays, by path, as zarr-python and NumPy have them. */
const EXPECTED = join(ROOT, "tests/browser/viewer/examples_expected.json");
const { folder: statistics } = JSON.parse(readFileSync(EXPECTED, "utf8"));

async function expectStatistics(project, ...args) {
  const output = await project.quietly(process.execPath, ["statistics.mjs", ...args]);
  const lines = output.trim().split("\n");
  for (const [path, [min, max, mean]] of Object.entries(statistics)) {
    const line = lines.find((candidate) => candidate.startsWith(`${path} `));
    if (!line?.endsWith(` ${min} ${max} ${mean.toFixed(2)}`)) throw new Error(`${path}: ${line}`);
  }
}

export const script = () => ({
  name: "the recipe for a script in Node",
  folder: "recipe-script",
  files: ({ samples }) => filesOf("docs/recipes/node-scripts.md", samples),
  checks: {
    "a server": (project) => expectStatistics(project, `${project.at.samples}/climate.zarr`),
    "a folder": (project) => expectStatistics(project, join(ROOT, CLIMATE)),
  },
});
