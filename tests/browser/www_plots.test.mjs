/**
 * Tests the viewer's plots: what lies under points, lines, boxes and polygons is compared with
 * values from zarr-python, xarray and NumPy (`fixtures/viewer-marks`, `make/viewer_marks.py`), and
 * so are the files that they are saved to. Marks are drawn with pointer and keyboard.
 */
import * as zarr from "zarr-wasm";
import { equal, fixture, ok, test } from "./harness.mjs";
import { until, wait } from "./viewer_frame.mjs";
import { openViewer } from "./www_frame.mjs";

const CELLS = "./samples/cells.ome.zarr";
const CLIMATE = "./samples/climate.zarr";
const GAPS = fixture("viewer-marks/gaps");

/** Longer than the time in which a click may become a double click. */
const CLICK_MS = 300;

const known = {};
async function expected(name, folder = "viewer-marks") {
  known[folder] ??= await (await fetch(fixture(`${folder}/expected.json`))).json();
  return known[folder][name];
}

const markText = (kind, slot, places) => [kind, slot, ...places.flat()].join(":");

/** Whether numbers are equal to nine digits; null is a gap. */
function sameNumbers(actual, wanted, what, digits = 1e-9) {
  equal(actual.length, wanted.length, `the number of ${what}`);
  for (const [at, number] of wanted.entries()) {
    const own = actual[at];
    const isSame = number === null ? own === null : Math.abs(own - number) <= digits * Math.abs(number || 1);
    ok(isSame, `${what}: ${own} instead of ${number} at ${at}`);
  }
}

/** Opens the viewer and waits for its plot. */
async function openPlots(query, options) {
  const viewer = await openViewer(query, options);
  await viewer.drawn();
  await plotted(viewer);
  return viewer;
}

/** Waits until everything has been read. */
async function plotted(viewer) {
  await until(() => viewer.find(".plots-chart:not([hidden]) canvas"), "the plot");
  await until(() => !/reading/.test(viewer.text(".plots-side")), "all of the plot");
  await wait(60);
}

/** The table of the plot: the texts of x, and the numbers of each series. */
async function table(viewer) {
  const details = viewer.find(".plots-table details");
  details.open = true;
  const rows = () => [...viewer.document.querySelectorAll(".plots-table tbody tr")];
  await until(() => rows().length > 0, "the table");
  const head = [...viewer.document.querySelectorAll(".plots-table thead th")].map(
    ({ textContent }) => textContent,
  );
  const cells = rows().map(({ children }) => [...children].map(({ textContent }) => textContent));
  const number = (text) => (text === "–" ? null : Number(text));
  const series = head.slice(1).map((_, at) => cells.map((row) => number(row[at + 1])));
  return { head, texts: cells.map(([text]) => text), series };
}

/** The point on the screen of a point of the map. */
function screenOf(viewer, [x, y]) {
  const { left, top, width, height } = viewer.find("#map").getBoundingClientRect();
  const [middleX, middleY, resolution] = viewer.query.get("view").split(",").map(Number);
  return [left + width / 2 + (x - middleX) / resolution, top + height / 2 - (y - middleY) / resolution];
}

/** Longer than the page waits before it writes its view to the address. */
const SETTLED_MS = 600;

/** Waits until the picture keeps its size, and the address its view: panels make it smaller. */
async function settled(viewer) {
  const look = () => JSON.stringify([viewer.query.get("view"), viewer.find("#map").getBoundingClientRect()]);
  let seen;
  do {
    seen = look();
    await wait(SETTLED_MS);
  } while (seen !== look());
}

function click(viewer, place, { shiftKey = false } = {}) {
  // WebKit has whole pixels, and cuts fractions off.
  const [clientX, clientY] = screenOf(viewer, place).map(Math.round);
  const target = viewer.find("#map .ol-viewport canvas");
  const { PointerEvent } = viewer.frame.contentWindow;
  const common = {
    clientX,
    clientY,
    bubbles: true,
    pointerId: 1,
    pointerType: "mouse",
    isPrimary: true,
    shiftKey,
  };
  for (const [type, buttons] of [
    ["pointermove", 0],
    ["pointerdown", 1],
    ["pointerup", 0],
  ])
    target.dispatchEvent(
      new PointerEvent(type, { ...common, button: type === "pointermove" ? -1 : 0, buttons }),
    );
}

