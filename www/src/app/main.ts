/**
 * The entry of the page. It starts the engine, loads the module of the conventions, and begins to
 * open the data set. Meanwhile it loads the viewer, whose script is much longer. The viewer reports
 * any errors.
 */

import "../../style/page.css";
import "../../style/content_view.css";
import "../../style/content.css";
import "../../style/panels.css";
import "../../style/small.css";
import "../map/picture.css";
import { preload } from "zarr-wasm";
import { openEarly } from "../model/opening/early_dataset.js";
import { FIRST_SAMPLE } from "../model/opening/samples.js";

preload({ conventions: true }).catch(() => {});
openEarly(new URLSearchParams(location.search).get("source") || FIRST_SAMPLE, document.baseURI);
void import(/* webpackChunkName: "page" */ "./page.js");
