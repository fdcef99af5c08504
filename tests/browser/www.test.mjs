/**
 * Tests the viewer's page with clicks and keys: opening data, the URL and Back, sliders, playing,
 * panels, the keyboard, and error messages. Colours and values are in `www_pixels.test.mjs`.
 */
import { equal, fixture, ok, test } from "./harness.mjs";
import { storedZip } from "./stored_zip.mjs";
import { until } from "./viewer_frame.mjs";
import { openViewer } from "./www_frame.mjs";

const CELLS = "./samples/cells.ome.zarr";
const CLIMATE = "./samples/climate.zarr";
const TISSUE = "./samples/tissue.ome.zarr";
const ROOT_ARRAY = fixture("zarr-python-3/root-array-v3/store");

const REST_MS = 800;

const labelled = (viewer, name) => viewer.find(`[aria-label="${name}"]`);

test("viewer: without parameters the first sample is drawn, with its channels", async () => {
  const viewer = await openViewer();
  await viewer.drawn();
  await until(() => viewer.query.get("source") === CELLS, "the sample in the address");
  ok(viewer.text("#legend").includes("Microtubules"), viewer.text("#legend"));
  equal(viewer.document.querySelectorAll("#channels .channel").length, 3, "channels");
  ok(viewer.colours() > 40, `a picture of cells has many colours, this one ${viewer.colours()}`);
});

test("viewer: a slider has its dimension's name, shows its coordinate, and changes the picture", async () => {
  const viewer = await openViewer(`?source=${CLIMATE}`);
  await viewer.drawn();
  const slider = labelled(viewer, "time");
  equal(slider.type, "range");
  await until(() => slider.getAttribute("aria-valuetext") === "2021-01-01", "the date");
  const before = viewer.pixels();
  viewer.set('[aria-label="time"]', 6);
  ok(viewer.text('[data-name="time"] .coordinate').startsWith("2021-07"), "the date of July");
  await until(() => viewer.differs(before), "another picture");
  await until(() => viewer.query.get("at") === "time:6", "the index in the address");
});

test("viewer: a stack opens at its middle and at the first time", async () => {
  const viewer = await openViewer(`?source=${CELLS}`);
  await viewer.drawn();
  equal(labelled(viewer, "Index of t").value, "0");
  ok(["3", "4"].includes(labelled(viewer, "Index of z").value), labelled(viewer, "Index of z").value);
});

test("viewer: sliders tell the units and types of their axes", async () => {
  const viewer = await openViewer(`?source=${CELLS}&at=t:2,z:3`);
  await viewer.drawn();
  const shown = (name) => viewer.text(`[data-name="${name}"]`).replace(/\s+/g, " ");
  await until(() => shown("z").includes("µm"), "the unit of z");
  equal(viewer.text('[data-name="z"] .name'), "z (µm)");
  equal(viewer.text('[data-name="t"] .name'), "t (s)");
  equal(viewer.text('[data-name="z"] .coordinate'), "1.8 µm");
  equal(viewer.text('[data-name="t"] .coordinate'), "60 s");
});

test("viewer: playing shows step after step, and stops", async () => {
  const viewer = await openViewer(`?source=${CELLS}`);
  await viewer.drawn();
  const index = () => Number(labelled(viewer, "Index of t").value);
  labelled(viewer, "Play t").click();
  await until(() => index() >= 2, "the third step");
  labelled(viewer, "Pause t").click();
  ok(labelled(viewer, "Play t"), "it can be played again");
});

test("viewer: earlier steps are drawn without new textures", async () => {
  const viewer = await openViewer(`?source=${CELLS}`);
  await viewer.drawn();
  const calls = viewer.countWebGl(["texImage2D", "clear"]);
  const show = async (step) => {
    viewer.set('[aria-label="t"]', step);
    const drawn = calls.clear;
    await until(() => calls.clear > drawn, "a frame");
    await viewer.drawn();
  };
  for (const step of [1, 2]) await show(step);
  const textures = calls.texImage2D;
  ok(textures > 0, "other steps have other textures");
  const before = viewer.pixels();
  await show(1);
  await until(() => viewer.differs(before), "the step before");
  equal(calls.texImage2D, textures, "textures");
});

