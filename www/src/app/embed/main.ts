/**
 * The entry of `zarr-view.js` and of `zarr-wasm/view`: defines the element `<zarr-view>`, once,
 * where there are elements.
 */

import { ZarrView } from "./zarr_view.js";

if (globalThis.customElements && !customElements.get("zarr-view"))
  customElements.define("zarr-view", ZarrView);

export { ZarrView };
