/** Three ways to install, as code to paste. `tests/site/home.spec.mjs` runs them. */
import { SAMPLES } from "../../run/samples.mjs";

declare const __VERSION__: string;
const version = __VERSION__;
const CDN = `https://cdn.jsdelivr.net/npm/zarr-wasm@${version}/dist`;
const CLIMATE = `${SAMPLES}/climate.zarr`;

const NPM = `npm install zarr-wasm

import * as zarr from "zarr-wasm";

const url = "${CLIMATE}";
const air = await zarr.open(url, { path: "air_temperature", kind: "array" });
const { data, shape } = await air.get({ time: 0 }, { decode: "cf" });`;

const SCRIPT = `<script src="${CDN}/script.js"></script>
<script>
  zarr.open("${CLIMATE}", { path: "air_temperature" })
    .then((air) => air.get({ time: 0 }))
    .then(({ shape }) => console.log(shape));
</script>`;

const MODULE = `<script type="module">
  import * as zarr from "${CDN}/index.js";

  const air = await zarr.open("${CLIMATE}", { path: "air_temperature" });
  console.log((await air.get({ time: 0 })).shape);
</script>`;

export const WAYS = [
  ["From npm, with any bundler and in Node", NPM],
  ["A script tag", SCRIPT],
  ["A module from a CDN", MODULE],
] as const;
