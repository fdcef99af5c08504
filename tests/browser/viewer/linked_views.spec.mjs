/**
 * Tests the viewer's linked views under a driver: three planes with a crosshair, and comparisons.
 * Values and colours are those of `fixtures/viewer-linked`, which NumPy has worked out.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as zarrita from "zarrita";
import { unpackFixtures } from "../../support/fixture_archives.mjs";
import { expect, test } from "../fixtures.mjs";

const FACTS = JSON.parse(readFileSync(join(unpackFixtures(), "viewer-linked/expected.json"), "utf8"));
const WARPED = JSON.parse(readFileSync(join(unpackFixtures(), "viewer-warped/expected.json"), "utf8"));
const VOLUME = "/fixtures/viewer-linked/volume";
const CELLS = "./samples/cells.ome.zarr";

/** White for 60 000, so that a colour tells the value to 240. */
const GREY = { channels: "0:ffffff:0:60000:1:on" };
const TOP = 60_000;
const CLOSE = 400;

const isScript = (request) => /\/\w+\.[\da-f]{8}\.js$/.test(request);

/** The picture of a plane. */
const picture = { xy: "#map", yz: ".plane.right .map", xz: ".plane.below .map" };

/** Opens the volume with three planes, and waits until they are drawn. */
async function openPlanes(viewer, url, parameters = {}) {
  await viewer.goto({ source: url + VOLUME, ...GREY, planes: "", ...parameters });
  await viewer.allDrawn();
}

/** The value and the indices at the crosshair, once it has this value. */
async function crossed(viewer, value) {
  await viewer.page.waitForFunction(
    (wanted) => {
      const text = document.querySelector(".cross-reading .value b")?.textContent ?? "";
      return text.replace(/[\u2009\u202f]/g, "") === wanted;
    },
    String(value),
    { timeout: 15_000 },
  );
  return viewer.page.locator(".cross-reading .places").innerText();
}

/** Presses a key with the focus on a picture. */
const press = (viewer, plane, key, times = 1) =>
  (async () => {
    for (let count = 0; count < times; count += 1) await viewer.page.locator(picture[plane]).press(key);
  })();

/** Where the lines of the crosshair meet, by the address: the indices of the first picture. */
const addressed = (viewer, name, value) => viewer.waitForParameter(name, value);

/** The centre and the resolution of the first picture. */
async function cameraOf({ page }) {
  await page.waitForFunction(() => location.search.includes("view="));
  const view = await page.evaluate(() => new URLSearchParams(location.search).get("view"));
  return view.split(",").map(Number);
}

/** The camera when it has been the same for longer than the address waits. */
async function cameraAtRest(viewer) {
  let before = [];
  for (;;) {
    const camera = await cameraOf(viewer);
    if (camera.join() === before.join()) return camera;
    before = camera;
    await viewer.page.waitForTimeout(700);
  }
}

/** A point of the first picture on the screen, for indices. */
async function placeOf(viewer, { x, y }) {
  const [middleX, middleY, resolution] = await cameraOf(viewer);
  const box = await viewer.page.locator("#map").boundingBox();
  const [, stepY, stepX] = FACTS.volume.scale;
  return [
    box.x + box.width / 2 + (x * stepX - middleX) / resolution,
    box.y + box.height / 2 + (y * stepY + middleY) / resolution,
  ];
}

/**
 * The colours of a picture as values, at shares of its width and height. A colour that is not grey
 * is null: there is a line of the crosshair.
 */
function valuesIn({ page }, selector, places) {
  return page.evaluate(
    ([selector, places, top]) => {
      const map = document.querySelector(selector);
      const { left, right, width, height, top: above } = map.getBoundingClientRect();
      const whole = Object.assign(document.createElement("canvas"), { width: right - left, height });
      const context = whole.getContext("2d");
      for (const canvas of map.querySelectorAll("canvas")) {
        const box = canvas.getBoundingClientRect();
        if (canvas.width > 0 && box.width > 0)
          context.drawImage(canvas, box.left - left, box.top - above, box.width, box.height);
      }
      return places.map(([across, down]) => {
        const at = [Math.floor(across * width), Math.floor(down * height)];
        const [red, green, blue] = context.getImageData(...at, 1, 1).data;
        return red === green && green === blue ? (red / 255) * top : null;
      });
    },
    [selector, places, TOP],
  );
}

