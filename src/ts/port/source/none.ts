/**
 * `#source` in the entry `zarr-wasm/slim`: nothing is inlined; `init({ wasm, workerUrl })` says where things are.
 */
export const workerSource: string | undefined = undefined;
export const engineBytes: (() => Promise<ArrayBuffer>) | undefined = undefined;
export const fullBytes: (() => Promise<ArrayBuffer>) | undefined = undefined;
export const imagesBytes: (() => Promise<ArrayBuffer>) | undefined = undefined;
export const conventionsBytes: (() => Promise<ArrayBuffer>) | undefined = undefined;
