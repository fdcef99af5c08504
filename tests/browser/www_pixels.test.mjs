/**
 * Compares the viewer's pixels and texts with values from zarr-python, xarray, NumPy and matplotlib
 * (`fixtures/viewer`, `make/viewer.py`): colours of channels and fields, orientation, missing
 * values, levels, labels, and values under the pointer. Runs in Chromium in the browser lane, and
 * in Firefox and WebKitGTK in the engines lane.
 */
import { equal, fixture, ok, test } from "./harness.mjs";
import { openPicture } from "./picture_frame.mjs";
import { until } from "./viewer_frame.mjs";

/** Tolerance of each colour channel: rounding, and differences of engines. */
const CLOSE = 4;
/** Tolerance for interpolated elements, and for colormaps from two libraries. */
const NEAR = 10;

let known;
async function expected(name) {
  known ??= await (await fetch(fixture("viewer/expected.json"))).json();
  return known[name];
}

const expectedMarks = async () => (await fetch(fixture("viewer-marks/expected.json"))).json();

const isClose = (one, other, tolerance) => one.every((part, at) => Math.abs(part - other[at]) <= tolerance);

function sameColours(actual, wanted, tolerance, what) {
  const wrong = actual.flatMap((pixel, at) =>
    isClose(pixel.slice(0, 3), wanted[at], tolerance)
      ? []
      : [`${what[at]}: ${pixel} instead of ${wanted[at]}`],
  );
  ok(
    wrong.length === 0,
    `${wrong.length} of ${actual.length} colours are wrong: ${wrong.slice(0, 4).join("; ")}`,
  );
}

/**
 * The linear function from index to screen position along one axis, through two readings. `of`
 * returns the position of a reading.
 */
async function lineOf(picture, places, of) {
  const found = [];
  for (const place of places) {
    const reading = await picture.reading(place);
    ok(reading, `nothing to read at ${place}`);
    found.push(of(reading));
  }
  return found;
}

/** The function `(across, down) → place` from positions along x and y to places on the screen. */
async function screenOf(picture, acrossOf, downOf) {
  const { width, height } = picture.map;
  const corners = [
    [width * 0.42, height * 0.42],
    [width * 0.58, height * 0.58],
  ];
  const across = await lineOf(picture, corners, acrossOf);
  const down = await lineOf(picture, corners, downOf);
  const scale = [
    (corners[1][0] - corners[0][0]) / (across[1] - across[0]),
    (corners[1][1] - corners[0][1]) / (down[1] - down[0]),
  ];
  ok(scale.every(Number.isFinite), `the picture is too small to be measured: ${across}, ${down}`);
  return (x, y) => [corners[0][0] + (x - across[0]) * scale[0], corners[0][1] + (y - down[0]) * scale[1]];
}

/** The centres of the blocks of an image: `{row, column, place}`. */
async function blocksOf(picture, { block, values }) {
  const of = (name) => (reading) => reading.index[name];
  const toScreen = await screenOf(picture, of("x"), of("y"));
  const rows = Array.isArray(values[0][0]) ? values[0] : values;
  return rows.flatMap((line, row) =>
    line.map((_, column) => ({ row, column, place: toScreen((column + 0.5) * block, (row + 0.5) * block) })),
  );
}

const blockName = ({ row, column }) => `row ${row}, column ${column}`;

for (const name of ["three-channels", "rgb"]) {
  test(`pixels: the colours of ${name} are added`, async () => {
    const facts = await expected(name);
    const picture = await openPicture(name);
    const blocks = await blocksOf(picture, facts);
    const wanted = blocks.map(({ row, column }) => facts.composite[row][column]);
    const pixels = picture.pixels(blocks.map(({ place }) => place));
    sameColours(pixels, wanted, CLOSE, blocks.map(blockName));
  });

  test(`pixels: the pointer reads every channel of ${name}`, async () => {
    const facts = await expected(name);
    const picture = await openPicture(name);
    const blocks = await blocksOf(picture, facts);
    for (const { row, column, place } of blocks.filter((_, at) => at % 7 === 0)) {
      const { values } = await picture.reading(place);
      equal(
        values,
        facts.values.map((channel) => String(channel[row][column])),
        blockName({ row, column }),
      );
    }
  });
}

