/** A worker that writes single elements in chunks to which other workers write too. */
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
