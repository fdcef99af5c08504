/** The entry of the page: loads the style sheets and starts the viewer with the page's URL. */

import "../style/page.css";
import "../style/stage.css";
import "../style/contents.css";
import "../style/panels.css";
import "../style/small.css";
import { dropSecretSources } from "./opening/recent.js";
import { readUrlState } from "./opening/url_state.js";
import { byId } from "./page/element.js";
import { setKnownLanguage } from "./page/language.js";
import { Messages } from "./panels/messages.js";
import { explain } from "./text/errors.js";
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
