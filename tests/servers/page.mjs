/** The page of the suite in Chromium, with the engine in a worker. */
import * as zarr from "zarr-wasm/inline";
import { runChecks } from "./suite.mjs";

const warnings = [];

/** Runs the suite. Resolves to the protocol of the page's own requests, such as "h2". */
window.runSuite = async (kit) => {
  await zarr.init({ onWarning: (message) => warnings.push(message) });
  const put = (key, bytes) => window.putFile(key, [...bytes]);
  await runChecks({ zarr, warnings, put, ...kit }, (name, error) => window.reportCheck(name, error));
  return performance.getEntriesByType("navigation")[0]?.nextHopProtocol;
};