const tool = (viewer, name) => viewer.find(`#plots [aria-label="${name}"]`);

/** The centre of the element below a point: elements of the field are a degree wide. */
const centre = (place) => place.map((degrees) => Math.floor(degrees) + 0.5);

test("plots: a click gives the series through time, and another with Shift is added", async () => {
  const { points, series, dates } = await expected("climate");
  const viewer = await openViewer(`?source=${CLIMATE}&variable=air_temperature&at=time:6`);
  await viewer.drawn();
  await until(() => viewer.query.get("view"), "the view in the address");
  const scripts = () => viewer.frame.contentWindow.performance.getEntriesByType("resource").length;
  await settled(viewer);
  const before = scripts();
  click(viewer, centre(points[0]));
  await plotted(viewer);
  ok(scripts() > before, "the code of the plots loads late");
  await until(() => viewer.query.get("marks"), "the mark in the address");
  await settled(viewer);
  click(viewer, centre(points[1]), { shiftKey: true });
  await until(() => viewer.document.querySelectorAll(".plots-side li").length === 2, "two points");
  await plotted(viewer);
  const found = await table(viewer);
  equal(found.texts, dates);
  equal(found.head, ["time", "Point 1", "Point 2"]);
  for (const [at, wanted] of series.entries())
    sameNumbers(found.series[at], wanted, `values of point ${at + 1}`);
  ok(
    viewer.text('.plots-side [data-slot="0"]').includes(`${series[0][6]} K`),
    "the value of July beside the plot",
  );
});

test("plots: the address restores marks and plot, and closing removes them from it", async () => {
  const { points } = await expected("climate");
  const marks = points.map((place, slot) => markText("point", slot, [place])).join(",");
  const viewer = await openPlots(
    `?source=${CLIMATE}&variable=air_temperature&marks=${marks}&plot=series,time`,
  );
  equal(viewer.document.querySelectorAll(".plots-side li").length, 2);
  equal(viewer.query.get("marks"), marks);
  tool(viewer, "Close the plots").click();
  ok(viewer.find("#plots").hidden, "the panel is closed");
  await until(() => viewer.query.get("marks") === null, "an address without marks");
  viewer.find("#switch-plots").click();
  await until(() => viewer.query.get("marks") === marks, "the marks are back");
});

test("plots: missing values are gaps, and dates are those of xarray", async () => {
  const { dates, element, series } = await expected("gaps");
  const place = [element[1] * 2, element[0] * 2];
  const viewer = await openPlots(`?source=${GAPS}&variable=heat&marks=${markText("point", 0, [place])}`);
  const found = await table(viewer);
  equal(found.texts, dates);
  sameNumbers(found.series[0], series, "values");
  const svg = await saved(viewer, "svg");
  const path = /<g clip-path[^>]*><path d="([^"]*)"/.exec(await svg.text())[1];
  // Days 3 and 4, and day 17, have no value.
  equal(path.match(/M/g).length, 3, "pieces of the line");
});

test("plots: a line gives the profile, with distances on the globe and gaps on land", async () => {
  const { line, profile, meters } = await expected("climate");
  const viewer = await openPlots(
    `?source=${CLIMATE}&variable=sea_surface_temperature&marks=${markText("line", 0, line)}&plot=profile`,
  );
  const csv = await (await saved(viewer, "csv")).text();
  const [head, ...lines] = csv.trimEnd().split("\r\n");
  equal(head, "distance (km),Line 1: Sea surface temperature (K)");
  const [distances, values] = [0, 1].map((at) => lines.map((text) => text.split(",")[at]));
  const number = (text) => (text === "" ? null : Number(text));
  sameNumbers(values.map(number), profile, "values");
  sameNumbers(
    distances.map((text) => 1000 * number(text)),
    meters,
    "distances",
    1e-7,
  );
});

/** Compares the statistics beside the plot, and the bins of its table. */
async function checkStatistics(viewer, { counts, window: [low, high], ...wanted }, column = 0) {
  for (const name of ["count", "min", "max", "mean", "std"]) {
    const cells = viewer.document.querySelectorAll(`.statistics [data-statistic="${name}"]`);
    const own = Number(cells[column].textContent.replace(/\s/g, "").replace("−", "-"));
    sameNumbers([own], [wanted[name]], name, 5e-6);
  }
  const json = JSON.parse(await (await saved(viewer, "json")).text());
  const bins = json.series[column];
  equal(bins.y, counts);
  sameNumbers([bins.x[0], bins.end], [low, high], "ends of the bins");
}

