/** The entry of `zarr-view.js`: defines the element `<zarr-view>`, once. */

import { ZarrView } from "./zarr_view.js";

if (!customElements.get("zarr-view")) customElements.define("zarr-view", ZarrView);
