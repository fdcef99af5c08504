/** The page's program: the style sheet, and a viewer for what the page's address asks for. */

import "./style.css";
import { Viewer } from "./viewer.js";

const asked = new URLSearchParams(location.search);
const viewer = new Viewer();
// The page's own tests reach the picture through it.
Object.assign(globalThis, { viewer });
void viewer.open(
  asked.get("source") ?? undefined,
  asked.get("path") ?? undefined,
  asked.get("variable") ?? undefined,
);
