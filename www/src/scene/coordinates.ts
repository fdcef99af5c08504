/** Coordinates of a scene's axes as text: numbers with their unit, dates, or names. */
import type { Scene } from "./scene.js";

/** The text of each index of an axis; the index itself where nothing says more. */
export async function axisText(
  _scene: Scene,
  _axisName: string,
  _options: { signal?: AbortSignal } = {},
): Promise<(index: number) => string> {
  return (index) => String(index);
}
