/** The test page: all test modules of this folder. They import the package by its name. */
import { offerTests } from "./harness.mjs";

const modules = import.meta.webpackContext(".", { recursive: false, regExp: /\.test\.mjs$/ });
modules.keys().forEach(modules);
offerTests();
