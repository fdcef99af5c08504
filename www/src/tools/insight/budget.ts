/** The limit of the engine's caches in bytes, encoded and decoded: the package's default. */
export const BUDGET_BYTES = (64 + 128) * 2 ** 20;