test("pixels: labels that are equal as float32 have different colours", async () => {
  const facts = await expected("labels");
  const picture = await openPicture("labels", { labels: "/labels/cells:1" });
  const blocks = await blocksOf(picture, facts);
  const pixels = picture.pixels(blocks.map(({ place }) => place));
  const byLabel = new Map();
  for (const [at, { row, column }] of blocks.entries()) {
    const label = facts.labels[row][column];
    byLabel.set(label, [...(byLabel.get(label) ?? []), pixels[at]]);
  }
  const grey = facts.composite[0][0];
  for (const pixel of byLabel.get(0))
    ok(isClose(pixel.slice(0, 3), grey, CLOSE), `no label, no colour: ${pixel}`);
  for (const [label, own] of byLabel) {
    ok(
      own.every((pixel) => isClose(pixel, own[0], CLOSE)),
      `one colour for label ${label}`,
    );
    for (const [other, [pixel]] of byLabel)
      ok(
        other === label || !isClose(pixel.slice(0, 3), own[0], NEAR),
        `${label} and ${other} are both ${pixel}`,
      );
  }
});

test("pixels: labels have the colours and the properties of the metadata", async () => {
  const { labelled: facts } = await expectedMarks();
  const parameters = { labels: "/labels/cells:1" };
  const picture = await openPicture("labelled", parameters, "viewer-marks");
  const blocks = await blocksOf(picture, { block: facts.block, values: facts.labels });
  const pixels = picture.pixels(blocks.map(({ place }) => place));
  for (const [at, { row, column, place }] of blocks.entries()) {
    const label = facts.labels[row][column];
    const [own, pixel] = [facts.colors[label], pixels[at].slice(0, 3)];
    if (own) ok(isClose(pixel, own, CLOSE), `label ${label} is ${pixel} instead of ${own}`);
    await picture.reading(place);
    const texts = [...picture.document.querySelectorAll("#readout .property")];
    const told = Object.entries(facts.properties[label] ?? {}).map(([name, value]) => `${name} ${value}`);
    equal(
      texts.map(({ textContent }) => textContent),
      told,
      `the properties of label ${label}`,
    );
  }
});

