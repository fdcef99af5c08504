/**
 * Modules without a file, which `scripts/texts.mjs`, `scripts/lazy.mjs` and
 * `scripts/functions.mjs` make.
 */

/** Loads the lazy code. Each entry of one file has it inside (`entry/source/lazy.ts`). */
declare module "#lazy" {
  export const lazy: () => Promise<typeof import("./entry/lazy.ts")>;
}

/**
 * The engine's wasm as base64 of a deflate-raw stream, and the workers' programs as classic
 * scripts.
 */
declare module "#engine-texts" {
  export const wasm: string;
  export const decoder: string;
  export const engine: string;
}

/** The light build: `src/light/ts/light.ts` with its wasm. */
declare module "#light" {
  export const startLight: (
    start: import("../engine/ts/port/light_server.ts").LightStart,
  ) => Promise<import("../engine/ts/port/light_server.ts").LightServer>;
}

/** The light build's wasm as base64 of a deflate-raw stream. */
declare module "#light-text" {
  const text: string;
  export default text;
}

/** The workers' programs alone. */
declare module "#engine-programs" {
  export const decoder: string;
  export const engine: string;
}

/**
 * The wasm of a build as base64 of a Zstandard frame, with the engine's wasm as prefix.
 */
declare module "#*-wasm" {
  const text: string;
  export default text;
}

/** wasm-bindgen's JavaScript of a build of the engine: see `host/glue.ts`. */
declare module "#engine-glue" {
  const make: import("../engine/ts/host/glue.ts").MakeGlue<
    typeof import("../../target/glue/engine/zarr_wasm.js")
  >;
  export default make;
}
declare module "#reading-glue" {
  const make: import("../engine/ts/host/glue.ts").MakeGlue<
    typeof import("../../target/glue/reading/zarr_wasm.js")
  >;
  export default make;
}
declare module "#full-glue" {
  const make: import("../engine/ts/host/glue.ts").MakeGlue<
    typeof import("../../target/glue/full/zarr_wasm.js")
  >;
  export default make;
}

/** The element of the viewer, whose code is in `www/src/app/embed`: see `scripts/embed.mjs`. */
declare module "#view" {
  export const ZarrView: {
    new (): import("./entry/view.ts").ZarrViewElement;
    prototype: import("./entry/view.ts").ZarrViewElement;
  };
}