test.describe("linked views", () => {
  test("planes: a crosshair shows its values, and the address has it", async ({ viewer, url }) => {
    await openPlanes(viewer, url, { at: "t:0,z:3" });
    for (const { at, value } of FACTS.volume.places) {
      await openPlanes(viewer, url, { at: `t:${at.t},z:${at.z}`, planes: `y:${at.y},x:${at.x}` });
      expect(await crossed(viewer, value)).toMatch(new RegExp(`z.*\\[${at.z}\\]`));
    }
  });

  test("planes: a click moves the crosshair, and a drag of its lines, too", async ({ viewer, url }) => {
    await openPlanes(viewer, url, { at: "t:0,z:3" });
    const [first, second] = FACTS.volume.places;
    await crossed(viewer, first.value);
    await viewer.page.mouse.click(...(await placeOf(viewer, second.at)));
    await crossed(viewer, second.value);
    await addressed(viewer, "planes", "x:40,y:10");
    expect(await viewer.page.locator("#plots").isHidden(), "a click plots nothing here").toBe(true);
    await viewer.page.mouse.move(...(await placeOf(viewer, second.at)));
    await viewer.page.mouse.down();
    await viewer.page.mouse.move(...(await placeOf(viewer, first.at)), { steps: 4 });
    await viewer.page.mouse.up();
    await crossed(viewer, first.value);
  });

  test("planes: keys move the crosshair in each picture, and sliders follow", async ({ viewer, url }) => {
    await openPlanes(viewer, url, { at: "t:0,z:3", planes: "x:25,y:20" });
    const [first, second, third, fourth] = FACTS.volume.places;
    await crossed(viewer, first.value);
    await press(viewer, "xy", "ArrowRight", 5);
    await press(viewer, "xy", "Shift+ArrowUp");
    await press(viewer, "xz", "Shift+ArrowRight");
    await crossed(viewer, second.value);
    await press(viewer, "yz", "ArrowRight", 2);
    await crossed(viewer, third.value);
    await addressed(viewer, "at", "t:0,z:5");
    await viewer.page.locator('#dimensions [aria-label="t"]').press("End");
    await crossed(viewer, fourth.value);
  });

  test("planes: the other pictures have the values of their planes", async ({ viewer, url }) => {
    await openPlanes(viewer, url, { at: "t:0,z:5", planes: "x:40,y:10" });
    const { planes, scale, shape } = FACTS.volume;
    const [, , resolution] = await cameraOf(viewer);
    const [middleX, middleY] = await cameraOf(viewer);
    await viewer.allDrawn();
    const size = (plane) => viewer.page.locator(picture[plane]).boundingBox();
    // z is in the middle of its side, because only these pictures have it.
    const middleZ = ((shape[1] - 1) / 2) * scale[0];
    const share = (offset, length) => 0.5 + offset / resolution / length;
    const [yz, xz] = [await size("yz"), await size("xz")];
    for (let z = 0; z < shape[1]; z += 1) {
      // The crosshair lies on the middle of an element, so this looks beside it.
      const away = z * scale[0] - middleZ + 0.3;
      const rows = planes.yz[z].map((value, at) => ({ value, y: 10 * at * scale[1] + middleY + 0.15 }));
      const columns = planes.xz[z].map((value, at) => ({ value, x: 10 * at * scale[2] - middleX + 0.15 }));
      const inYz = rows.map(({ y }) => [share(away, yz.width), share(y, yz.height)]);
      const inXz = columns.map(({ x }) => [share(x, xz.width), share(away, xz.height)]);
      const found = [
        ...(await valuesIn(viewer, picture.yz, inYz)).map((value, at) => [value, rows[at].value]),
        ...(await valuesIn(viewer, picture.xz, inXz)).map((value, at) => [value, columns[at].value]),
      ];
      for (const [value, wanted] of found)
        expect(
          value !== null && Math.abs(value - wanted) < CLOSE,
          `${value} in place of ${wanted} at z ${z}`,
        ).toBeTruthy();
    }
  });

  test("planes: pictures pan and zoom together, with their physical scale", async ({ viewer, url }) => {
    await openPlanes(viewer, url, { at: "t:0,z:3" });
    const [x, y, resolution] = await cameraOf(viewer);
    const box = await viewer.page.locator(picture.xz).boundingBox();
    await viewer.page.mouse.move(box.x + box.width * 0.8, box.y + box.height * 0.9);
    await viewer.page.mouse.down();
    await viewer.page.mouse.move(box.x + box.width * 0.8 - 60, box.y + box.height * 0.9, { steps: 6 });
    await viewer.page.mouse.up();
    await viewer.page.waitForFunction(
      (before) => Number(new URLSearchParams(location.search).get("view").split(",")[0]) > before,
      x + 40 * resolution,
    );
    const moved = await cameraOf(viewer);
    expect(Math.abs(moved[1] - y), "xz moves x, and not y").toBeLessThan(resolution);
    await viewer.page.mouse.wheel(0, -240);
    await viewer.page.waitForFunction(
      (before) => Number(new URLSearchParams(location.search).get("view").split(",")[2]) < before * 0.9,
      resolution,
    );
  });

  test("planes: the choice opens and closes them, and Back undoes it", async ({ viewer }) => {
    const { page } = viewer;
    await viewer.goto({ source: CELLS });
    await viewer.drawn();
    await viewer.quiet();
    const before = new Set(viewer.requests.filter(isScript));
    await page.click('#linked >> text="xy, xz and yz"');
    await viewer.allDrawn();
    const later = viewer.requests.filter((request) => isScript(request) && !before.has(request));
    expect(later.length, "the code for it loads late").toBeGreaterThan(0);
    await page.waitForURL((address) => address.searchParams.get("planes") === "x:288,y:288");
    await page.goBack();
    await page.locator(".side-view").first().waitFor({ state: "detached" });
    expect((await page.locator("#views canvas").count()) > 0).toBe(true);
    await page.goForward();
    await viewer.allDrawn();
    await page.click('#linked >> text="One plane"');
    await page.locator(".side-view").first().waitFor({ state: "detached" });
    await page.waitForURL((address) => !address.searchParams.has("planes"));
    expect(viewer.complaints).toEqual([]);
  });

  test("planes: beside a map they begin at its longitude, and have north at its side", async ({
    viewer,
    url,
  }) => {
    const [first, second, third, fourth] = FACTS.ocean;
    const { depth, lat, lon } = first.at;
    const source = `${url}/fixtures/viewer-linked/ocean`;
    await viewer.goto({ source, variable: "salt", at: `depth:${depth}`, planes: `lon:${lon},lat:${lat}` });
    await viewer.allDrawn();
    await crossed(viewer, first.value);
    await press(viewer, "xz", "ArrowRight");
    await crossed(viewer, second.value);
    await press(viewer, "yz", "ArrowUp");
    await crossed(viewer, third.value);
    await press(viewer, "xz", "ArrowDown");
    await crossed(viewer, fourth.value);
  });

  test("planes: a flat image and a map have no choice of planes", async ({ viewer }) => {
    for (const source of ["./samples/climate.zarr", "./samples/tissue.ome.zarr"]) {
      await viewer.goto({ source, planes: "" });
      await viewer.drawn();
      await expect(viewer.page.locator('#linked [aria-label="Number of planes"]')).toHaveCount(0);
      await expect(viewer.page.locator(".side-view")).toHaveCount(0);
    }
  });
});

