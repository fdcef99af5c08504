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

/** The tests that need the origin's private file system. WebKitGTK has it on https only. */
const PRIVATE_FOLDER =
  /OPFS|OpfsStore|DirectoryStore|private file system|^open accepts folders|^two workers and the page write/;
const hasPrivateFolder = navigator.storage?.getDirectory !== undefined;
const parameters = new URLSearchParams(location.search);
const from = Number(parameters.get("from") ?? 0);
if (!hasPrivateFolder && from === 0) {
  post({ lacks: `no private file system here: ${PRIVATE_FOLDER} is not run` });
}

const pattern = new RegExp(parameters.get("tests") ?? "");
const chosen = { test: (name) => pattern.test(name) && (hasPrivateFolder || !PRIVATE_FOLDER.test(name)) };
runAll(post, chosen, { from, begins: post }).then(() => post({ end: true }));
