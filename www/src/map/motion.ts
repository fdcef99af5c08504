/** How the picture follows the user: with animations, or at once for those who want less motion. */

import type Collection from "ol/Collection.js";
import DragPan from "ol/interaction/DragPan.js";
import { defaults } from "ol/interaction/defaults.js";
import type Interaction from "ol/interaction/Interaction.js";

const isStill = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** The time of an animation in ms. */
export const durationOf = (usual: number): number => (isStill() ? 0 : usual);

/** The interactions of the map by mouse and touch. `keyboard.ts` has those by keys. */
export function interactionsOf(): Collection<Interaction> {
  const common = { altShiftDragRotate: false, pinchRotate: false, keyboard: false };
  if (!isStill()) return defaults(common);
  const interactions = defaults({ ...common, dragPan: false, zoomDuration: 0 });
  interactions.insertAt(0, new DragPan()); // without the kinetic of the default one
  return interactions;
}
