/**
 * Modules without a file, which `scripts/texts.mjs`, `scripts/lazy.mjs` and `scripts/glue.mjs`
 * make.
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

/** What the wasm builds import and export, by short names: see `host/glue.ts`. */
declare module "#glue-tables" {
  export const forms: Record<string, string>;
  export const importsOf: (build: string, called: object) => Record<string, unknown>;
}

/** The element of the viewer, whose code is in `www/src/app/embed`: see `scripts/embed.mjs`. */
declare module "#view" {
  export const ZarrView: {
    new (): import("./entry/view.ts").ZarrViewElement;
    prototype: import("./entry/view.ts").ZarrViewElement;
  };
}
