/**
 * Faults in a page: a server that answers wrongly, workers that die, and a policy that forbids
 * wasm.
 */
import * as zarr from "zarr-wasm";
import { TIMEOUTS as OF_CALLER } from "../../dist/modules/engine/ts/host/caller.js";
import { TIMEOUTS as OF_PAGE } from "../../dist/modules/engine/ts/port/timeouts.js";
import { campaign, cases, drawn, OPERATIONS } from "../support/faults/campaign.mjs";
import { DAMAGE, damage } from "../support/faults/damaged_caches.mjs";
import { MOMENTS, Reaper, store, verdict } from "../support/faults/dying_workers.mjs";
import { equal, ok, test } from "./harness.mjs";

/** A case of a worker that dies must end within this time. */
const PATIENCE_MS = 30_000;
/** A worker that dies each time may be replaced so often in one read of 16 chunks. */
const MAX_WORKERS = 80;

test(
  "each fault of a server ends in the right elements or in a typed error",
  async () => {
    const unhandled = [];
    const listen = ({ reason }) => unhandled.push(String(reason));
    addEventListener("unhandledrejection", listen);
    const { url, classes } = await (await fetch("/faults")).json();
    await zarr.init({ onWarning() {} });
    const { table, failed } = await campaign(zarr, url, cases(classes, 53));
    console.error(`the campaign of faults\n${drawn(table)}`);
    removeEventListener("unhandledrejection", listen);
    await zarr.init({ onWarning: console.warn });
    equal(failed, []);
    equal(unhandled, []);
  },
  { timeout: 120_000 },
);

test(
  "damaged entries of the persistent cache are requested again",
  async () => {
    const { url } = await (await fetch("/faults")).json();
    let tried = 0;
    for (const kind of ["v2", "v3", "raw", "sharded", "consolidated"]) {
      for (const [what, make] of Object.entries(DAMAGE)) {
        // Without consolidated metadata, nothing lists the children.
        const operations = ["whole", "part", "stream", ...(kind === "consolidated" ? ["children"] : [])];
        for (const [at, operation] of operations.entries()) {
          const name = `damaged-${kind}-${what}-${operation}`;
          // The server does as it should: no request is named.
          const address = `${url}/${encodeURIComponent("a page with 200")}/${kind}?case=${name}`;
          const act = (persistentCache) =>
            OPERATIONS[operation](zarr, zarr.root(new zarr.FetchStore(address, { persistentCache })));
          equal(await act({ name }), undefined, `${name}, before`);
          await new zarr.PersistentCache({ name }).usage();
          ok((await damage(name, make, at % 2 ? undefined : at)) > 1, name);
          // The open cache, and that of the next page.
          for (const cache of [{ name }, { name, maxBytes: 1e6 }]) {
            equal(await act(cache), undefined, name);
            tried += 1;
          }
          await caches.delete(name);
        }
      }
    }
    console.error(`damaged entries: ${tried} cases, all right`);
    equal(tried, Object.keys(DAMAGE).length * (5 * 3 + 1) * 2);
  },
  { timeout: 120_000 },
);

/** Runs reads while the reaper ends workers of the page. */
async function withReaper(Mortal, act) {
  const { Worker } = globalThis;
  const usual = { ...OF_PAGE };
  globalThis.Worker = Mortal;
  for (const timeouts of [OF_PAGE, OF_CALLER]) Object.assign(timeouts, SHORT);
  try {
    return await act();
  } finally {
    globalThis.Worker = Worker;
    for (const timeouts of [OF_PAGE, OF_CALLER]) Object.assign(timeouts, usual);
    zarr.dispose();
    await zarr.init({ engine: "worker" });
  }
}

let reaper = new Reaper("never", "terminate", 0);

/**
 * A worker that the reaper may end. `terminate` sends no event, as when a browser ends a worker.
 */
class Mortal extends Worker {
  #heard = 0;
  #posted = 0;

  constructor(...made) {
    super(...made);
    reaper.made += 1;
    this.addEventListener("message", () => {
      this.#heard += 1;
      // After the package has heard of the message.
      queueMicrotask(() => reaper.passed(this, "heard", this.#heard));
    });
    reaper.passed(this, "made");
  }

  postMessage(...message) {
    super.postMessage(...message);
    this.#posted += 1;
    reaper.passed(this, "posted", this.#posted);
  }

  die(how) {
    // Events of workers are tasks of their own.
    if (how === "throw")
      setTimeout(() => this.dispatchEvent(new ErrorEvent("error", { message: "it threw" })));
    else super.terminate();
  }
}

/** So short that the cases of silent workers end soon. */
const SHORT = { startMs: 2_000, pingMs: 250, silentMs: 1_500 };

for (const engine of ["caller", "worker"]) {
  for (const how of ["terminate", "throw"]) {
    for (const most of [1, Number.POSITIVE_INFINITY]) {
      const times = most === 1 ? "one worker dies" : "every worker dies";
      test(
        `a read ends, engine with ${engine}, ${how}: ${times}`,
        () =>
          withReaper(Mortal, async () => {
            const files = await store();
            for (const moment of MOMENTS) {
              zarr.dispose();
              reaper = new Reaper("never", how, 0);
              await zarr.init({ engine, workers: 2 });
              if (engine === "worker") zarr.dispose();
              reaper = new Reaper(moment, how, most);
              const said = await verdict(zarr, files, moment === "made" ? 2 * PATIENCE_MS : PATIENCE_MS);
              ok(said === "right" || said === "typed", `${moment}: ${said}`);
              ok(reaper.made <= MAX_WORKERS, `${moment}: ${reaper.made} workers`);
              reaper = new Reaper("never", how, 0);
              equal(await verdict(zarr, files, PATIENCE_MS), "right", `after ${moment}`);
            }
          }),
        { timeout: 200_000 },
      );
    }
  }
}

test("a page whose policy forbids wasm is told the directive to add", async () => {
  const policy = "default-src 'none'; script-src 'self'; worker-src 'none'; connect-src 'self'";
  const blobs = "default-src 'none'; script-src 'self'; worker-src blob:; connect-src 'self'";
  for (const one of [policy, blobs]) {
    const frame = document.createElement("iframe");
    const loaded = new Promise((resolve) => {
      window.onStrictFrame = (inner) => resolve(inner.zarr);
    });
    frame.src = `/frame?${new URLSearchParams({ policy: one, script: "/frames/strict.mjs" })}`;
    document.documentElement.append(frame);
    try {
      const inner = await loaded;
      const array = await inner
        .open(await store(), { kind: "array" })
        .then((opened) => opened.get(null))
        .catch((thrown) => thrown);
      equal(array.code, "Unsupported", String(array));
      ok(array.message.includes("script-src 'wasm-unsafe-eval'"), array.message);
    } finally {
      window.onStrictFrame = undefined;
      frame.remove();
    }
  }
});
