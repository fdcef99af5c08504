/**
 * Packs floats without a typed array in JavaScript, which the engine does. Values are packed twice:
 * first to collect the numbers, then with the engine's results.
 */
import { call } from "../../port/engine.ts";
import type { FloatsToPack, PackedFloats } from "../../port/operations.ts";

/** Packs numbers. Returns the index of the first number that the type cannot represent. */
export type FloatPacker = (floats: FloatsToPack) => PackedFloats;

/** Runs `pack` with the engine's packed floats. `pack` must do the same each time. */
export async function withPackedFloats<T>(
  pack: (floats: FloatPacker) => T,
  signal: AbortSignal | undefined,
): Promise<T> {
  const asked: FloatsToPack[] = [];
  const first = pack((floats) => {
    asked.push(floats);
    return new Uint8Array(floats.byteLength);
  });
  if (asked.length === 0) return first;
  const answers = await call("packFloats", () => ({ floats: asked }), { signal });
  let next = 0;
  return pack(() => answers[next++] as PackedFloats);
}
