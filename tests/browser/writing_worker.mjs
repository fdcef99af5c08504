/** A worker that writes single elements of an array, every one of them in a chunk that others write to as well. */
import * as zarr from "zarr-wasm";
import { privateFolder } from "./private_folder.mjs";

self.onmessage = async ({ data: { name, places } }) => {
  try {
    const array = await zarr.open(privateFolder(name), { kind: "array" });
    for (const place of places) await array.set([place], place + 1);
    self.postMessage("done");
  } catch (error) {
    self.postMessage(String(error.stack));
  }
};
