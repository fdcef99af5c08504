/**
 * A page that writes to a folder of the private file system while another one reads it, that stops
 * after some calls of its store, so that it can be removed there, or that holds locks until it is
 * removed.
 */
import * as zarr from "/dist/index.js";

const given = new URL(import.meta.url).searchParams;
const store = new zarr.OpfsStore(given.get("folder"));
const say = (told) => parent.postMessage({ told }, "*");

/** Writes a number after another to each chunk, or to the whole shard. */
async function writeAgain() {
  const array = await zarr.open(store, { path: "a", kind: "array" });
  say("writing");
  for (let value = 1; ; value += 1) {
    await array.set(null, value % 2 === 0 ? value : 2 ** 30 - value);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The store, until it has answered this many calls. Then it is silent. */
function silentAfter(calls) {
  let left = Number.POSITIVE_INFINITY;
  const method =
    (name) =>
    async (...args) => {
      if (left <= 0) return new Promise(() => {});
      const answer = await store[name](...args);
      left -= 1;
      if (left === 0) say("silent");
      return answer;
    };
  const names = ["get", "getRange", "set", "delete", "list", "listDir", "size"];
  const begin = () => {
    left = calls;
  };
  return Object.assign(Object.fromEntries(names.map((name) => [name, method(name)])), { begin });
}

async function change(name, calls) {
  const silent = silentAfter(calls);
  const options = { path: "a", shape: [5], chunkShape: [2], shardShape: [4], dtype: "int32", fillValue: -1 };
  const array = await zarr.create(silent, options);
  await array.set(null, [1, 2, 3, 4, 5]);
  silent.begin();
  if (name === "grow") await array.resize([9]);
  if (name === "shrink") await array.resize([2]);
  if (name === "append") await array.append([6, 7, 8, 9]);
  say("done");
}

/** Holds a lock that the package takes. */
const holdLock = (name) =>
  new Promise((held) => {
    navigator.locks.request(name, () => {
      held();
      return new Promise(() => {});
    });
  });

/** Holds files, so that no other page can write them. */
async function holdFile(path) {
  const names = path.split("/");
  const name = names.pop();
  let folder = await navigator.storage.getDirectory();
  for (const each of names) folder = await folder.getDirectoryHandle(each);
  await (await folder.getFileHandle(name)).createWritable({ mode: "exclusive" });
}

async function hold() {
  await Promise.all([...given.getAll("lock").map(holdLock), ...given.getAll("file").map(holdFile)]);
  say("holding");
}

const does = given.get("does");
const actions = { writes: writeAgain, holds: hold };
const doing = actions[does]?.() ?? change(does, Number(given.get("calls")));
doing.catch((error) => say({ error: String(error.stack) }));
