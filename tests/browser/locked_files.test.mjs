/** Writes to files that another page has locked, and their aborts. */
import * as zarr from "zarr-wasm";
import { equal, ok, rejects, test } from "./harness.mjs";

const NAME = "locked-files";

/** Holds all locks of a store's keys, as another page does that writes to them. */
async function withLocks(keys, act) {
  let release;
  const released = new Promise((resolve) => {
    release = resolve;
  });
  const held = keys.map(
    (key) =>
      new Promise((granted) => {
        navigator.locks.request(`zarr-wasm opfs:/${NAME} ${key}`, () => {
          granted();
          return released;
        });
      }),
  );
  await Promise.all(held);
  try {
    return await act();
  } finally {
    release();
  }
}

/** Waits until a lock is waited for. */
async function waited() {
  for (;;) {
    const { pending } = await navigator.locks.query();
    if (pending.some(({ name }) => name.includes(NAME))) return;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

test("OPFS: an abort while another page holds the lock rejects, and writes nothing", async () => {
  const store = new zarr.OpfsStore(NAME);
  const array = await zarr.create(store, { path: "a", shape: [4], chunkShape: [4], dtype: "uint8" });
  await array.set(null, new Uint8Array([1, 2, 3, 4]));
  const calls = {
    set: (signal) => array.set([zarr.slice(0, 2)], 9, { signal }),
    resize: (signal) => array.resize([8], { signal }),
    append: (signal) => array.append(new Uint8Array([5]), { signal }),
    updateAttributes: (signal) => array.updateAttributes({ x: 1 }, { signal }),
    erase: (signal) => zarr.erase(array, { signal }),
    create: (signal) =>
      zarr.create(store, { path: "a", shape: [1], dtype: "uint8", overwrite: true, signal }),
  };
  const keys = ["a/c/0", "a/zarr.json", "a/.zarray", "a/.zgroup"];
  for (const [name, call] of Object.entries(calls)) {
    await withLocks(keys, async () => {
      const controller = new AbortController();
      const reason = new Error(`enough of ${name}`);
      const done = call(controller.signal);
      done.catch(() => {});
      await waited();
      controller.abort(reason);
      await rejects(done, (error) => error === reason || error.cause === reason);
    });
    const again = await zarr.open(store, { path: "a", kind: "array" });
    equal([...(await again.get()).data], [1, 2, 3, 4], name);
    ok(again.attrs.x === undefined, name);
  }
  await zarr.erase(store, {});
});
