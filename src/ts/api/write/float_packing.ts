/**
 * Packing of floats that JavaScript has no typed array for, which the engine does. Values are
 * packed twice: the first time to learn which numbers there are, the second time with the engine's
 * answers.
 */
import { call } from "../../port/engine.ts";
import type { FloatsToPack, PackedFloats } from "../../port/operations.ts";

/** Packs numbers; the place of the first that the type cannot hold. */
export type FloatPacker = (floats: FloatsToPack) => PackedFloats;

/** What `pack` makes with the engine's packed floats. `pack` must do the same each time. */
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
