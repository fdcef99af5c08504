/**
 * Starts the viewer with the page's URL.
 *
 * Two words say what is shown, everywhere in the viewer:
 *
 * - A *content* is what has been read of a node, as plain values (`model/opening/content.ts`): a
 *   scene, which is drawn as a picture, a plate, values, a list of nodes, or an error.
 * - A *view* is a part of the page that shows a content. `ContentView` shows any content and
 *   `SceneView` only a scene. `MainView` is the page's main view, with the panels; `SideView` is a
 *   second view beside it.
 *   What a view shows at a moment is its snapshot. In the page's URL, `view` is the camera.
 */

import { dropSecretSources } from "../model/opening/recent.js";
import { readUrlState } from "../model/state/url_state.js";
import { explain } from "../model/text/errors.js";
import { byId } from "../widgets/page/element.js";
import { setKnownLanguage } from "../widgets/page/language.js";
import { Messages } from "../widgets/panels/messages.js";
import { Viewer } from "./viewer.js";

function start(): void {
  setKnownLanguage();
  dropSecretSources();
  try {
    void new Viewer().start(readUrlState(location.search));
  } catch (error) {
    // Without WebGL there is no picture, so the page shows a message.
    new Messages(byId("messages")).fail(explain(error, null));
  }
}

start();
