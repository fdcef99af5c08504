/**
 * How tests wait, in Node and in pages. What must happen is waited for with `until` or `steady`,
 * which also succeed on a slow machine. `pause` is for what must not happen meanwhile.
 */

/** Longer than a busy machine takes. A test that waits so long has found a hang. */
const PATIENCE_MS = 60_000;

/** Resolves after some milliseconds. */
export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves when `holds()` is true. Rejects after twenty seconds. */
export async function until(holds) {
  const end = performance.now() + PATIENCE_MS;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`not within ${PATIENCE_MS / 1000} s: ${holds}`);
    await pause(2);
  }
}

/** Resolves when `count()` is above 0 and has not changed for a while. */
export async function steady(count) {
  await until(() => count() > 0);
  for (let before = 0; before !== count(); ) {
    before = count();
    await pause(150);
  }
}
