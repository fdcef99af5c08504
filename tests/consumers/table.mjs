/** The consumers, with the versions of their tools. Each file beside this one has one kind. */
import { esbuild } from "./esbuild.mjs";
import { react, svelte, vue } from "./frameworks.mjs";
import { attw, publint } from "./lints.mjs";
import { next, nextRecipe } from "./next.mjs";
import { notebook } from "./notebook.mjs";
import { overrides } from "./overrides.mjs";
import { ownWorker } from "./own_worker.mjs";
import { plainPages } from "./plain_pages.mjs";
import { rollup } from "./rollup.mjs";
import { bun, deno, node } from "./runtimes.mjs";
import { script } from "./script.mjs";
import { serviceWorker } from "./service_worker.mjs";
import { jest, testsRecipe, vitest } from "./test_runners.mjs";
import { typescript } from "./typescript.mjs";
import { vite } from "./vite.mjs";
import { webpack } from "./webpack.mjs";
import { workerd } from "./workerd.mjs";

const ALL = ["node", "node16", "bundler"];

export const TABLE = [
  vite("5.4.21"),
  vite("7.3.8"),
  vite("8.3.8"),
  webpack("5.112.2", "6.0.1"),
  rollup("4.68.7", "16.0.3"),
  esbuild("0.28.2"),
  next("16.4.6", "19.3.1"),
  plainPages(),
  node("20.20.2"),
  node("22.23.3"),
  node("24.21.0"),
  deno("2.9.6"),
  bun("1.4.5"),
  workerd("1.20261117.1", "0.28.2"),
  vitest("5.1.1"),
  vitest("5.1.1", { name: "happy-dom", packages: { "happy-dom": "21.0.4" } }),
  vitest("5.1.1", { name: "jsdom", packages: { jsdom: "26.1.0" } }),
  jest("30.5.2"),
  jest("30.5.2", { name: "jsdom", packages: { "jest-environment-jsdom": "30.5.2" } }),
  typescript("5.0.4", ALL),
  typescript("5.4.5", ALL),
  typescript("5.6.3", ALL),
  typescript("5.9.3", ALL),
  typescript("6.0.3", ["node16", "bundler"]),
  typescript("7.0.2", ["node16", "bundler"]),
  overrides("10.34.9", "4.18.1"),
  react("19.3.1", "8.3.8", "6.3.0"),
  vue("3.5.45", "8.3.8", "6.0.11"),
  svelte("5.57.3", "8.3.8", "7.3.1"),
  nextRecipe("16.4.6", "19.3.1"),
  ownWorker("8.3.8"),
  serviceWorker("0.28.2", "1.9.4", "2.22.0"),
  script(),
  notebook("0.28.2"),
  testsRecipe({ vitest: "5.1.1", jest: "30.5.2", jsdom: "26.1.0", jestJsdom: "30.5.2" }),
  publint("0.3.25"),
  attw("0.18.5"),
];
