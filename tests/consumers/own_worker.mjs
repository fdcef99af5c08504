/** The recipe for a worker of one's own, in Vite: it draws, and posts the mean of each month. */
import { filesOf } from "../support/docs/snippets.mjs";
import { expectMonths, MONTHS } from "./months.mjs";
import { HEAD } from "./page.mjs";
import { asBuilt, inDevelopment } from "./vite.mjs";

const expectWorker = (url) =>
  expectMonths(url, async (page) => {
    const said = `month 6: ${MONTHS.means[1].toFixed(2)} K`;
    await page.locator("output", { hasText: said }).waitFor({ timeout: 10_000 });
  });

export const ownWorker = (vite) => ({
  name: "the recipe for a worker of one's own",
  folder: "recipe-own-worker",
  packages: { vite },
  files: ({ samples }) => ({
    ...filesOf("docs/recipes/own-worker.md", samples),
    "index.html": `${HEAD}<body><script type="module" src="./src/main.js"></script></body>`,
  }),
  checks: {
    dev: (project) => inDevelopment(project, (url) => expectWorker(url)),
    build: (project) => asBuilt(project, (url) => expectWorker(url)),
  },
});
