/**
 * Starts the viewer with the state in the page's URL.
 *
 * The viewer uses two words for what it shows:
 *
 * - A *content* is what the viewer has read of a node, as plain values
 *   (`model/opening/content.ts`): a scene, a plate, values, a list of nodes, or an error. A scene
 *   is drawn as a picture.
 * - A *view* is the part of the page that shows a content. `ContentView` shows every kind of
 *   content, and `SceneView` shows scenes only. `MainView` is the main view, with its panels;
 *   `SideView` is a second view beside it. A snapshot is the state of a view at one moment.
 *
 * The parameter `view` of the URL is something else: it holds the position of the camera.
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
    // The viewer needs WebGL. Tell the user if it is missing.
    new Messages(byId("messages")).fail(explain(error, null));
  }
}

start();