test("viewer: an unchanged picture is not drawn again", async () => {
  const viewer = await openViewer(`?source=${CLIMATE}`);
  await viewer.drawn();
  // The coast lines load a little later.
  await new Promise((resolve) => setTimeout(resolve, REST_MS));
  const calls = viewer.countWebGl(["clear"]);
  await new Promise((resolve) => setTimeout(resolve, REST_MS));
  equal(calls.clear, 0, "frames");
});

test("viewer: a URL restores the node, the indices, the channels and the level", async () => {
  const channels = "0:ff0000:10:900:1:on,1:00ff00:0:3000:2:off,2:0000ff:0:100:1:on";
  const viewer = await openViewer(`?source=${CELLS}&at=t:2,z:5&level=1&channels=${channels}`);
  await viewer.drawn();
  equal(labelled(viewer, "Index of t").value, "2");
  equal(labelled(viewer, "Index of z").value, "5");
  equal(viewer.find("#level").value, "1");
  equal(labelled(viewer, "Colour of Nuclei").value, "#ff0000");
  equal(labelled(viewer, "Nuclei: high limit, as a number").value, "900");
  equal(viewer.find(".channel.off input[type=checkbox]").checked, false);
  ok(!viewer.text("#legend").includes("Microtubules"), "a hidden channel is not in the legend");
  await until(() => viewer.query.get("channels") === channels, "the channels in the address");
});

test("viewer: hiding a channel needs no request for data", async () => {
  const viewer = await openViewer(`?source=${CELLS}`);
  await viewer.drawn();
  const before = viewer.pixels();
  const requests = await viewer.requests();
  viewer.find(".channel input[type=checkbox]").click();
  await until(() => viewer.differs(before), "another picture");
  equal(await viewer.requests(), requests, "requests");
  await until(() => viewer.query.get("channels")?.includes(":off"), "the channel in the address");
});

test("viewer: the limits of a field change its colours and the numbers of the colour bar", async () => {
  const viewer = await openViewer(`?source=${CLIMATE}`);
  await viewer.drawn();
  const before = viewer.pixels();
  ok(/metre temperature/.test(viewer.text("#legend")), viewer.text("#legend"));
  ok(/ K$/.test(viewer.text("#legend .legend-title")), "the unit");
  const high = viewer.find("#field-style .numbers input:last-child");
  high.value = "280";
  high.dispatchEvent(new Event("change", { bubbles: true }));
  await until(() => viewer.differs(before), "another picture");
  equal(viewer.find("#legend .scale span:last-child").textContent, "280", "the last number of the bar");
  await until(() => viewer.query.get("limits")?.endsWith(",280"), "the limits in the address");
});

test("viewer: another colormap is chosen by its name", async () => {
  const viewer = await openViewer(`?source=${CLIMATE}`);
  await viewer.drawn();
  const before = viewer.pixels();
  viewer.find("#field-style summary").click();
  viewer.find('#field-style input[value="magma"]').click();
  await until(() => viewer.differs(before), "another picture");
  await until(() => viewer.query.get("colours") === "magma", "its name in the address");
});

test("viewer: a volume is cut across its planes", async () => {
  const viewer = await openViewer(`?source=${CELLS}`);
  await viewer.drawn();
  const plane = [...viewer.document.querySelectorAll(".segments button")].find(
    ({ textContent }) => textContent === "xz",
  );
  plane.click();
  await until(() => labelled(viewer, "Index of y"), "a slider of y");
  ok(!labelled(viewer, "Index of z"), "z is drawn");
  await until(() => viewer.query.get("plane") === "x,z", "the plane in the address");
});

test("viewer: the hierarchy lists the variables, and selecting one shows it", async () => {
  const viewer = await openViewer(`?source=${CLIMATE}`);
  await viewer.drawn();
  const rows = [...viewer.document.querySelectorAll('[role="treeitem"]')].map((item) => item.dataset.path);
  equal(rows, [
    "",
    "air_temperature",
    "latitude",
    "longitude",
    "precipitation",
    "sea_surface_temperature",
    "time",
  ]);
  viewer.find('[data-path="precipitation"].row').click();
  await until(() => viewer.text("#legend").toLowerCase().includes("precipitation"), "its colour bar");
  equal(viewer.find('[aria-selected="true"]').dataset.path, "precipitation");
});

