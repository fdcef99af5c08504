/** A page with a strict policy. Passes the package to the test that made the page. */
import * as zarr from "/dist/index.js";

window.zarr = zarr;
parent.onStrictFrame(window);
