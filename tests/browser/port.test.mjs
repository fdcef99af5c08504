/** The port in a page: its contract with both kinds of engine, and the start of workers. */
import * as zarr from "zarr-wasm";
import { TIMEOUTS } from "../../dist/modules/engine/ts/port/timeouts.js";
import { CONTRACT, madeStore } from "../support/port_contract.mjs";
import { equal, ok, test } from "./harness.mjs";
import { until } from "./viewer_frame.mjs";

const sets = (value) => (value instanceof Set ? [...value] : value);

const assertions = {
  zarr,
  ok,
  same: (actual, expected) => equal(sets(actual), sets(expected)),
  equal: (actual, expected) => {
    if (!Object.is(actual, expected)) throw new Error(`expected ${String(expected)}, got ${String(actual)}`);
  },
};

/** Runs a test with another kind of engine, and restores the kind. */
async function withEngine(engine, act) {
  zarr.dispose();
  await zarr.init({ engine });
  try {
    return await act();
  } finally {
    zarr.dispose();
    await zarr.init({ engine: "worker" });
  }
}

for (const engine of ["worker", "caller"]) {
  for (const [name, holds] of Object.entries(CONTRACT)) {
    test(`engine with ${engine === "worker" ? "a worker" : "the caller"}: ${name}`, () =>
      withEngine(engine, () => holds(assertions)));
  }
}

test("a page's engine runs in a worker by default", async () => {
  zarr.dispose();
  await zarr.open(madeStore(), { kind: "array" });
  equal(zarr.info().engine, "blob");
  await withEngine("caller", () => equal(zarr.info().engine, "caller"));
});

test("the engine's requests have the page's referrer and cookies", async () => {
  const { href, origin } = location;
  await fetch(`${origin}/echo/cookie`);
  for (const engine of ["worker", "caller"]) {
    await withEngine(engine, async () => {
      const { attrs } = await zarr.open(`${origin}/echo/${engine}`, { kind: "group" });
      equal(attrs.referer, href, engine);
      equal(attrs.cookie, "zarr=1", engine);
      const store = new zarr.FetchStore(`${origin}/echo/omit`, { credentials: "omit" });
      equal((await zarr.open(store, { kind: "group" })).attrs.cookie, "");
    });
  }
});

test("a service worker sees the engine's requests", async () => {
  const registration = await navigator.serviceWorker.register("/echo/service_worker.js", { scope: "/" });
  await navigator.serviceWorker.ready;
  if (!navigator.serviceWorker.controller) {
    await new Promise((resolve) =>
      navigator.serviceWorker.addEventListener("controllerchange", resolve, { once: true }),
    );
  }
  try {
    await withEngine("worker", async () => {
      const { attrs } = await zarr.open(`${location.origin}/by-service-worker`, { kind: "group" });
      equal(attrs.from, "service worker");
    });
  } finally {
    await registration.unregister();
  }
});

/** A worker of the engine's script with an additional line. */
function engineWorker(line = "") {
  const engine = JSON.stringify(new URL("/dist/worker.js", location.href).href);
  const source = new Blob([`import ${engine}; ${line}`], { type: "text/javascript" });
  return new Worker(URL.createObjectURL(source), { type: "module" });
}

/** A store that never answers the first read of a chunk, and counts these reads. */
function silentAtFirst(inner) {
  const store = {
    asked: 0,
    get(key) {
      if (key.startsWith("/c/")) store.asked += 1;
      return store.asked === 1 ? new Promise(() => {}) : Promise.resolve(inner.get(key));
    },
  };
  return store;
}

test("an engine that crashed is replaced: reads are repeated, and writes reject", async () => {
  zarr.dispose();
  let made;
  const worker = () => {
    made = engineWorker();
    return made;
  };
  await zarr.init({ worker });
  equal(zarr.info().engine, "custom");
  const inner = madeStore();
  const store = silentAtFirst(inner);
  const array = await zarr.open(store, { kind: "array" });
  const reading = array.get([0, 0]);
  await until(() => store.asked > 0, "the first read");
  // WebKit delivers no events of a worker that has been terminated.
  made.dispatchEvent(new ErrorEvent("error", { message: "out of memory" }));
  made.terminate();
  equal([...(await reading).data], [0]);
  ok(zarr.info().panics >= 1);
  let isWriting = false;
  const never = {
    get: (key) => inner.get(key),
    set: () => {
      isWriting = true;
      return new Promise(() => {});
    },
  };
  const target = await zarr.open(never, { kind: "array" });
  const writing = target.set([0, 0], 7).catch((error) => error);
  await until(() => isWriting, "the write");
  made.dispatchEvent(new ErrorEvent("error", { message: "out of memory" }));
  equal((await writing).code, "Unsupported");
  zarr.dispose();
  await zarr.init({ worker: null });
});

/** An engine's worker that loops forever after a message on the channel with this name. */
const blockable = (name) => () =>
  engineWorker(`new BroadcastChannel("${name}").onmessage = () => { for (;;); };`);

/** Runs a test with engines that can be blocked, and with short waiting times. */
async function withBlockable(act) {
  const usual = { ...TIMEOUTS };
  const name = `block-${Math.random()}`;
  const channel = new BroadcastChannel(name);
  Object.assign(TIMEOUTS, { pingMs: 100, silentMs: 700 });
  zarr.dispose();
  await zarr.init({ worker: blockable(name) });
  try {
    await act(() => channel.postMessage("block"));
  } finally {
    Object.assign(TIMEOUTS, usual);
    channel.close();
    zarr.dispose();
    await zarr.init({ worker: null });
  }
}