test("plots: a box across longitude 0 has statistics, a histogram and a mean through time", async () => {
  const { box, in_box: wanted, dates } = await expected("climate");
  const viewer = await openPlots(
    `?source=${CLIMATE}&variable=air_temperature&marks=${markText("box", 0, box)}&plot=histogram`,
  );
  await checkStatistics(viewer, wanted);
  viewer.set("#plot-kind", "series", "change");
  await until(() => viewer.find(".plots-side .at"), "the series");
  await plotted(viewer);
  const found = await table(viewer);
  equal(found.texts, dates);
  equal(found.head[1], "Box 1 (mean by area)");
  sameNumbers(found.series[0], wanted.series, "means");
});

test("plots: a polygon counts the elements whose centres are in it", async () => {
  const { polygon, in_polygon: wanted } = await expected("climate");
  const viewer = await openPlots(
    `?source=${CLIMATE}&variable=air_temperature&marks=${markText("polygon", 3, polygon)}&plot=histogram`,
  );
  await checkStatistics(viewer, wanted);
  viewer.set("#plot-kind", "series", "change");
  await until(() => viewer.find(".plots-side .at"), "the series");
  await plotted(viewer);
  sameNumbers((await table(viewer)).series[0], wanted.series, "means");
});

/** Opens a map whose rows and columns are not those of the array. */
const openWarped = (name, mark, plot) =>
  openPlots(`?source=${fixture(`viewer-warped/${name}`)}&at=time:1&marks=${mark}&plot=${plot}`);

/** Changes to the series of areas, and returns their table. */
async function areaSeries(viewer) {
  viewer.set("#plot-kind", "series", "change");
  await until(() => viewer.find(".plots-side .at"), "the series");
  await plotted(viewer);
  return table(viewer);
}

test("plots: a box on unequal latitudes, across longitude 0, has statistics and a mean by area", async () => {
  const { box, statistics, series } = await expected("gaussian", "viewer-warped");
  const viewer = await openWarped("gaussian", markText("box", 0, box), "histogram");
  await checkStatistics(viewer, statistics);
  const found = await areaSeries(viewer);
  equal(found.head[1], "Box 1 (mean by area)");
  sameNumbers(found.series[0], series, "means");
});

test("plots: a polygon on a curvilinear grid has the elements whose positions are in it", async () => {
  const { polygon, statistics, series } = await expected("ocean", "viewer-warped");
  const viewer = await openWarped("ocean", markText("polygon", 0, polygon), "histogram");
  await checkStatistics(viewer, statistics);
  const found = await areaSeries(viewer);
  equal(found.head[1], "Polygon 1 (mean)");
  sameNumbers(found.series[0], series, "means");
});

test("plots: a line on unequal latitudes gives the elements under it", async () => {
  const { line, profile } = await expected("gaussian", "viewer-warped");
  const viewer = await openWarped("gaussian", markText("line", 0, line), "profile");
  const [values] = (await table(viewer)).series;
  const steps = values.filter((value, at) => value !== values[at - 1]);
  sameNumbers(steps, profile, "elements in the order of the line", 1e-6);
});

test("plots: a stack has series along z and t of each channel, and lengths in its unit", async () => {
  const { point, z, planes, times, box, in_box: wanted } = await expected("cells");
  const marks = `${markText("point", 0, [point])},${markText("box", 1, box)}`;
  const viewer = await openPlots(`?source=${CELLS}&at=t:2,z:3&marks=${marks}&plot=series,z,1`);
  viewer.find('[aria-label="Remove Box 1"]').click();
  await until(() => viewer.document.querySelectorAll(".plots-side li").length === 1, "one mark");
  await plotted(viewer);
  const found = await table(viewer);
  equal(found.head[0], "z (µm)");
  sameNumbers(found.series[0], planes, "planes");
  equal(
    found.texts.map((text) => Number.parseFloat(text)),
    z.map((value) => Number(value.toFixed(4))),
  );
  viewer.set("#plot-axis", "t", "change");
  await until(() => viewer.text(".plots-table thead").includes("t (s)"), "the times");
  await plotted(viewer);
  sameNumbers((await table(viewer)).series[0], times, "times");
  const other = await openPlots(
    `?source=${CELLS}&at=t:0,z:3&marks=${markText("box", 1, box)}&plot=histogram,,1`,
  );
  await checkStatistics(other, wanted);
});

