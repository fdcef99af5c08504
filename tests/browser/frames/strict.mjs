/** The program of a page with a strict policy: the package as it is served, handed to the test that made the page. */
import * as zarr from "/dist/index.js";

window.zarr = zarr;
window.onZarr?.();
