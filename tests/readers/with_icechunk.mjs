/** icechunk for JavaScript opens repositories over HTTP, in which zarrita reads arrays. */
import { drive, required } from "./driver.mjs";
import { readFrom } from "./with_zarrita.mjs";

const { Repository } = required("@earthmover/icechunk");
const { createFetchStorage } = required("@earthmover/icechunk/fetch-storage");
const { createHttpVirtualChunkFetcher } = required("@earthmover/icechunk/http-virtual-chunks");

async function sessionOf({ store, prefixes, options }) {
  const access = Object.fromEntries(prefixes.map((prefix) => [prefix, { type: "HttpAccess" }]));
  const repository = await Repository.open(createFetchStorage(store), undefined, access);
  if (prefixes.length > 0) await repository.setHttpVirtualChunkFetcher(createHttpVirtualChunkFetcher());
  return repository.readonlySession({ branch: options.branch });
}

await drive(async (array) => {
  if (array.kind !== "icechunk") throw new Error(`has no store for ${array.kind}`);
  const session = await sessionOf(array);
  return readFrom(session.store, array);
});