test("plots: the index on show follows a click in the plot, and statistics follow the index", async () => {
  const { points } = await expected("climate");
  const viewer = await openPlots(
    `?source=${CLIMATE}&variable=air_temperature&marks=${markText("point", 0, [points[0]])}`,
  );
  const over = viewer.find(".u-over");
  const { left, top, width, height } = over.getBoundingClientRect();
  const { MouseEvent } = viewer.frame.contentWindow;
  // One of 24 months at 12/23 of the width.
  const at = { clientX: left + (width * 12) / 23, clientY: top + height / 2, bubbles: true };
  for (const type of ["mouseenter", "mousemove", "mousedown", "mouseup", "click"])
    over.dispatchEvent(new MouseEvent(type, at));
  await until(() => viewer.query.get("at") === "time:12", "the index in the address");
});

test("plots: boxes, lines and polygons are drawn with the pointer", async () => {
  const viewer = await openViewer(`?source=${CLIMATE}&variable=air_temperature`);
  await viewer.drawn();
  viewer.find("#switch-plots").click();
  await until(() => tool(viewer, "Draw a box"), "the tools");
  await until(() => viewer.query.get("view"), "the view in the address");
  // The picture becomes lower, and the address has its new view.
  await settled(viewer);
  const marks = () => viewer.query.get("marks")?.split(",") ?? [];
  const draw = async (name, places) => {
    const count = marks().length;
    tool(viewer, name).click();
    await wait(60);
    for (const place of places) {
      click(viewer, place);
      await wait(40);
    }
    await until(() => marks().length > count, name);
    await wait(CLICK_MS);
  };
  await draw("Draw a box", [
    [-20, 30],
    [20, 50],
  ]);
  // A second click at the same point ends a line.
  await draw("Draw a line", [
    [-60, 0],
    [60, 10],
    [60, 10],
  ]);
  await draw("Draw a polygon", [
    [0, 0],
    [40, 0],
    [40, -40],
    [0, 0],
  ]);
  const kinds = marks().map((mark) => mark.split(":")[0]);
  equal(kinds, ["box", "line", "polygon"]);
  const [, , ...corners] = marks()[0].split(":").map(Number);
  for (const [at, wanted] of [-20, 30, 20, 50].entries())
    ok(Math.abs(corners[at] - wanted) < 1.5, `a corner at ${corners[at]} instead of ${wanted}`);
});

test("plots: marks are drawn with the keyboard", async () => {
  const viewer = await openViewer(`?source=${CLIMATE}&variable=air_temperature&view=10.2,50.3,0.2`);
  await viewer.drawn();
  viewer.find("#switch-plots").click();
  await until(() => tool(viewer, "Draw a box"), "the tools");
  tool(viewer, "Draw a box").click();
  await until(() => viewer.find(".cross:not([hidden])"), "the cross");
  const map = viewer.find("#map");
  viewer.press(map, "Enter");
  const x = () => Number(viewer.query.get("view").split(",")[0]);
  viewer.press(map, "ArrowRight");
  viewer.press(map, "ArrowDown");
  await wait(200);
  for (const key of ["ArrowRight", "ArrowDown"]) viewer.release(map, key);
  await until(() => x() > 12, "a view to the right");
  viewer.press(map, "Enter");
  await until(() => viewer.query.get("marks")?.startsWith("box:0:"), "the box in the address");
  await plotted(viewer);
  const [, , left, bottom, right, top] = viewer.query.get("marks").split(":").map(Number);
  ok(
    Math.abs(left - 10.2) < 0.01 && Math.abs(bottom - 50.3) < 0.01,
    "the first corner is the middle of the first view",
  );
  ok(right > left && top < bottom, `a box from ${left}, ${bottom} to ${right}, ${top}`);
  tool(viewer, "Draw a line").click();
  await until(() => viewer.find(".cross:not([hidden])"), "the cross");
  viewer.press(map, "Escape");
  await until(() => viewer.find(".cross[hidden]"), "Escape leaves the tool");
});

