/** A service worker that imports the root entry. Answers a message with what a read tells. */
import * as zarr from "/dist/index.js";
import { made } from "./made.mjs";

self.addEventListener("message", async ({ ports: [port] }) =>
  port.postMessage(await made(zarr).catch(({ code, message }) => ({ code, message }))),
);
