/** The tests of a page with cross-origin isolation. */
import { runAll } from "../harness.mjs";

const modules = import.meta.webpackContext(".", { regExp: /\.test\.mjs$/ });
modules.keys().forEach(modules);

window.runTests = (pattern) => runAll(window.reportTest, new RegExp(pattern));