/** The blob that a button of the menu saves. */
async function saved(viewer, as, slot = -1) {
  const { URL, HTMLAnchorElement } = viewer.frame.contentWindow;
  const { createObjectURL } = URL;
  let blob;
  let name;
  URL.createObjectURL = (made) => {
    if (!made.type.startsWith("image/svg") || as === "svg") blob = made;
    return createObjectURL.call(URL, made);
  };
  const { click: follow } = HTMLAnchorElement.prototype;
  HTMLAnchorElement.prototype.click = function () {
    name = this.download;
  };
  try {
    viewer.find(`[data-save="${as}"][data-slot="${slot}"]`).click();
    await until(() => name ?? /Not saved/.test(viewer.text(".plots-side")), `a file as ${as}`);
  } finally {
    URL.createObjectURL = createObjectURL;
    HTMLAnchorElement.prototype.click = follow;
  }
  ok(blob && name, `${as} is saved: ${viewer.text(".plots-side .hint")}`);
  return Object.assign(blob, { fileName: name });
}

test("plots: pictures of the plot are PNG and SVG with titles and units", async () => {
  const { points } = await expected("climate");
  const viewer = await openPlots(
    `?source=${CLIMATE}&variable=air_temperature&marks=${markText("point", 0, [points[0]])}`,
  );
  const png = await saved(viewer, "png");
  const picture = await createImageBitmap(png);
  equal([picture.width, picture.height], [1680, 880]);
  const svg = await saved(viewer, "svg");
  const document = new DOMParser().parseFromString(await svg.text(), "image/svg+xml");
  equal(document.querySelector("parsererror"), null);
  const texts = [...document.querySelectorAll("text")].map(({ textContent }) => textContent);
  for (const text of ["2 metre temperature (K)", "time", "Point 1", "2021-07"])
    ok(texts.includes(text), `${text} is not among ${texts}`);
});

test("plots: the elements under a mark are saved as NPY and as Zarr", async () => {
  const { points, series, box, in_box: wanted } = await expected("climate");
  const marks = `${markText("point", 0, [points[0]])},${markText("box", 1, box)}`;
  const viewer = await openPlots(`?source=${CLIMATE}&variable=air_temperature&marks=${marks}`);
  const npy = new Uint8Array(await (await saved(viewer, "npy", 0)).arrayBuffer());
  const length = new DataView(npy.buffer).getUint16(8, true);
  const header = new TextDecoder().decode(npy.subarray(10, 10 + length));
  ok(/'descr': '<f8', 'fortran_order': False, 'shape': \(24,\)/.test(header), header);
  equal((10 + length) % 64, 0, "the data are aligned");
  sameNumbers([...new Float64Array(npy.buffer, 10 + length)], series[0], "elements");
  const archive = zarr.ZipFileStore.fromBlob(new Blob([await saved(viewer, "zarr", 1)]));
  const array = await zarr.open(archive, { path: "air_temperature", kind: "array" });
  equal(array.dimensionNames, ["latitude", "longitude"]);
  const { count, mean, min, max } = await zarr.statistics(array);
  sameNumbers([count, mean, min, max], [wanted.count, wanted.mean, wanted.min, wanted.max], "statistics");
  const longitudes = (await zarr.coords(array, "longitude")).values;
  equal([longitudes[0], longitudes.at(-1)], [-14.5, 39.5]);
});

test("plots: on a phone the picture stays visible, and nothing leaves the screen", async () => {
  const { points } = await expected("climate");
  for (const size of [
    [390, 844],
    [844, 390],
  ]) {
    const marks = markText("point", 0, [points[0]]);
    const viewer = await openPlots(`?source=${CLIMATE}&variable=air_temperature&marks=${marks}`, { size });
    const { scrollWidth, scrollHeight } = viewer.document.documentElement;
    ok(scrollWidth <= size[0] && scrollHeight <= size[1], `${scrollWidth} × ${scrollHeight} at ${size}`);
    const [map, chart] = ["#map", ".plots-chart"].map((part) => viewer.find(part).getBoundingClientRect());
    ok(map.width >= 300 && map.height >= 90, `the picture has ${map.width} × ${map.height} at ${size}`);
    ok(chart.width >= 250 && chart.height >= 80, `the plot has ${chart.width} × ${chart.height} at ${size}`);
    ok(chart.right <= size[0] && chart.bottom <= size[1], "the plot is on the screen");
  }
});
