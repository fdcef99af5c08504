/**
 * `zarr-wasm/worker`: the program of the engine's worker and of the decode workers, as a file for
 * `init({ workerUrl })` or `init({ worker })`, where blob workers are forbidden. It exports
 * nothing.
 */
import "../../engine/ts/host/decode/decode_main.ts";
import "../../engine/ts/host/engine_main.ts";
