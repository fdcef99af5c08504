/** Asks what a picture is compared with, when it is known what there is beside it. */

import type { SceneContent } from "../../model/opening/content.js";
import type { UrlState } from "../../model/state/url_state.js";
import { showCompareDialog } from "./compare_dialog.js";
import { variablesBeside } from "./second.js";

export async function askForSecond(
  content: SceneContent,
  at: Readonly<Record<string, number>>,
  signal: AbortSignal,
  choose: (state: UrlState) => void,
): Promise<void> {
  const variables = await variablesBeside(content, signal);
  if (!signal.aborted)
    showCompareDialog({ scene: content.scene, at, source: content.dataset.source.key, variables }, choose);
}
