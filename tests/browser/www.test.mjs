/** The viewer shows the demo data, follows its controls, and says in words what went wrong. */
import { equal, fixture, ok, test } from "./harness.mjs";
import { openViewer, until } from "./www_frame.mjs";

const CELLS = "./demo/cells.ome.zarr";
const CLIMATE = "./demo/climate.zarr";

const different = (before, after) => before.some((value, index) => Math.abs(value - after[index]) > 8);

test("viewer: without parameters the demo's picture is drawn", async () => {
  const viewer = await openViewer();
  await viewer.drawn();
  ok(viewer.colours() > 40, `a picture of cells has many greys, this one ${viewer.colours()} colours`);
  ok(viewer.text("#tree").includes("cells.ome.zarr"), "the tree names the data set");
  ok(/Requests \d+/.test(viewer.text("#counters")), "requests are counted");
});

test("viewer: a slider turns to another plane, and the address follows", async () => {
  const viewer = await openViewer(`?source=${CELLS}`);
  await viewer.drawn();
  const before = viewer.pixels();
  viewer.set('.slider input[type="range"]', 1);
  await viewer.drawn();
  ok(different(before, viewer.pixels()), "another channel is another picture");
  await until(() => viewer.query.get("at")?.startsWith("1,"), "the index in the address");
});

test("viewer: an address opens the same node, indices, contrast and colours", async () => {
  const query = `?source=${CELLS}&path=2&at=2,7,0,0&contrast=100,900&colours=viridis`;
  const viewer = await openViewer(query);
  await viewer.drawn();
  equal(viewer.find('[aria-selected="true"]').dataset.path, "2");
  equal(
    [...viewer.document.querySelectorAll('.slider input[type="number"]')].map((field) => field.value),
    ["2", "7"],
  );
  equal(viewer.find("#contrast-auto").checked, false, "automatic contrast");
  const pixels = viewer.pixels();
  const coloured = pixels.some((red, at) => at % 4 === 0 && Math.abs(red - pixels[at + 2]) > 60);
  ok(coloured, "viridis is no grey");
  for (const name of ["low limit", "high limit"]) {
    const field = [...viewer.document.querySelectorAll('#contrast input[type="number"]')].find(
      (input) => input.getAttribute("aria-label").toLowerCase() === name,
    );
    equal(field.value, name === "low limit" ? "100" : "900", name);
  }
});

test("viewer: a pyramid opens at the coarsest level that fills the view", async () => {
  const viewer = await openViewer(`?source=${CELLS}`);
  await viewer.drawn();
  const sides = { 0: 1024, 1: 512, 2: 256, 3: 128 };
  const { clientWidth, clientHeight } = viewer.find("#plane").parentElement;
  const fills = Object.keys(sides).filter(
    (level) => sides[level] >= clientWidth || sides[level] >= clientHeight,
  );
  equal(viewer.find("#level").value, fills.at(-1) ?? "0", `a view of ${clientWidth} × ${clientHeight}`);
});

test("viewer: consolidated metadata lists every node, with shape and type", async () => {
  const viewer = await openViewer(`?source=${CLIMATE}`);
  await viewer.drawn();
  const rows = [...viewer.document.querySelectorAll('[role="treeitem"]')].map((item) => item.dataset.path);
  equal(rows, ["", "land", "lat", "lon", "pr", "sst", "tas", "time", "ua"]);
  const lat = viewer.find('[data-path="lat"]');
  await until(() => lat.textContent.includes("180 float32"), "the shape of lat");
});

test("viewer: a node's conventions are listed", async () => {
  const viewer = await openViewer(`?source=${CELLS}`);
  await until(() => /ome 0\.\d: recognised/.test(viewer.find(".conventions")?.textContent ?? ""), "OME-Zarr");
  const climate = await openViewer(`?source=${CLIMATE}&path=tas`);
  await until(() => climate.find(".conventions:not([hidden])")?.textContent.includes("CF"), "CF");
});

test("viewer: the keyboard walks the tree, and a node without a plane lists its values", async () => {
  const viewer = await openViewer(`?source=${CLIMATE}&path=land`);
  await viewer.drawn();
  viewer.press(viewer.find('[data-path="land"]'), "ArrowDown");
  const lat = viewer.document.activeElement;
  equal(lat.dataset.path, "lat");
  viewer.press(lat, "Enter");
  await until(() => viewer.find("#values:not([hidden]) li"), "values");
  const values = [...viewer.document.querySelectorAll("#values li")].map((item) =>
    Number.parseFloat(item.textContent),
  );
  equal(values.length, 180);
  ok(viewer.text("#values").includes("89.5 degrees_north"), "with their units");
  ok(Math.abs(values[0] - values[179]) > 170, "latitudes go from one pole to the other");
  ok(viewer.find("#details").textContent.includes("degrees_north"), "attributes are shown");
});