test("pixels: the level follows the zoom", async () => {
  const { greys } = await expected("levels");
  const first = await openPicture("levels");
  const [x, y] = await first.view();
  for (const [resolution, level] of [
    [4.2, 2],
    [2.05, 1],
    [0.7, 0],
  ]) {
    const picture = await openPicture("levels", { view: [x, y, resolution].join(",") });
    const { width, height } = picture.map;
    const drawn = () => {
      const [[grey]] = picture.pixels([[width / 2, height / 2]]);
      return greys.findIndex((own) => Math.abs(own - grey) <= CLOSE);
    };
    // Coarse tiles are visible until the fine ones are loaded.
    await until(
      () => drawn() === level,
      `level ${level} for ${resolution} elements a pixel; it is ${drawn()}`,
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    equal(drawn(), level, `the level for ${resolution} elements a pixel, once it is there`);
  }
});

/** A colour of matplotlib's colormap. */
async function mapColour(name, value, [low, high]) {
  const colors = (await expected("colormaps"))[name];
  const share = Math.min(1, Math.max(0, (value - low) / (high - low)));
  return colors[Math.round(share * (colors.length - 1))];
}

const turned = (longitude) => ((((longitude + 180) % 360) + 360) % 360) - 180;

/**
 * The visible elements of a map in degrees: `{row, column, north, place}`. The view is from the
 * page's URL.
 */
async function elementsOf(picture, { latitude, longitude }) {
  const [x, y, resolution] = await picture.view();
  const { width, height } = picture.map;
  const placeOf = (east, north) => [
    width / 2 + (east - x) / resolution,
    height / 2 - (north - y) / resolution,
  ];
  return latitude
    .flatMap((north, row) =>
      longitude.map((east, column) => ({ row, column, north, place: placeOf(turned(east), north) })),
    )
    .filter(({ place: [across, down] }) => across > 0 && down > 0 && across < width && down < height);
}

const LIMITS = [225, 295];

for (const name of ["north-first", "south-first", "from-0-to-360"]) {
  test(`pixels: ${name}: north is up, west is left, missing values are transparent`, async () => {
    const facts = await expected(name);
    const picture = await openPicture(name, {
      variable: "tas",
      colours: "viridis",
      limits: LIMITS.join(","),
    });
    const elements = await elementsOf(picture, facts);
    ok(elements.length > 400, `${elements.length} of ${18 * 36} elements are on the screen`);
    const [north, south] = [75, -75].map(
      (latitude) => elements.find((element) => element.north === latitude).place[1],
    );
    ok(north < south, `75° north is at ${north}, 75° south at ${south} pixels from above`);
    const pixels = picture.pixels(elements.map(({ place }) => place));
    const values = elements.map(({ row, column }) => facts.values[0][row][column]);
    const missing = pixels.filter((_, at) => values[at] === null);
    ok(missing.length > 20, `${missing.length} missing values are on the screen`);
    ok(
      missing.every(([, , , opacity]) => opacity === 0),
      `missing values are drawn: ${missing.find((pixel) => pixel[3] > 0)}`,
    );
    const present = elements.flatMap((element, at) => (values[at] === null ? [] : [{ ...element, at }]));
    const wanted = await Promise.all(present.map(({ at }) => mapColour("viridis", values[at], LIMITS)));
    sameColours(
      present.map(({ at }) => pixels[at]),
      wanted,
      NEAR,
      present.map(blockName),
    );
  });
}

test("pixels: the pointer shows xarray's value with its unit and coordinates", async () => {
  const facts = await expected("from-0-to-360");
  const picture = await openPicture("from-0-to-360", { variable: "tas" });
  const elements = await elementsOf(picture, facts);
  for (const { place } of elements.filter((_, at) => at % 61 === 0)) {
    const { index, words, values } = await picture.reading(place);
    const wanted = facts.values[0][index.lat][index.lon];
    if (wanted === null) equal(values, ["no data"]);
    else {
      ok(values[0].endsWith(` ${facts.unit}`), values[0]);
      equal(Number.parseFloat(values[0]), wanted, `the value at ${words.lat}, ${words.lon}`);
    }
    const [north] = /^\d+(\.\d+)?°[NS]$/.test(words.lat) ? [Number.parseFloat(words.lat)] : [];
    const off = Math.abs(north - Math.abs(facts.latitude[index.lat]));
    ok(off <= 5, `latitude ${words.lat}, in a cell around ${facts.latitude[index.lat]}`);
    equal(words.time, facts.dates[0], "the date");
  }
});

test("pixels: limits stay the same from one time to the next", async () => {
  const facts = await expected("north-first");
  const scales = [];
  for (const time of [0, 2]) {
    const picture = await openPicture("north-first", { variable: "tas", at: `time:${time}` });
    const scale = [...picture.document.querySelectorAll("#legend .scale span")].map(
      (tick) => tick.textContent,
    );
    ok(scale.length > 1, "the colour bar has numbers");
    scales.push(scale);
    const limits = picture.query.get("limits")?.split(",").map(Number);
    const fields = picture.document.querySelectorAll("#field-style .numbers input");
    const own = limits ?? [...fields].map((field) => Number(field.value));
    const elements = (await elementsOf(picture, facts)).filter(
      ({ row, column }) => facts.values[time][row][column] !== null,
    );
    const wanted = await Promise.all(
      elements.map(({ row, column }) => mapColour("viridis", facts.values[time][row][column], own)),
    );
    sameColours(
      picture.pixels(elements.map(({ place }) => place)),
      wanted,
      2 * NEAR,
      elements.map(blockName),
    );
  }
  equal(scales[1], scales[0], "the numbers of the colour bar");
});

test("pixels: a projected grid has north up, and the pointer shows metres", async () => {
  const facts = await expected("projected");
  const picture = await openPicture("projected", { colours: "gray", limits: "0,47" });
  const blocks = await blocksOf(picture, facts);
  const wanted = await Promise.all(
    blocks.map(({ row, column }) => mapColour("gray", facts.values[row][column], [0, 47])),
  );
  sameColours(picture.pixels(blocks.map(({ place }) => place)), wanted, CLOSE, blocks.map(blockName));
  ok(blocks[0].place[1] < blocks.at(-1).place[1], "the first row, the most northern one, is above");
  for (const { row, column, place } of blocks.filter((_, at) => at % 7 === 0)) {
    const { values } = await picture.reading(place);
    equal(values, [`${facts.values[row][column]} m`], blockName({ row, column }));
  }
});

/** Converts a point of the map to one on the screen, with the view in the page's URL. */
async function toScreenOf(picture) {
  const [x, y, resolution] = await picture.view();
  const { width, height } = picture.map;
  return ([east, north]) => [width / 2 + (east - x) / resolution, height / 2 - (north - y) / resolution];
}

test("pixels: a rotated and sheared grid is drawn with north up, as by GDAL", async () => {
  const { extent, size, limits, north_up } = await expected("turned");
  const picture = await openPicture("turned", { colours: "gray", limits: limits.join(",") });
  const toScreen = await toScreenOf(picture);
  const [left, bottom, right, top] = extent;
  const places = north_up.map(([row, column]) =>
    toScreen([
      left + ((column + 0.5) * (right - left)) / size[0],
      top - ((row + 0.5) * (top - bottom)) / size[1],
    ]),
  );
  const pixels = picture.pixels(places);
  const names = north_up.map(([row, column]) => `map row ${row}, column ${column}`);
  const outside = north_up.flatMap(([, , value], at) => (value < 0 ? [at] : []));
  const drawn = outside.filter((at) => pixels[at][3] > 0);
  ok(outside.length > 200, `${outside.length} places outside of the grid`);
  equal(
    drawn.map((at) => names[at]),
    [],
    "what is outside of the grid is transparent",
  );
  const inside = north_up.flatMap(([, , value], at) => (value < 0 ? [] : [at]));
  ok(inside.length > 200, `${inside.length} places inside of the grid`);
  const wanted = await Promise.all(inside.map((at) => mapColour("gray", north_up[at][2], limits)));
  sameColours(
    inside.map((at) => pixels[at]),
    wanted,
    CLOSE,
    inside.map((at) => names[at]),
  );
});

test("pixels: the pointer shows the value, index and metres of a rotated grid", async () => {
  const { elements } = await expected("turned");
  const picture = await openPicture("turned", { colours: "gray" });
  const toScreen = await toScreenOf(picture);
  for (const { row, column, value, place } of elements.filter((_, at) => at % 3 === 0)) {
    const { index, words, values } = await picture.reading(toScreen(place));
    const name = `row ${row}, column ${column}`;
    equal([index.y, index.x], [row, column], name);
    equal(values, [`${value} m`], name);
    const metres = [words.easting, words.northing].map((text) => Number.parseFloat(text));
    const off = metres.map((own, at) => Math.abs(own - place[at]));
    ok(Math.max(...off) < 100, `${name} is at ${words.easting}, ${words.northing} instead of ${place}`);
  }
});

test("pixels: the pointer shows the element of a curvilinear grid that SciPy finds nearest", async () => {
  const { places } = await expected("curvilinear");
  const picture = await openPicture("curvilinear");
  const toScreen = await toScreenOf(picture);
  for (const { longitude, latitude, row, column, value } of places.filter((_, at) => at % 2 === 0)) {
    const { index, words, values } = await picture.reading(toScreen([longitude, latitude]));
    const name = `${latitude}° N, ${longitude}° E`;
    equal([index.rlat, index.rlon], [row, column], name);
    equal(values, [String(value)], name);
    ok(Math.abs(Number.parseFloat(words.latitude) - latitude) < 1, `${name}: latitude ${words.latitude}`);
    ok(Math.abs(Number.parseFloat(words.longitude) - longitude) < 1, `${name}: longitude ${words.longitude}`);
  }
});
