/** Runs the suite in Node. */
import * as zarr from "zarr-wasm";
import { runChecks } from "./suite.mjs";

const warnings = [];

/** `server` is `{url, put, host, expected}`. `report(name, error)` hears of each check. */
export async function runInNode(server, report) {
  zarr.dispose();
  await zarr.init({ onWarning: (message) => warnings.push(message) });
  warnings.length = 0;
  await runChecks({ zarr, warnings, ...server }, report);
  zarr.dispose();
}
