#!/usr/bin/env node
/**
 * The command `zarr-wasm <folder>`: writes the wasm files and the worker's program into a folder,
 * for `zarr-wasm/slim`. The package itself has each wasm module once, as text.
 */
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as engine from "#engine-texts";
import { WASM_FILE } from "../../contract/contract.ts";
import { inflated, unpacked } from "../../engine/ts/host/wasm_builds.ts";
import { texts } from "./source/whole_texts.ts";

const WORKER = new URL("../../../worker.js", import.meta.url);

async function writeFiles(folder: string): Promise<void> {
  const at = (name: string) => join(folder, name);
  await mkdir(folder, { recursive: true });
  const engineBytes = (await inflated(engine.wasm)) as Uint8Array<ArrayBuffer>;
  await writeFile(at(WASM_FILE.engine), engineBytes);
  const module = await WebAssembly.compile(engineBytes);
  for (const [build, zstandard] of Object.entries(texts)) {
    const bytes = await unpacked({ zstandard, engine: { deflated: engine.wasm } }, module);
    await writeFile(at(WASM_FILE[build as keyof typeof texts]), bytes);
  }
  await copyFile(WORKER, at("worker.js"));
}

const folder = process.argv[2];
if (process.argv.length !== 3 || folder === undefined || folder.startsWith("-")) {
  console.error("usage: zarr-wasm <folder>    writes the wasm files and worker.js, for zarr-wasm/slim");
  process.exitCode = 1;
} else {
  await writeFiles(folder);
}
