/** The package in a web page: bundled through `exports`, with its wasm as an asset. */
import * as zarr from "zarr-wasm";
import { equal, ok, test } from "./harness.mjs";

test("the root entry exports open", () => {
  equal(typeof zarr.open, "function");
});

test("the wasm file compiles from a stream", async () => {
  const response = await fetch(new URL("../../dist/zarr_wasm.wasm", import.meta.url));
  const module = await WebAssembly.compileStreaming(response);
  ok(WebAssembly.Module.exports(module).some(({ name }) => name === "memory"));
});
