/** The test page: all test modules of this folder. They import the package by its name. */
import { runAll } from "./harness.mjs";

const modules = import.meta.webpackContext(".", { recursive: false, regExp: /\.test\.mjs$/ });
modules.keys().forEach(modules);

window.runTests = (pattern) => runAll(window.reportTest, new RegExp(pattern));
