/** A page that loses its network and gets it back. Opens an array and reads it on demand. */
import * as zarr from "/dist/index.js";

let array;

window.begin = async (engine, url) => {
  zarr.dispose();
  await zarr.init({ engine });
  array = await zarr.open(url, { kind: "array" });
};

window.read = async () => {
  try {
    const { data } = await array.get(null, { cache: "reload" });
    return { length: data.length };
  } catch (error) {
    return { code: error.code, message: error.message, cause: error.cause?.name };
  }
};