test("an engine that is silent is replaced: reads are repeated", () =>
  withBlockable(async (block) => {
    const store = silentAtFirst(madeStore());
    const array = await zarr.open(store, { kind: "array" });
    const before = zarr.info().panics;
    const reading = array.get([3, 4]);
    await until(() => store.asked === 1, "the first read");
    block();
    equal([...(await reading).data], [304]);
    equal(store.asked, 2);
    equal(zarr.info().panics, before + 1);
  }));

test("an engine that is silent is replaced: writes reject, and the next one goes", () =>
  withBlockable(async (block) => {
    const inner = madeStore();
    let writes = 0;
    const store = {
      get: (key) => inner.get(key),
      set: (key, value) => {
        writes += 1;
        if (writes === 1) return new Promise(() => {});
        inner.set(key, value);
      },
    };
    const array = await zarr.open(store, { kind: "array" });
    const writing = array.set([0, 0], 7).catch((error) => error);
    await until(() => writes === 1, "the write");
    block();
    const error = await writing;
    ok(error instanceof zarr.ZarrError, String(error));
    equal([error.code, /the engine was lost: no answer/.test(error.message)], ["Unsupported", true]);
    equal(writes, 1);
    await array.set([0, 0], 8);
    equal([...(await array.get([0, 0])).data], [8]);
  }));

test("a worker that does not answer in time is skipped, and the next place is tried", async () => {
  const usual = { ...TIMEOUTS };
  TIMEOUTS.startMs = 3000; // a busy machine starts the next place within that
  const silent = () => new Worker(URL.createObjectURL(new Blob([""], { type: "text/javascript" })));
  zarr.dispose();
  await zarr.init({ worker: silent });
  try {
    const array = await zarr.open(madeStore(), { kind: "array" });
    equal([...(await array.get([1, 2])).data], [102]);
    const { engine, refused } = zarr.info();
    equal(engine, "blob");
    ok(refused.includes("custom: the worker's script did not answer in time"), refused.join());
  } finally {
    Object.assign(TIMEOUTS, usual);
    zarr.dispose();
    await zarr.init({ worker: null });
  }
});

test("a worker of another release is skipped, and the next place is tried", async () => {
  const answer = [{ type: "status" }, { type: "broken", reason: "another release", field: "protocol" }];
  const script = `onmessage = () => postMessage(${JSON.stringify(answer)});`;
  const other = () => new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
  zarr.dispose();
  await zarr.init({ worker: other });
  try {
    const array = await zarr.open(madeStore(), { kind: "array" });
    equal([...(await array.get([1, 2])).data], [102]);
    const { engine, refused } = zarr.info();
    equal(engine, "blob");
    ok(refused.includes("custom: another release"), refused.join());
  } finally {
    zarr.dispose();
    await zarr.init({ worker: null });
  }
});

test("an engine that waits for a slow store is not replaced", () =>
  withBlockable(async () => {
    const inner = madeStore();
    const before = zarr.info().panics;
    const store = {
      async get(key) {
        if (key.startsWith("/c/")) await new Promise((resolve) => setTimeout(resolve, 1500));
        return inner.get(key);
      },
    };
    const array = await zarr.open(store, { kind: "array" });
    equal([...(await array.get([3, 4])).data], [304]);
    equal(zarr.info().panics, before);
  }));

/** Loads the package in a frame with this policy. Resolves to the report of its script. */
async function inFrame(policy, attributes = {}, script = "/frames/thread_kinds.mjs") {
  const frame = document.createElement("iframe");
  for (const [name, value] of Object.entries(attributes)) frame.setAttribute(name, value);
  const told = new Promise((resolve, reject) => {
    const listen = ({ data, source }) => {
      if (source !== frame.contentWindow || !data?.told) return;
      removeEventListener("message", listen);
      resolve(data.told);
    };
    addEventListener("message", listen);
    setTimeout(() => reject(new Error("the frame said nothing")), 20_000);
  });
  frame.src = `/frame?${new URLSearchParams({ policy, script })}`;
  document.body.append(frame);
  try {
    return await told;
  } finally {
    frame.remove();
  }
}

const SCRIPTS = "script-src 'self' 'wasm-unsafe-eval'";

test("places: with a policy against blob workers the engine runs on the caller's thread", async () => {
  const told = await inFrame(`default-src 'self'; ${SCRIPTS}; worker-src 'none'`);
  equal([told.engine, told.value], ["caller", 2]);
});

test("places: a policy that allows blob workers", async () => {
  const told = await inFrame(`default-src 'self'; ${SCRIPTS}; worker-src blob:`);
  equal([told.engine, told.value], ["blob", 2]);
});

test("places: Trusted Types", async () => {
  const policy = `${SCRIPTS}; worker-src blob:; require-trusted-types-for 'script'; trusted-types zarr-wasm`;
  const told = await inFrame(policy);
  equal([told.engine, told.value], ["blob", 2]);
});

test("places: Trusted Types without a policy for this package", async () => {
  const told = await inFrame(
    `${SCRIPTS}; worker-src blob:; require-trusted-types-for 'script'; trusted-types other`,
  );
  equal([told.engine, told.value], ["caller", 2]);
});

test("places: a sandboxed frame without an origin", async () => {
  const told = await inFrame("", { sandbox: "allow-scripts" });
  equal([["blob", "caller"].includes(told.engine), told.value], [true, 2]);
});

test("a chunk that cannot be loaded gives a typed error with advice", async () => {
  const told = await inFrame("", {}, "/frames/lost_chunk.mjs");
  equal([told.code, /reload the page/.test(told.message)], ["Store", true]);
});
