/**
 * The page for engines without a driver: runs the tests of the package and of the viewer's pixels,
 * and posts their results. The tests of the viewer's controls are for Chromium alone.
 */
import { runAll } from "../harness.mjs";

const modules = import.meta.webpackContext("..", { recursive: false, regExp: /(?<!\/www)\.test\.mjs$/ });
modules.keys().forEach(modules);

const post = (told) => fetch("/engines/report", { method: "POST", body: JSON.stringify(told) });

addEventListener("error", ({ error, message }) =>
  post({ name: "the page throws nothing outside its tests", error: String(error?.stack ?? message) }),
);
const pattern = new URLSearchParams(location.search).get("tests") ?? "";
runAll(post, new RegExp(pattern)).then(() => post({ end: true }));
