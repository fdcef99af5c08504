/** The tests of a page with cross-origin isolation. */
import { offerTests } from "../harness.mjs";

const modules = import.meta.webpackContext(".", { regExp: /\.test\.mjs$/ });
modules.keys().forEach(modules);
offerTests();
