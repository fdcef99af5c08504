/**
 * The page for engines without a driver: runs the tests of the package and of the viewer's pixels
 * one after the other, and posts their results. The tests of the viewer's controls are for Chromium
 * alone.
 */
import { registeredTests } from "../browser/harness.mjs";

const modules = import.meta.webpackContext("../browser", {
  recursive: false,
  regExp: /(?<!\/www)\.test\.mjs$/,
});
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
const isChosen = ({ name }) => pattern.test(name) && (hasPrivateFolder || !PRIVATE_FOLDER.test(name));

/** The stack of an error with its words, which engines other than Chromium leave out. */
function textOf(error) {
  const [words, stack] = [String(error), String(error?.stack ?? "")];
  return stack.includes(words) ? stack : `${words}\n${stack}`;
}

/** Resolves to the text of a test's failure; undefined if it passes. */
function failureOf({ body, timeout }) {
  let timer;
  const deadline = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${timeout} ms`)), timeout);
  });
  return Promise.race([Promise.resolve().then(body), deadline])
    .then(() => undefined, textOf)
    .finally(() => clearTimeout(timer));
}

/**
 * Runs a test. One that opens the viewer has two attempts. Resolves to `{error, earlier}`: the last
 * failure, and that of an attempt before it.
 */
async function outcomeOf(registered) {
  const first = await failureOf(registered);
  if (first === undefined || !registered.opensViewer) return { error: first };
  return { earlier: first, error: await failureOf(registered) };
}

/**
 * Posts `{begins, at, within}` before each test: its name, its number, and the time in ms after
 * which it has reported unless the page is dead. Posts its outcome after it.
 */
async function runAll() {
  const chosen = registeredTests().filter(isChosen);
  for (const [at, registered] of [...chosen.entries()].slice(from)) {
    const { name, timeout, opensViewer } = registered;
    await post({ begins: name, at, within: opensViewer ? 2 * timeout : timeout });
    const begun = performance.now();
    const outcome = await outcomeOf(registered);
    await post({ name, ...outcome, ms: Math.round(performance.now() - begun) });
  }
  await post({ end: true });
}

runAll();
