/** The program of the workers of a frame: that of the package, with a record of what it does. */
import "./worker_record.ts";
import "zarr-wasm/worker";