test("viewer: Back returns to the data set and the state before", async () => {
  const viewer = await openViewer(`?source=${CLIMATE}`);
  await viewer.drawn();
  viewer.set('[aria-label="time"]', 3);
  await until(() => viewer.query.get("at") === "time:3", "the index in the address");
  viewer.find("#address").value = TISSUE;
  viewer.submit("#address-form");
  await until(() => viewer.text("#legend").includes("Membranes"), "the other data set");
  viewer.frame.contentWindow.history.back();
  await until(() => labelled(viewer, "time"), "the data set before");
  equal(labelled(viewer, "Index of time").value, "3");
  equal(viewer.query.get("source"), CLIMATE);
});

test("viewer: the keyboard walks the tree, and a node without a plane lists its values", async () => {
  const viewer = await openViewer(`?source=${CLIMATE}&path=air_temperature`);
  await viewer.drawn();
  // On a screen of medium width the hierarchy closes for the picture.
  if (viewer.find("#panel-data").hidden) viewer.find("#switch-data").click();
  viewer.press(viewer.find('[data-path="air_temperature"]'), "ArrowDown");
  equal(viewer.document.activeElement.dataset.path, "latitude");
  viewer.press(viewer.document.activeElement, "Enter");
  await until(() => viewer.find("#values:not([hidden]) li"), "values");
  const values = [...viewer.document.querySelectorAll("#values li")].map((item) =>
    Number.parseFloat(item.textContent),
  );
  equal(values.length, 180);
  ok(Math.abs(values[0] - values[179]) > 170, "latitudes go from one pole to the other");
  ok(viewer.text("#values").includes("degrees_north"), "with their units");
});

/** The first elements of fixtures by zarr-python, as NumPy prints them. */
const ELEMENTS = {
  "dtypes-complex/store&path=complex64-little": [
    "NaN + Infinityi",
    "-Infinity + 0i",
    "3.4028235e+38 + 1e-45i",
    "38.625 − 129.125i",
  ],
  "dtypes-time-v3/store&path=datetime-ns": [
    "NaT",
    "2262-04-11 23:47:16.854775807",
    "1677-09-21 00:12:43.145224193",
    "1970-01-01",
  ],
  "dtypes-time-v3/store&path=datetime-W": ["NaT", "9223372036854775807 W"],
  "dtypes-time-v3/store&path=timedelta-s": ["NaT", "9223372036854775807 s", "-9223372036854775807 s", "0 s"],
  "dtypes-struct-v3/store&path=bytes": ["{r: 255, g: 255, flag: 0}", "{r: 0, g: 0, flag: 1}"],
  "dtypes-struct-v3/store&path=nested": [
    "{point: {x: NaN, inner: {a: 32767, b: 255}}, value: 9223372036854775807}",
    "{point: {x: Infinity, inner: {a: -32768, b: 0}}, value: -9223372036854775808}",
  ],
};

test("viewer: a variable without a plane lists its values, too", async () => {
  const viewer = await openViewer(`?source=${CLIMATE}&variable=latitude`);
  await until(() => viewer.find("#values:not([hidden]) li"), "values");
  ok(viewer.text("#values").includes("degrees_north"), viewer.text("#values"));
  equal(viewer.find('[role="alert"]'), null);
});

test("viewer: complex numbers, dates and structs are listed element by element", async () => {
  for (const [array, expected] of Object.entries(ELEMENTS)) {
    const viewer = await openViewer(`?source=${fixture(`zarr-python-3/${array}`)}`);
    await until(() => viewer.find("#values:not([hidden]) li"), array);
    const texts = [...viewer.document.querySelectorAll("#values li")].map((item) => item.textContent);
    equal(texts.slice(0, expected.length), expected, array);
  }
});

test("viewer: two panels can be open if the picture has enough room", async () => {
  for (const [size, isOpen] of [
    [[1440, 900], true],
    [[1000, 700], false],
  ]) {
    const viewer = await openViewer(`?source=${CLIMATE}`, { size });
    await viewer.drawn();
    equal(viewer.find("#panel-data").hidden, !isOpen, `the hierarchy at ${size}`);
    equal(viewer.find("#panel-display").hidden, false, `the colours at ${size}`);
  }
});

