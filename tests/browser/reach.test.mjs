/**
 * Where the references of a document lead, in browsers: no spelling of another server is asked, and
 * the answer of a redirect to another server is refused. `tests/node/reach.test.mjs` has the tests
 * in Node. The server of the tests has two names, its address and `localhost`.
 */
import * as zarr from "zarr-wasm";
import { disguises } from "../support/disguised_hosts.mjs";
import { equal, ok, test } from "./harness.mjs";

const signing = (request) => {
  const headers = new Headers(request.headers);
  headers.set("X-Token", "secret");
  return fetch(new Request(request, { headers }));
};
const SENDERS = {
  "without options": {},
  "a signing fetch": { fetch: signing },
  headers: { headers: { "X-Token": "secret" } },
};

const reached = async () => (await fetch("/reached")).json();

/** Reads one reference of the page's own document. Resolves to its text, or to its error. */
async function reading(reference, options) {
  const bytes = await zarr.ReferenceStore.fromSpec({ x: [reference] }, options)
    .get("/x")
    .catch((error) => error);
  return bytes instanceof Uint8Array ? new TextDecoder().decode(bytes) : bytes;
}

for (const engine of ["worker", "caller"]) {
  for (const [name, options] of Object.entries(SENDERS)) {
    test(`reach, engine in the ${engine}, ${name}: references lead to allowed servers alone`, async () => {
      zarr.dispose();
      await zarr.init({ engine });
      try {
        const other = location.host.replace("127.0.0.1", "localhost");
        await reached();
        for (const disguise of disguises(other, location.host)) {
          const reference = disguise.replaceAll("/data", "/reach/data");
          const read = await reading(reference, { ...options, allowHosts: [] });
          const what = `${JSON.stringify(reference)}: ${read}`;
          if (read !== undefined)
            ok(["Argument", "Format", "Store", "Unsupported"].includes(read.code), what);
          const elsewhere = (await reached()).filter((line) => line.startsWith("localhost"));
          equal(elsewhere, [], what);
        }
        const refused = await reading("/reach/away", { ...options, allowHosts: [] });
        equal([refused.code, refused.message.includes("allowHosts")], ["Argument", true]);
        const near = ["/reach/data", "/reach/near", `//${location.host}/reach/data`];
        for (const reference of [...near, `HTTP://0x7f.1:${location.port}/reach/data`])
          equal(await reading(reference, { ...options, allowHosts: [] }), "0123456789", reference);
        for (const allowHosts of [[other], [`http://LOCALHOST:${location.port}`], ["*"], undefined])
          for (const reference of ["/reach/away", `//${other}/reach/data`])
            equal(await reading(reference, { ...options, allowHosts }), "0123456789", reference);
      } finally {
        zarr.dispose();
        await zarr.init({ engine: "worker" });
      }
    });
  }
}
