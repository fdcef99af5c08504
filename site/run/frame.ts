/**
 * The frame in which a block of the documentation runs. The page posts the address of a program
 * (`program.mjs`). The frame imports it and posts back what it shows, what it requested, and how
 * it ended. Each run has a frame of its own, so nothing is left of an earlier one.
 */
// biome-ignore assist/source/organizeImports: the recorder replaces `fetch` before the package sees it
import { onRecord, type TraceRecord } from "./recorder.ts";
import * as zarr from "zarr-wasm";
import { isTelling, type Shown, shownOf, textOf } from "./results.ts";

/** What the frame tells the page. `line` is the line of the block, from 1. */
export type FrameMessage =
  | { kind: "ready" }
  | { kind: "shown"; line: number; name?: string; value: Shown }
  | { kind: "log"; text: string }
  | { kind: "record"; record: TraceRecord }
  | { kind: "begun"; at: number }
  | { kind: "done"; at: number }
  | { kind: "failed"; text: string };

const post = (message: FrameMessage) => parent.postMessage(message, location.origin);
const now = () => performance.timeOrigin + performance.now();

const site = new URL("../../", import.meta.url);
const samples = new URL("samples", site).href;

/** The worker has the frame's fragment, by which their records are told from those of others. */
zarr.init({ light: true, workerUrl: new URL(`worker.js${location.hash}`, import.meta.url).href });

/** Requests of the site's own scripts are no requests of the block. */
const isOwn = (url: string) => url.startsWith(new URL("run/", site).href);
onRecord((record) => {
  if (record.kind !== "request" || !isOwn(record.url)) post({ kind: "record", record });
});

const shown = (line: number, value: unknown, name?: string) =>
  post({ kind: "shown", line, ...(name && { name }), value: shownOf(value) });

const run = {
  samples,
  /** The blocks before have run, and this one begins. */
  begin: () => post({ kind: "begun", at: now() }),
  /** Shows the value of an expression, and passes it on. */
  show<Value>(line: number, value: Value): Value {
    if (isTelling(value)) shown(line, value);
    return value;
  },
  /** Shows variables. */
  declare(line: number, variables: Record<string, unknown>): void {
    for (const [name, value] of Object.entries(variables)) if (isTelling(value)) shown(line, value, name);
  },
  /** Runs what the documentation says throws, and shows the error. Line 0 is an earlier block's. */
  async expectError(line: number, statement: () => Promise<void>): Promise<void> {
    try {
      await statement();
    } catch (error) {
      if (line > 0) shown(line, error);
      return;
    }
    if (line > 0) shown(line, "no error was thrown");
  },
};
Object.assign(globalThis, { zarrRun: run });

const { log } = console;
console.log = (...values: unknown[]) => {
  post({ kind: "log", text: values.map((value) => textOf(value)).join(" ") });
  log.apply(console, values);
};

const failed = (reason: unknown) => post({ kind: "failed", text: textOf(reason) });
addEventListener("unhandledrejection", ({ reason }) => failed(reason));

addEventListener("message", async ({ data, source, origin }) => {
  if (source !== parent || origin !== location.origin || typeof data?.program !== "string") return;
  try {
    await import(/* @vite-ignore */ data.program);
    post({ kind: "done", at: now() });
  } catch (error) {
    failed(error);
  }
});

post({ kind: "ready" });