test("viewer: the pointer reads stored values, also when the axes are swapped", async () => {
  const expected = await (await fetch(fixture("zarr-python-3/root-array-v3/expected.json"))).json();
  const bytes = Uint8Array.from(atob(expected[0].values), (character) => character.charCodeAt(0));
  const values = new Uint16Array(bytes.buffer);
  const source = fixture("zarr-python-3/root-array-v3/store");
  for (const [plane, across, down] of [
    ["1,0", 3, 5],
    ["0,1", 5, 3],
  ]) {
    const viewer = await openViewer(`?source=${source}&plane=${plane}`);
    await viewer.drawn();
    await until(() => viewer.query.has("view"), "the camera in the address");
    const words = await viewer.point(across, down);
    ok(words.endsWith(` ${values[5 * 5 + 3]}`), `row 5, column 3 of plane ${plane}: ${words}`);
  }
});

test("viewer: values are unpacked, with units, and their places are named", async () => {
  const viewer = await openViewer(`?source=${CLIMATE}&path=pr`);
  await viewer.drawn();
  await until(() => viewer.query.has("view"), "the camera in the address");
  // Stored as 16-bit integers of a tenth.
  await until(() => viewer.text(".slider .of").includes("· 2023-01-01"), "the date beside the slider");
  const words = await viewer.point(100, 60);
  ok(
    /lat 60 \(29\.5 degrees_north\) {2}lon 100 \(-79\.5 degrees_east\) {2}→ {2}\d+(\.\d+)? mm day-1$/.test(
      words,
    ),
    words,
  );
  ok(words.startsWith("time 0 (2023-01-01"), words);
  const stored = await (await fetch(`/viewer/demo/climate.zarr/pr/.zattrs`)).json();
  equal(stored.scale_factor, 0.1);
  const value = Number(/→ {2}([\d.]+)/.exec(words)[1]);
  ok(value < 100 && Math.abs(value * 10 - Math.round(value * 10)) < 1e-6, `${value} is of tenths`);
});

test("viewer: an array with a codec that is unknown still shows its metadata", async () => {
  const viewer = await openViewer(`?source=${fixture("bad/v3-codec-unknown/store")}`);
  const alert = await until(() => viewer.find('[role="alert"]'), "words");
  ok(alert.textContent.includes("cannot decode") && alert.textContent.includes("brotli9"), alert.textContent);
  const details = viewer.text("#details");
  ok(details.includes("Shape") && details.includes("brotli9"), `shape and codecs: ${details}`);
});

test("viewer: a damaged chunk is said to be damaged, not drawn", async () => {
  const viewer = await openViewer(`?source=${fixture("bad/chunk-crc32c-sum/store")}`);
  const alert = await until(() => viewer.find('[role="alert"]'), "words");
  ok(alert.textContent.includes("damaged") && alert.textContent.includes("c/0/0"), alert.textContent);
});

test("viewer: an array without elements says that it is empty", async () => {
  const viewer = await openViewer(`?source=${fixture("zarr-python-3/shapes-v3/store")}&path=empty-columns`);
  await until(() => viewer.text("#values").includes("empty"), "words");
});

test("viewer: an address without data is explained in words, and the next one works", async () => {
  const viewer = await openViewer(`?source=${CELLS}`);
  await viewer.drawn();
  viewer.find("#address").value = "./demo/nothing-here.zarr";
  viewer.submit("#address-form");
  const alert = await until(() => viewer.find('[role="alert"]'), "words");
  ok(alert.textContent.includes("No Zarr data here"), alert.textContent);
  ok(alert.textContent.includes("/demo/nothing-here.zarr"), "the address is named");
  viewer.find("#address").value = CLIMATE;
  viewer.submit("#address-form");
  await until(() => !viewer.find('[role="alert"]'), "the words to go");
  await viewer.drawn();
});

test("viewer: a server that cannot be reached is told from one without the data", async () => {
  // Nothing listens on the discard port, and browsers refuse to try.
  const viewer = await openViewer("?source=http://127.0.0.1:9/x.zarr");
  const alert = await until(() => viewer.find('[role="alert"]'), "words");
  ok(alert.textContent.includes("Access-Control-Allow-Origin"), alert.textContent);
});

test("viewer: an address that is none is refused before anything is asked for", async () => {
  const viewer = await openViewer("?source=ftp://host/x.zarr");
  const alert = await until(() => viewer.find('[role="alert"]'), "words");
  ok(alert.textContent.includes("http, https, s3 and gs"), alert.textContent);
});

test("viewer: without WebGL the picture is drawn on a canvas", async () => {
  const viewer = await openViewer(`?source=${CELLS}`, { webgl: false });
  await viewer.drawn();
  await until(() => viewer.text("#counters").includes("canvas"), "the status bar to say so");
  ok(viewer.colours() > 40, `${viewer.colours()} colours`);
  const before = viewer.pixels();
  viewer.press(viewer.find("#plane"), "+");
  await until(() => different(before, viewer.pixels()), "another picture after zooming in");
});
