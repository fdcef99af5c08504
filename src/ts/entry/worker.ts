/**
 * `zarr-wasm/worker`: the decoding worker as a file of its own, for `init({ workerUrl })` where
 * blob workers are forbidden. Exports nothing; it is started, not imported.
 */
import "../engine/worker_main.ts";
