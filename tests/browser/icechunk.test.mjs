/**
 * Icechunk in browsers: a repository of another origin needs no preflight, and the persistent cache
 * does not answer for `repo`. The server of the tests has two names, its address and `localhost`.
 */
import * as zarr from "zarr-wasm";
import { equal, test } from "./harness.mjs";

const requests = async () => (await fetch("/icechunk-requests")).json();
const elsewhere = () => `${location.origin.replace("127.0.0.1", "localhost")}/icechunk/v2`;
const VALUES = [0, 0.25, 0.5, 0.75, 1];

async function firstChunk(store) {
  const array = await zarr.open(store, { path: "temperature", kind: "array" });
  return [...(await array.get([0, zarr.slice(5)])).data];
}

test("Icechunk: four requests of another origin, without a preflight", async () => {
  await requests();
  equal(await firstChunk(new zarr.IcechunkStore(elsewhere())), VALUES);
  const folders = ["snapshots", "manifests", "chunks"];
  equal(await requests(), ["GET v2/repo", ...folders.map((folder) => `GET v2/${folder}/ID`)]);
});

test("Icechunk: `open` finds a repository of another origin", async () => {
  await requests();
  const group = await zarr.open(elsewhere(), { kind: "group" });
  equal(await firstChunk(group.store), VALUES);
  equal(
    (await requests()).filter((request) => !request.startsWith("GET")),
    [],
  );
});

test("Icechunk: caches never answer for `repo`, and keep all else", async () => {
  const name = `icechunk-${Date.now()}`;
  const cache = new zarr.PersistentCache({ name });
  const options = { persistentCache: cache };
  await firstChunk(new zarr.IcechunkStore(elsewhere(), options));
  await cache.usage();
  await requests();
  equal(await firstChunk(new zarr.IcechunkStore(elsewhere(), options)), VALUES);
  equal(await requests(), ["GET v2/repo"]);
  await cache.clear();
});