test("viewer: arrow keys pan while they are pressed, plus and minus zoom", async () => {
  const viewer = await openViewer(`?source=${CELLS}`);
  await viewer.drawn();
  const view = () => viewer.query.get("view")?.split(",").map(Number);
  await until(view, "the camera in the address");
  const first = view();
  viewer.press(viewer.find("#map"), "+");
  await until(() => view()[2] < first[2], "a finer view");
  const zoomed = view();
  const map = viewer.find("#map");
  viewer.press(map, "ArrowRight");
  await new Promise((resolve) => setTimeout(resolve, 300));
  viewer.release(map, "ArrowRight");
  // A short press moves at least 30 pixels, a long one more.
  await until(() => view()[0] - zoomed[0] > 60 * zoomed[2], "a view to the right");
  viewer.press(map, "0");
  await until(() => Math.abs(view()[2] / first[2] - 1) < 0.01, "the whole picture");
});

test("viewer: every control has a name", async () => {
  for (const source of [CELLS, CLIMATE]) {
    const viewer = await openViewer(`?source=${source}`);
    await viewer.drawn();
    const controls = [...viewer.document.querySelectorAll("button, input, select, summary, [tabindex]")];
    const nameless = controls.filter((control) => {
      const label = control.labels?.[0]?.textContent ?? "";
      return !(control.getAttribute("aria-label") ?? "") && !control.textContent.trim() && !label.trim();
    });
    equal(
      nameless.map((control) => control.outerHTML.slice(0, 80)),
      [],
      "controls without a name",
    );
  }
});

test("viewer: nothing is wider or higher than the screen, at any size", async () => {
  const sizes = [
    [1440, 900],
    [844, 390],
    [390, 844],
  ];
  for (const size of sizes) {
    const viewer = await openViewer(`?source=${CLIMATE}`, { size });
    await viewer.drawn();
    for (const panel of ["data", "display"]) {
      const button = viewer.find(`#switch-${panel}`);
      if (button.getAttribute("aria-expanded") === "false") button.click();
      ok(!viewer.find(`#panel-${panel}`).hidden, `${panel} opens at ${size}`);
      const { scrollWidth, scrollHeight } = viewer.document.documentElement;
      ok(scrollWidth <= size[0] && scrollHeight <= size[1], `${scrollWidth} × ${scrollHeight} at ${size}`);
      const { width, height } = viewer.find("#map").getBoundingClientRect();
      ok(width >= 300 && height >= 200, `the picture has ${width} × ${height} at ${size}`);
    }
  }
});

test("viewer: on a phone panels are sheets below the picture, one at a time", async () => {
  const viewer = await openViewer(`?source=${CLIMATE}`, { size: [390, 844] });
  await viewer.drawn();
  ok(viewer.find("#panel-data").hidden && viewer.find("#panel-display").hidden, "the picture comes first");
  viewer.find("#switch-display").click();
  const sheet = viewer.find("#panel-display").getBoundingClientRect();
  const map = viewer.find("#map").getBoundingClientRect();
  ok(sheet.top >= map.bottom && sheet.width > 380, "the sheet is below");
  viewer.find("#switch-data").click();
  ok(viewer.find("#panel-display").hidden, "one sheet takes the other's place");
});

test("viewer: text of twice the size stays inside the screen", async () => {
  const viewer = await openViewer(`?source=${CLIMATE}`, { size: [1440, 900] });
  await viewer.drawn();
  viewer.document.documentElement.style.fontSize = "32px";
  await until(() => viewer.document.body.classList.contains("small"), "the layout of a small screen");
  const { scrollWidth, scrollHeight } = viewer.document.documentElement;
  ok(scrollWidth <= 1440 && scrollHeight <= 900, `${scrollWidth} × ${scrollHeight}`);
});

test("viewer: a dropped link opens", async () => {
  const viewer = await openViewer(`?source=${CLIMATE}`);
  await viewer.drawn();
  const { DataTransfer, DragEvent } = viewer.frame.contentWindow;
  const transfer = new DataTransfer();
  transfer.setData("text/uri-list", new URL(`/viewer/${TISSUE}`, location.href).href);
  viewer.find("#main-view").dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true }));
  await until(() => viewer.text("#legend").includes("Membranes"), "the data set of the link");
});

test("viewer: a dropped archive opens, and Back finds what was before", async () => {
  const viewer = await openViewer(`?source=${CLIMATE}`);
  await viewer.drawn();
  const { DataTransfer, DragEvent, File } = viewer.frame.contentWindow;
  const transfer = new DataTransfer();
  transfer.items.add(new File([await archive(ROOT_ARRAY)], "five.zarr.zip"));
  viewer.find("#main-view").dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true }));
  await until(() => viewer.text("#tree").includes("five.zarr.zip"), "the archive");
  await until(() => viewer.query.get("source") === "local:five.zarr.zip", "its name in the address");
  viewer.frame.contentWindow.history.back();
  await until(() => viewer.text("#tree").includes("climate.zarr"), "the data set before");
});

