/** The entry of the page: loads the style sheets and starts the viewer with the page's URL. */

import "../../style/page.css";
import "../../style/content_view.css";
import "../../style/content.css";
import "../../style/panels.css";
import "../../style/small.css";
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
