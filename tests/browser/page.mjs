/** The page's program: every test module of this folder, bundled by webpack with the package under its own name. */
import { runAll } from "./harness.mjs";

const modules = import.meta.webpackContext(".", { recursive: false, regExp: /\.test\.mjs$/ });
modules.keys().forEach(modules);

window.runTests = (pattern) => runAll(window.reportTest, new RegExp(pattern));