const CLIMATE = { source: "./samples/climate.zarr", variable: "air_temperature", layers: "" };
/** Black is 0, white is 6. */
const fields = (url) => ({
  source: `${url}/fixtures/viewer-linked/fields`,
  variable: "first",
  colours: "gray",
  limits: "0,6",
  panels: "display",
});

/** Opens a comparison, and waits until both pictures are drawn. */
async function openCompared(viewer, parameters) {
  await viewer.goto(parameters);
  await viewer.allDrawn();
}

/** The two pictures, and what they say of the point under the pointer. */
const FIRST = { map: "#map", readout: "#readout" };
const SECOND = { map: ".compared .map", readout: ".compared .readout" };

/** Moves the pointer to a point of a picture, and waits until it tells this value there. */
async function tells(viewer, { map, readout }, [x, y], value) {
  const { page } = viewer;
  const [across, down] = await pointIn(viewer, map, [x, y]);
  await page.mouse.move(across - 3, down);
  await page.mouse.move(across, down);
  await page
    .waitForFunction(
      ([selector, wanted]) => {
        const text = document.querySelector(selector)?.querySelector(".value b")?.textContent ?? "";
        if (wanted === null) return text === "no data";
        const number = Number.parseFloat(text.replace(/[\u2009\u202f]/g, "").replace("−", "-"));
        return Math.abs(number - wanted) < 0.006;
      },
      [readout, value],
      { timeout: 8_000 },
    )
    .catch(async (error) => {
      const text = await page.locator(readout).textContent();
      throw new Error(`${text} in place of ${value} at ${x}, ${y}: ${error.message}`);
    });
}