test("viewer: samples and recent data sets are in the menu", async () => {
  const viewer = await openViewer(`?source=${CLIMATE}`);
  await viewer.drawn();
  viewer.find("#address").value = TISSUE;
  viewer.submit("#address-form");
  await until(() => viewer.text("#legend").includes("Membranes"), "the data set");
  viewer.find("#open-switch").click();
  const group = (name) => viewer.find(`#open-menu [aria-label="${name}"]`);
  equal(group("Samples").querySelectorAll("button").length, 4);
  ok(group("Recent").textContent.includes(TISSUE), "the address that was opened");
  ok(group("On this computer").textContent.includes("Open folder"), "folders");
});

test("viewer: a plate is a grid of wells, a click opens a field, and there is a way back", async () => {
  const viewer = await openViewer(`?source=${fixture("viewer-plates/plate")}`);
  const well = await until(() => labelled(viewer, "Well B3"), "the wells");
  equal(viewer.document.querySelectorAll("#plate button").length, 5, "wells");
  viewer.press(labelled(viewer, "Well A2"), "ArrowDown");
  equal(viewer.document.activeElement.getAttribute("aria-label"), "Well B2");
  well.click();
  await viewer.drawn();
  ok(viewer.text("#title").includes("well B3"), viewer.text("#title"));
  equal(viewer.find("#field").options.length, 2, "fields");
  viewer.find("#field").value = "B/3/1";
  viewer.find("#field").dispatchEvent(new Event("change"));
  await until(() => viewer.query.get("path") === "B/3/1", "the other field");
  viewer.find("#title .back").click();
  await until(() => viewer.find("#plate:not([hidden])"), "the plate");
});

/** Chooses an option of a menu of the title. */
function choose(viewer, id, value) {
  viewer.find(id).value = value;
  viewer.find(id).dispatchEvent(new Event("change"));
}

test("viewer: the images of a converted file are listed and can be chosen", async () => {
  const viewer = await openViewer(`?source=${fixture("viewer-plates/converted")}`);
  await viewer.drawn();
  equal([...viewer.find("#image").options].map(({ value }) => value).join(), "0,1,label");
  choose(viewer, "#image", "label");
  await until(() => viewer.query.get("path") === "label", "the image in the address");
  await viewer.drawn();
  ok(viewer.text("#title").includes("label image"), viewer.text("#title"));
});

test("viewer: the images of one group are listed and can be chosen", async () => {
  const viewer = await openViewer(`?source=${fixture("viewer-plates/twins")}`);
  await viewer.drawn();
  equal([...viewer.find("#variable").options].map(({ text }) => text).join(), "raw,denoised");
  choose(viewer, "#variable", "image 2");
  await until(() => viewer.query.get("variable") === "image 2", "the image in the address");
  await until(() => viewer.find("#variable")?.value === "image 2", "the second image");
});

test("viewer: a path can be typed if the server cannot list", async () => {
  const viewer = await openViewer(`?source=${fixture("viewer-plates/several")}`);
  await until(() => viewer.text("#choices").includes("does not list"), "words");
  viewer.find("#path").value = "second";
  viewer.submit("#path-form");
  await viewer.drawn();
  await until(() => viewer.query.get("path") === "second", "the path in the address");
});

test("viewer: the images of an archive are listed and can be selected", async () => {
  const viewer = await openViewer(`?source=${CLIMATE}`);
  await viewer.drawn();
  const names = ["zarr.json", "first/zarr.json", "second/zarr.json"];
  for (const image of ["first", "second"]) names.push(`${image}/s0/zarr.json`, `${image}/s0/c/0/0`);
  const files = await filesOf(fixture("viewer-plates/several"), names);
  const { DataTransfer, DragEvent, File } = viewer.frame.contentWindow;
  const transfer = new DataTransfer();
  transfer.items.add(new File([storedZip(files)], "several.ozx"));
  viewer.find("#main-view").dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true }));
  await until(() => viewer.find('[data-path="second"]'), "the images in the tree");
  viewer.find('[data-path="second"].row').click();
  await until(() => viewer.query.get("path") === "second", "the image in the address");
  await viewer.drawn();
});

