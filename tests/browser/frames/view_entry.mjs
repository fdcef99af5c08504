/** The script of a page that has `<zarr-view>` from the package. */
import "zarr-wasm/view";