/** The middle of a block of the fields, whose map has indices. */
const blockAt = (row, column) => [(column + 0.5) * FACTS.fields.block, -(row + 0.5) * FACTS.fields.block];

/** A point of a picture on the page. */
async function pointIn(viewer, map, [x, y]) {
  const [middleX, middleY, resolution] = await cameraOf(viewer);
  const box = await viewer.page.locator(map).boundingBox();
  return [
    box.x + box.width / 2 + (x - middleX) / resolution,
    box.y + box.height / 2 - (y - middleY) / resolution,
  ];
}

/** Colours have steps of 6 / 255. */
const aboutSixth = (value) => Math.round(value * 10) / 10;

/** Saves what is on the screen as a PNG. Resolves to its greys at points of the page, as values. */
async function valuesInFile(viewer, places) {
  const { page } = viewer;
  const view = await page.locator("#map").boundingBox();
  await page.click("#share-switch");
  await page.click('#share-menu >> text="Save picture…"');
  await page.click('.picture-dialog >> text="Legend, scale bar and coordinates"');
  await page.click('.file-width >> text="2 ×"');
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.click('dialog >> text="Save PNG"'),
  ]);
  const file = readFileSync(await download.path()).toString("base64");
  await page.keyboard.press("Escape");
  const greys = await page.evaluate(
    async ([data, places]) => {
      const bytes = Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
      context.drawImage(bitmap, 0, 0);
      return places.map(([x, y]) => context.getImageData(Math.round(2 * x), Math.round(2 * y), 1, 1).data[0]);
    },
    [file, places.map(([x, y]) => [x - view.x, y - view.y])],
  );
  return greys.map((grey) => aboutSixth((grey / 255) * 6));
}

/** The grey of the page at the middle of a block, as a value of the fields. */
async function valueOnPage(viewer, row, column) {
  const [x, y] = await pointIn(viewer, "#map", blockAt(row, column));
  const clip = { x: Math.round(x), y: Math.round(y), width: 1, height: 1 };
  const image = (await viewer.page.screenshot({ clip })).toString("base64");
  const [red] = await viewer.page.evaluate(async (data) => {
    const bytes = Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const context = new OffscreenCanvas(1, 1).getContext("2d");
    context.drawImage(bitmap, 0, 0);
    return [...context.getImageData(0, 0, 1, 1).data];
  }, image);
  return (red / 255) * 6;
}

async function shows(viewer, row, column, value) {
  const found = await valueOnPage(viewer, row, column);
  expect(Math.abs(found - value), `${found} in place of ${value} in block ${row}, ${column}`).toBeLessThan(
    0.1,
  );
}

