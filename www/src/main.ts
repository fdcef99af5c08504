/** The page's program: the style sheets, and a viewer for what the page's address asks for. */

import "./style.css";
import "./side.css";
import "./picture.css";
import { readUrlState } from "./url_state.js";
import { Viewer } from "./viewer.js";

async function start(): Promise<void> {
  const viewer = await Viewer.create();
  await viewer.open(readUrlState(location.search));
}

void start();
