/** The package as a web page meets it: bundled through `exports`, its wasm fetched as an asset. */
import * as zarr from "zarr-wasm";
import { equal, ok, test } from "./harness.mjs";

test("the root entry exports open", () => {
  equal(typeof zarr.open, "function");
});

test("the wasm that ./wasm names compiles while it streams in", async () => {
  const response = await fetch(new URL("zarr-wasm/wasm", import.meta.url));
  const module = await WebAssembly.compileStreaming(response);
  ok(WebAssembly.Module.exports(module).some(({ name }) => name === "memory"));
});
