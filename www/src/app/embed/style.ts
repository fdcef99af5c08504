/**
 * The style sheet of `<zarr-view>`: that of the viewer's page and views, inside of a shadow root.
 * The script makes it, so that policies for style elements do not matter, and pages keep theirs.
 */

import uplot from "uplot/dist/uPlot.min.css";
import content from "../../../style/content.css";
import view from "../../../style/content_view.css";
import linked from "../../../style/linked.css";
import page from "../../../style/page.css";
import plots from "../../../style/plots.css";
import picture from "../../map/picture.css";
import own from "./embed.css";

let sheet: CSSStyleSheet | undefined;

/** The sheet, which all elements share. */
export function styleSheet(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(
      [page, picture, view, content, uplot, plots, linked, own].join("\n").replaceAll(":root", ":host"),
    );
  }
  return sheet;
}