test("viewer: a server that ignores ranges gets a plain message", async () => {
  const viewer = await openViewer(`?source=${new URL("/whole/cells.ome.zarr", location.href).href}`);
  await viewer.drawn();
  await until(() => viewer.text("#messages").includes("does not send parts of files"), "words");
});

test("viewer: the metadata of an array with an unknown codec is shown", async () => {
  const viewer = await openViewer(`?source=${fixture("bad/stores/v3-codec-unknown")}`);
  const alert = await until(() => viewer.find('[role="alert"]'), "words");
  ok(alert.textContent.includes("cannot decode") && alert.textContent.includes("brotli9"), alert.textContent);
  const details = viewer.text("#details");
  ok(details.includes("Shape") && details.includes("brotli9"), `shape and codecs: ${details}`);
});

test("viewer: a damaged chunk is reported and not drawn", async () => {
  const viewer = await openViewer(`?source=${fixture("bad/stores/chunk-crc32c-sum")}`);
  const alert = await until(() => viewer.find('[role="alert"]'), "words");
  ok(alert.textContent.includes("damaged") && alert.textContent.includes("c/0/0"), alert.textContent);
});

test("viewer: an array without elements is reported as empty", async () => {
  const viewer = await openViewer(`?source=${fixture("zarr-python-3/shapes-v3/store")}&path=empty-columns`);
  await until(() => viewer.text("#values").includes("empty"), "words");
});

test("viewer: after a URL without data the previous picture stays", async () => {
  const viewer = await openViewer(`?source=${CLIMATE}`);
  await viewer.drawn();
  const colours = viewer.colours();
  viewer.find("#address").value = "./samples/nothing-here.zarr";
  viewer.submit("#address-form");
  const alert = await until(() => viewer.find('[role="alert"]'), "words");
  ok(alert.textContent.includes("No Zarr data here"), alert.textContent);
  ok(alert.textContent.includes("/samples/nothing-here.zarr"), "the address is named");
  equal(viewer.colours(), colours, "colours of the picture before");
  ok(labelled(viewer, "time"), "its slider is there");
  viewer.set('[aria-label="time"]', 2);
  await until(() => viewer.query.get("at") === "time:2", "the slider to work");
  equal(viewer.query.get("source"), CLIMATE, "the source in the address");
});

test("viewer: an unreachable server and missing data have different messages", async () => {
  // Nothing listens on the discard port, and browsers block it.
  const viewer = await openViewer("?source=http://127.0.0.1:9/x.zarr");
  const alert = await until(() => viewer.find('[role="alert"]'), "words");
  ok(alert.textContent.includes("There is no server at 127.0.0.1:9"), alert.textContent);
});

test("viewer: a server that hides its answers from other sites is named, with the cure", async () => {
  const other = location.host.replace("127.0.0.1", "localhost");
  const viewer = await openViewer(`?source=http://${other}/hidden/a.zarr`);
  const alert = await until(() => viewer.find('[role="alert"]'), "words");
  for (const part of ["lets no other site read this", `${other} answers`, "Ask its owner"])
    ok(alert.textContent.includes(part), alert.textContent);
});

test("viewer: a text that is not a URL gets a plain message, and there is no request", async () => {
  for (const text of ["ftp://host/x.zarr", "some words", "cells"]) {
    const viewer = await openViewer(`?source=${encodeURIComponent(text)}`);
    const alert = await until(() => viewer.find('[role="alert"]'), "words");
    ok(alert.textContent.includes("not an address"), alert.textContent);
    ok(!alert.textContent.includes("Access-Control"), "no lecture");
    equal(await viewer.requests(), 0, "requests");
  }
});

test("viewer: without WebGL there is a message", async () => {
  const viewer = await openViewer(`?source=${CELLS}`, { webgl: false });
  const alert = await until(() => viewer.find('[role="alert"]'), "words");
  ok(alert.textContent.includes("WebGL"), alert.textContent);
});

/** The names and bytes of the files below a URL. */
function filesOf(root, names) {
  const read = async (name) => [name, new Uint8Array(await (await fetch(`${root}/${name}`)).arrayBuffer())];
  return Promise.all(names.map(read));
}

/** An archive of an array of 2 × 2 chunks. */
async function archive(root) {
  return storedZip(await filesOf(root, ["zarr.json", "c/0/0", "c/0/1", "c/1/0", "c/1/1"]));
}
