/**
 * Servers whose answers a page may not read, and servers that are not there. Browsers report both
 * as the same failure; the error tells them apart, and names the cure. The server has two names,
 * its address and `localhost`, which are two origins. `server.mjs` has what is below `/hidden/`.
 */
import * as zarr from "zarr-wasm";
import { equal, ok, rejects, test } from "./harness.mjs";

const OTHER = `http://${location.host.replace("127.0.0.1", "localhost")}`;

/** What was asked below `/hidden/`, as `METHOD path`. */
const asked = async () => (await fetch("/hidden-requests")).json();

/** With the engine in a worker and on the page. */
function bothEngines(name, body) {
  for (const engine of ["worker", "caller"])
    test(`newcomers, engine in the ${engine}: ${name}`, async () => {
      zarr.dispose();
      await zarr.init({ engine });
      try {
        await asked();
        await body();
      } finally {
        zarr.dispose();
        await zarr.init({ engine: "worker" });
      }
    });
}

const probes = (requests) => requests.filter((request) => request.startsWith("HEAD"));

bothEngines("a server without CORS is named, and probed once", async () => {
  const store = new zarr.FetchStore(`${OTHER}/hidden/a.zarr`);
  for (let time = 0; time < 2; time += 1) {
    const error = await rejects(zarr.open(store), ({ code }) => code === "Store");
    for (const part of ["CORS: ", "localhost", "sends no Access-Control-Allow-Origin", "ask its owner"])
      ok(error.message.includes(part), error.message);
    equal([error.expected, error.cause?.name], ["Access-Control-Allow-Origin", "TypeError"]);
  }
  const requests = await asked();
  equal(probes(requests).length, 1, requests.join());
});

bothEngines("one answer without CORS, such as an error, is told from a server without it", async () => {
  const array = await zarr.open(`${OTHER}/hidden/some.zarr`, { kind: "array" });
  const error = await rejects(array.get(), ({ code }) => code === "Store");
  ok(error.message.includes("with this answer, which may be an error such as 404"), error.message);
});

bothEngines("virtual data on a server without CORS", async () => {
  const references = { x: [`${OTHER}/hidden/file.nc`, 0, 4] };
  const store = zarr.ReferenceStore.fromSpec(references, { allowHosts: ["*"] });
  const error = await rejects(store.get("/x"), ({ code }) => code === "Store");
  ok(error.message.startsWith("CORS: "), error.message);
});

bothEngines("a server that is not there is no matter of CORS", async () => {
  for (const url of ["http://localhost:9/a.zarr", "http://127.0.0.1:9/a.zarr"]) {
    const error = await rejects(zarr.open(url), ({ code }) => code === "Store");
    ok(error.message.startsWith("network: ") && error.message.includes("no such server"), error.message);
  }
});

bothEngines("a `fetch` of the user, and a signature, forbid the probe", async () => {
  const own = new zarr.FetchStore(`${OTHER}/hidden/a.zarr`, { fetch: (request) => fetch(request) });
  const signed = new zarr.FetchStore(`${OTHER}/hidden/a.zarr?X-Amz-Signature=s`);
  for (const store of [own, signed]) {
    const error = await rejects(zarr.open(store), ({ code }) => code === "Store");
    ok(error.message.startsWith("network or CORS: "), error.message);
  }
  equal(probes(await asked()), []);
});

bothEngines("an abort ends the question, too", async () => {
  const controller = new AbortController();
  const opening = zarr.open(`${OTHER}/hidden/slow.zarr`, { signal: controller.signal });
  for (let requests = []; probes(requests).length === 0; ) {
    await new Promise((done) => setTimeout(done, 20));
    requests = await asked();
  }
  controller.abort(new Error("enough"));
  await rejects(opening, ({ message }) => message === "enough");
});