test.describe("linked views", () => {
  test("compared: two variables beside each other have their values", async ({ viewer }) => {
    await openCompared(viewer, { ...CLIMATE, compare: "beside", with: "variable=sea_surface_temperature" });
    for (const { place, air, sea } of FACTS.climate) {
      await tells(viewer, FIRST, place, air);
      await tells(viewer, SECOND, place, sea);
    }
    const limits = () =>
      viewer.page
        .locator("#views .legend .bar")
        .evaluateAll((bars) => bars.map(({ ariaLabel }) => ariaLabel));
    const [one, other] = await limits();
    expect(one, "both are in K, so they have the same limits").toBe(other);
    await viewer.page.click('#comparison >> text="Same limits and colours"');
    await viewer.page.waitForURL((address) => address.searchParams.get("compare") === "beside,own");
    await viewer.page.waitForFunction(
      (before) => document.querySelector(".compared .legend .bar")?.ariaLabel !== before,
      one,
    );
  });

  test("compared: another time has its own slider, unless time is linked", async ({ viewer }) => {
    const { page } = viewer;
    await openCompared(viewer, { ...CLIMATE, at: "time:0", compare: "beside", with: "at=time:6" });
    for (const { place, air, later } of FACTS.climate) {
      await tells(viewer, FIRST, place, air);
      await tells(viewer, SECOND, place, later);
    }
    await page.locator(".dimensions.second input[type=range]").press("Home");
    await page.waitForURL((address) => address.searchParams.get("with") === "at=time:0");
    await tells(viewer, SECOND, FACTS.climate[0].place, FACTS.climate[0].air);
    expect(new URL(page.url()).searchParams.get("at")).toBe("time:0");
    await page.click('#comparison >> text="Link time"');
    await page.waitForURL((address) => address.searchParams.get("with") === "");
    await page.locator("#dimensions input[type=number]").fill("6");
    await tells(viewer, SECOND, FACTS.climate[0].place, FACTS.climate[0].later);
    await tells(viewer, FIRST, FACTS.climate[0].place, FACTS.climate[0].later);
  });

  test("compared: the difference is NumPy's, and missing where either is missing", async ({
    viewer,
    url,
  }) => {
    const { block, difference } = FACTS.fields;
    expect(block).toBe(40);
    await openCompared(viewer, { ...fields(url), compare: "difference", with: "variable=second" });
    for (const [row, values] of difference.entries()) {
      for (const [column, value] of values.entries())
        await tells(viewer, SECOND, blockAt(row, column), value);
    }
    const words = await viewer.page.locator(".compared .legend .bar").getAttribute("aria-label");
    const [, low, high] = /from (\S+) to (\S+)/.exec(words);
    expect(low.replace("−", "-"), "the colours are centred at zero").toBe(`-${high}`);
  });

  test("compared: the difference of two times and of two variables", async ({ viewer }) => {
    const pairs = { "at=time:6": "of_times", "variable=sea_surface_temperature": "of_variables" };
    for (const [other, name] of Object.entries(pairs)) {
      await openCompared(viewer, { ...CLIMATE, at: "time:0", compare: "difference", with: other });
      for (const element of FACTS.climate) await tells(viewer, SECOND, element.place, element[name]);
    }
  });

  test("compared: the difference of an image is of the channel that is chosen", async ({ viewer }) => {
    const [row, column, t, z] = [303, 265, 2, 3];
    const group = await zarrita.open(new zarrita.FetchStore(new URL(CELLS, viewer.viewer).href));
    const [finest] = group.attrs.ome.multiscales[0].datasets;
    const array = await zarrita.open(group.resolve(finest.path), { kind: "array" });
    const [, , , stepY, stepX] = finest.coordinateTransformations[0].scale;
    const wanted = await Promise.all(
      [0, 1, 2].map(async (channel) => {
        const at = (time) => zarrita.get(array, [time, channel, z, row, column]);
        return (await at(0)) - (await at(t));
      }),
    );
    expect(new Set(wanted).size, `the channels differ: ${wanted}`).toBe(3);
    const point = [column * stepX, -row * stepY];
    await openCompared(viewer, {
      source: CELLS,
      at: `t:0,z:${z}`,
      level: "0",
      view: [...point, stepX / 4].join(), // an element has four pixels
      compare: "difference",
      with: `at=t:${t}`,
      panels: "display",
    });
    await tells(viewer, SECOND, point, wanted[0]);
    await viewer.page.selectOption('[aria-label="Channel of the difference"]', { index: 2 });
    await viewer.waitForParameter("compare", "difference,channel2");
    await viewer.allDrawn();
    await tells(viewer, SECOND, point, wanted[2]);
    await viewer.page.reload();
    await viewer.allDrawn();
    await tells(viewer, SECOND, point, wanted[2]);
  });

  test("compared: pictures of other shapes have no difference", async ({ viewer, url }) => {
    await openCompared(viewer, { ...fields(url), compare: "difference", with: "variable=wide" });
    await viewer.says("#comparison .note", "other rows and columns");
    expect(await viewer.page.locator('#comparison >> text="Difference"').isDisabled()).toBe(true);
  });

  test("compared: a swipe shows each picture at its side, by mouse and by keys", async ({ viewer, url }) => {
    const { page } = viewer;
    const { first, second } = FACTS.fields;
    await openCompared(viewer, { ...fields(url), compare: "swipe", with: "variable=second" });
    await shows(viewer, 0, 0, first[0][0]);
    await shows(viewer, 1, 2, second[1][2]);
    const divider = page.locator('.divider[role="slider"]');
    expect(await divider.getAttribute("aria-valuenow")).toBe("50");
    await divider.press("Home");
    expect(await divider.getAttribute("aria-valuenow")).toBe("0");
    await shows(viewer, 0, 0, second[0][0]);
    await divider.press("End");
    await shows(viewer, 1, 2, first[1][2]);
    await divider.press("PageDown");
    await page.waitForURL((address) => address.searchParams.get("compare") === "swipe,0.9");
    const box = await page.locator("#map").boundingBox();
    await page.mouse.move(box.x + box.width * 0.9, box.y + box.height * 0.6);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.6, { steps: 5 });
    await page.mouse.up();
    await page.waitForURL((address) => /^swipe,0\.(49|5)/.test(address.searchParams.get("compare")));
    await shows(viewer, 1, 2, second[1][2]);
    await page.reload();
    await viewer.allDrawn();
    await shows(viewer, 0, 0, first[0][0]);
    await shows(viewer, 1, 2, second[1][2]);
  });

  test("compared: a saved picture has both pictures, as they are seen", async ({ viewer, url }) => {
    const { first, second } = FACTS.fields;
    const blocks = [
      [0, 0],
      [1, 2],
    ];
    const placesIn = ({ map }) => Promise.all(blocks.map((block) => pointIn(viewer, map, blockAt(...block))));
    const valuesOf = (rows) => blocks.map(([row, column]) => rows[row][column]);
    await openCompared(viewer, { ...fields(url), compare: "swipe", with: "variable=second" });
    const swiped = [first[0][0], second[1][2]];
    expect(await valuesInFile(viewer, await placesIn(FIRST))).toEqual(swiped.map(aboutSixth));
    await openCompared(viewer, { ...fields(url), compare: "beside", with: "variable=second" });
    const places = [...(await placesIn(FIRST)), ...(await placesIn(SECOND))];
    const wanted = [...valuesOf(first), ...valuesOf(second)];
    expect(await valuesInFile(viewer, places)).toEqual(wanted.map(aboutSixth));
  });

  test("compared: the difference of two times of a curvilinear grid", async ({ viewer, url }) => {
    const source = `${url}/fixtures/viewer-warped/ocean`;
    await openCompared(viewer, { source, at: "time:4", compare: "difference", with: "at=time:1" });
    for (const { place, value } of WARPED.ocean.differences) await tells(viewer, SECOND, place, value);
    const dates = await viewer.page.locator(".dimensions.second").innerText();
    expect(dates, "the other time has its date").toMatch(/2001-03-02/);
  });

  test("compared: the difference of two times of a turned plane", async ({ viewer, url }) => {
    const source = `${url}/fixtures/viewer-warped/turned`;
    await openCompared(viewer, { source, at: "time:4", compare: "difference", with: "at=time:1" });
    for (const { place, value } of WARPED.turned.differences) await tells(viewer, SECOND, place, value);
  });

  test("compared: a fixed level is that of both pictures", async ({ viewer }) => {
    const { page } = viewer;
    const isOfLevel = (level) => (address) => address.includes(`/cells.ome.zarr/scale${level}/cells/c/`);
    const readLevels = () => [0, 1, 2].map((level) => viewer.requests.filter(isOfLevel(level)).length);
    await openCompared(viewer, { source: CELLS, level: "1", compare: "beside", with: "at=t:1" });
    const [finest, fixed] = readLevels();
    expect(finest, "neither picture reads another level").toBe(0);
    await page.selectOption("#level", "0");
    await page.waitForURL((address) => address.searchParams.get("level") === "0");
    await viewer.allDrawn();
    const [own, same] = readLevels();
    expect(own > 0 && same === fixed, `${own} and ${same} requests`).toBeTruthy();
  });

  test("compared: both pan and zoom together", async ({ viewer }) => {
    const { page } = viewer;
    await page.emulateMedia({ reducedMotion: "reduce" }); // so that a movement ends with its cause
    await openCompared(viewer, { ...CLIMATE, compare: "beside", with: "at=time:6", view: "10,40,0.25" });
    await tells(viewer, SECOND, FACTS.climate[0].place, FACTS.climate[0].later);
    const box = await page.locator(SECOND.map).boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 + 80, box.y + box.height / 2, { steps: 5 });
    await page.mouse.up();
    const [moved] = await cameraAtRest(viewer);
    expect(moved, `the middle is at ${moved}`).toBeLessThan(0);
    await tells(viewer, FIRST, FACTS.climate[0].place, FACTS.climate[0].air);
    await page.locator("#zoom button").first().click();
    const [, , resolution] = await cameraAtRest(viewer);
    expect(Math.abs(resolution - 0.25 / 1.6), `the resolution is ${resolution}`).toBeLessThan(1e-3);
    await tells(viewer, SECOND, FACTS.climate[0].place, FACTS.climate[0].later);
  });

  test("compared: the dialog chooses, Back undoes, and closing removes the second", async ({ viewer }) => {
    const { page } = viewer;
    await viewer.goto({ ...CLIMATE, at: "time:0" });
    await viewer.drawn();
    const canvases = () => page.locator("#views canvas").count();
    const before = await canvases();
    await page.click('#linked >> text="Compare with…"');
    await page.selectOption("dialog [name=variable]", { label: "Sea surface temperature" });
    await page.click('dialog >> text="Compare"');
    await viewer.allDrawn();
    await page.waitForURL(
      (address) => address.searchParams.get("with") === "variable=sea_surface_temperature",
    );
    await page.goBack();
    await page.locator(".compared").waitFor({ state: "detached" });
    await page.goForward();
    await viewer.allDrawn();
    await tells(viewer, SECOND, FACTS.climate[1].place, FACTS.climate[1].sea);
    await page.click('.compared [aria-label="Close the comparison"]');
    await page.locator(".compared").waitFor({ state: "detached" });
    await page.waitForURL((address) => !address.searchParams.has("compare"));
    await page.waitForFunction(
      (count) => document.querySelectorAll("#views canvas").length === count,
      before,
    );
    await expect(page.locator("#comparison")).toHaveCount(0);
    expect(viewer.complaints).toEqual([]);
  });

  test("compared: closing ends the reads of the second", async ({ viewer }) => {
    const { page } = viewer;
    const isOfSecond = (address) => address.includes("/sea_surface_temperature/c/");
    const ended = new Promise((resolve) => {
      page.on("requestfailed", (request) => isOfSecond(request.url()) && resolve());
    });
    let asked;
    const isAsked = new Promise((resolve) => {
      asked = resolve;
    });
    await page.route("**/sea_surface_temperature/c/**", () => asked()); // never answered
    await viewer.goto({ ...CLIMATE, compare: "beside", with: "variable=sea_surface_temperature" });
    await isAsked;
    await page.click('#comparison >> text="Close the comparison"');
    await ended;
    await page.locator(".compared").waitFor({ state: "detached" });
  });

  test("compared: another data set by its address, and one that is not there", async ({ viewer, url }) => {
    const source = `${url}/fixtures/viewer-linked/fields`;
    await openCompared(viewer, { ...CLIMATE, compare: "beside", with: `source=${source}&variable=second` });
    await viewer.says(".compared .caption", "Second");
    await viewer.goto({ ...CLIMATE, compare: "beside", with: "source=./samples/nothing.zarr" });
    await viewer.page.locator('.compared [role="alert"]').waitFor();
    await viewer.page.click('#comparison >> text="Close the comparison"');
    await viewer.page.locator(".compared").waitFor({ state: "detached" });
  });
});
