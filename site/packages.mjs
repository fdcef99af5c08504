/**
 * Installs the npm packages of the documentation's site, which nothing else of the project needs:
 * they are not in the `package.json` of the root.
 */
import { installNodeModules } from "../scripts/setup.mjs";

/** Installs the packages of `site/package-lock.json`, unless `site/node_modules` has them. */
export const installSitePackages = () => installNodeModules(import.meta.dirname);
