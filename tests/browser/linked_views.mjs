/**
 * Tests the viewer's linked views under a driver: three planes with a crosshair. Values and colours
 * are those of `fixtures/viewer-linked`, which NumPy has worked out.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { unpackFixtures } from "../fixture_archives.mjs";
import { runDriven } from "./driven_page.mjs";

const FACTS = JSON.parse(readFileSync(join(unpackFixtures(), "viewer-linked/expected.json"), "utf8"));
const VOLUME = "/fixtures/viewer-linked/volume";
const CELLS = "./samples/cells.ome.zarr";

/** White for 60 000, so that a colour tells the value to 240. */
const GREY = { channels: "0:ffffff:0:60000:1:on" };
const TOP = 60_000;
const CLOSE = 400;

const isScript = (request) => /\/\w+\.[\da-f]{8}\.js$/.test(request);
const numberOf = (text) => Number.parseFloat(text.replace(/[\u2009\u202f]/g, "").replace("−", "-"));

/** The picture of a plane. */
const picture = { xy: "#map", yz: ".plane.right .map", xz: ".plane.below .map" };

/** Opens the volume with three planes, and waits until they are drawn. */
async function openPlanes(viewer, url, parameters = {}) {
  await viewer.goto({ source: url + VOLUME, ...GREY, planes: "", ...parameters });
  await allDrawn(viewer);
}

async function allDrawn(viewer) {
  await viewer.drawn();
  await viewer.page.waitForFunction(() => {
    const maps = [...document.querySelectorAll("#views .map")];
    return maps.length > 1 && maps.every((map) => map.ariaBusy === "false" && map.querySelector("canvas"));
  });
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

/** A place of the first picture on the screen, for indices. */
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

const PLANES = {
  async "planes: a crosshair shows its values, and the address has it"(viewer, { url }) {
    await openPlanes(viewer, url, { at: "t:0,z:3" });
    for (const { at, value } of FACTS.volume.places) {
      await openPlanes(viewer, url, { at: `t:${at.t},z:${at.z}`, planes: `y:${at.y},x:${at.x}` });
      assert.match(await crossed(viewer, value), new RegExp(`z.*\\[${at.z}\\]`));
    }
  },

  async "planes: a click moves the crosshair, and a drag of its lines, too"(viewer, { url }) {
    await openPlanes(viewer, url, { at: "t:0,z:3" });
    const [first, second] = FACTS.volume.places;
    await crossed(viewer, first.value);
    await viewer.page.mouse.click(...(await placeOf(viewer, second.at)));
    await crossed(viewer, second.value);
    await addressed(viewer, "planes", "x:40,y:10");
    assert.equal(await viewer.page.locator("#plots").isHidden(), true, "a click plots nothing here");
    await viewer.page.mouse.move(...(await placeOf(viewer, second.at)));
    await viewer.page.mouse.down();
    await viewer.page.mouse.move(...(await placeOf(viewer, first.at)), { steps: 4 });
    await viewer.page.mouse.up();
    await crossed(viewer, first.value);
  },

  async "planes: keys move the crosshair in each picture, and sliders follow"(viewer, { url }) {
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
  },

  async "planes: the other pictures have the values of their planes"(viewer, { url }) {
    await openPlanes(viewer, url, { at: "t:0,z:5", planes: "x:40,y:10" });
    const { planes, scale, shape } = FACTS.volume;
    const [, , resolution] = await cameraOf(viewer);
    const [middleX, middleY] = await cameraOf(viewer);
    await allDrawn(viewer);
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
        assert.ok(
          value !== null && Math.abs(value - wanted) < CLOSE,
          `${value} in place of ${wanted} at z ${z}`,
        );
    }
  },

  async "planes: pictures pan and zoom together, with their physical scale"(viewer, { url }) {
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
    assert.ok(Math.abs(moved[1] - y) < resolution, "xz moves x, and not y");
    await viewer.page.mouse.wheel(0, -240);
    await viewer.page.waitForFunction(
      (before) => Number(new URLSearchParams(location.search).get("view").split(",")[2]) < before * 0.9,
      resolution,
    );
  },

  async "planes: the choice opens and closes them, and Back undoes it"(viewer, { url }) {
    const { page } = viewer;
    await viewer.goto({ source: CELLS });
    await viewer.drawn();
    await page.waitForTimeout(300);
    const before = new Set(viewer.requests.filter(isScript));
    await page.click('#linked >> text="xy, xz and yz"');
    await allDrawn(viewer);
    const later = viewer.requests.filter((request) => isScript(request) && !before.has(request));
    assert.ok(later.length > 0, "the code for it loads late");
    await page.waitForURL((address) => address.searchParams.get("planes") === "x:288,y:288");
    await page.goBack();
    await page.locator(".side").first().waitFor({ state: "detached" });
    assert.equal((await page.locator("#views canvas").count()) > 0, true);
    await page.goForward();
    await allDrawn(viewer);
    await page.click('#linked >> text="One plane"');
    await page.locator(".side").first().waitFor({ state: "detached" });
    await page.waitForURL((address) => !address.searchParams.has("planes"));
    assert.deepEqual(viewer.complaints, []);
  },

  async "planes: a flat image and a map have no choice of planes"(viewer) {
    for (const source of ["./samples/climate.zarr", "./samples/tissue.ome.zarr"]) {
      await viewer.goto({ source, planes: "" });
      await viewer.drawn();
      assert.equal(await viewer.page.locator('#linked [aria-label="Number of planes"]').count(), 0);
      assert.equal(await viewer.page.locator(".side").count(), 0);
    }
  },
};

export const runLinkedViews = (session) => runDriven("linked views", PLANES, session);
