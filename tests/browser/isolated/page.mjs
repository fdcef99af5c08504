/** The program of the page that is cross-origin isolated: what only such a page can do. */
import { runAll } from "../harness.mjs";

const modules = import.meta.webpackContext(".", { regExp: /\.test\.mjs$/ });
modules.keys().forEach(modules);

window.runTests = (pattern) => runAll(window.reportTest, new RegExp(pattern));
