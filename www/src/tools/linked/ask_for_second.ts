/** Asks what a picture is compared with, when it is known what there is beside it. */

import type { UrlState } from "../../model/state/url_state.js";
import { showCompareDialog } from "./compare_dialog.js";
import type { SceneShown } from "./linked_views.js";
import { variablesBeside } from "./second.js";

export async function askForSecond(
  shown: SceneShown,
  at: Readonly<Record<string, number>>,
  signal: AbortSignal,
  choose: (state: UrlState) => void,
): Promise<void> {
  const variables = await variablesBeside(shown, signal);
  if (!signal.aborted)
    showCompareDialog({ scene: shown.scene, at, source: shown.dataset.source.key, variables }, choose);
}
