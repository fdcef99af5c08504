/**
 * An example page under a driver: its texts, tables, controls and colours. Colours are those of a
 * screenshot, or of a canvas with two dimensions.
 */
import { openAsBlob } from "node:fs";
import { ZipFileStore } from "@zarrita/storage";
import * as zarrita from "zarrita";
import { expect } from "../fixtures.mjs";

const PATIENCE_MS = 30_000;
const STEP_MS = 100;
/** Before a picture of a page is made. */
const SETTLED_MS = 6000;

/** Runs in the page: the colours of points in a picture. */
async function coloursAt([png, places]) {
  const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
  context.drawImage(bitmap, 0, 0);
  const { data, width } = context.getImageData(0, 0, bitmap.width, bitmap.height);
  return places.map(([x, y]) => {
    const at = 4 * (Math.floor(y) * width + Math.floor(x));
    return [...data.subarray(at, at + 3)];
  });
}

/** Runs in the page: the colours of the elements of a canvas, by row and column. */
function canvasColoursAt([selector, places]) {
  const canvas = document.querySelector(selector);
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
  copy.drawImage(canvas, 0, 0);
  return places.map(([row, column]) => [...copy.getImageData(column, row, 1, 1).data.subarray(0, 3)]);
}

export class ExamplePage {
  /** Errors of the page, failed requests, and errors in the console. */
  complaints = [];

  /** `root` is the address of the folder of examples. */
  constructor(page, root) {
    [this.page, this.root] = [page, root];
    page.on("pageerror", (error) => this.complaints.push(String(error)));
    page.on("response", (answer) => {
      // Keys of stores may be absent.
      if (answer.status() >= 400 && !answer.url().includes("/samples/")) this.complaints.push(answer.url());
    });
    page.on("console", (message) => {
      const isAbsent = message.text().startsWith("Failed to load resource");
      if (message.type() === "error" && !isAbsent) this.complaints.push(message.text());
    });
  }

  goto(name) {
    return this.page.goto(`${this.root}/${name}`);
  }

  text(selector) {
    return this.page.locator(selector).innerText();
  }

  value(selector) {
    return this.page.locator(selector).inputValue();
  }

  box(selector) {
    return this.page.locator(selector).boundingBox();
  }

  /** Waits for a text. */
  says(selector, text) {
    return this.page.locator(selector, { hasText: text }).first().waitFor();
  }

  /** The texts of the cells of a table, row by row. */
  rows(selector) {
    return this.page.$eval(selector, ({ rows }) =>
      [...rows].map(({ cells }) => [...cells].map((cell) => cell.textContent)),
    );
  }

  /** Sets a slider with the keys of the keyboard. */
  async slide(selector, value) {
    const slider = this.page.locator(selector);
    await slider.focus();
    const step = Number((await slider.getAttribute("step")) ?? 1);
    const distance = Math.round((value - Number(await slider.inputValue())) / step);
    for (let press = 0; press < Math.abs(distance); press += 1)
      await this.page.keyboard.press(distance > 0 ? "ArrowRight" : "ArrowLeft");
  }

  /** Repeats a check until it holds. */
  until(check) {
    return expect(check).toPass({ timeout: PATIENCE_MS, intervals: [STEP_MS] });
  }

  /** The colours of points of an element, in CSS pixels from its upper left corner. */
  async colours(selector, places) {
    const { x: left, y: top } = await this.box(selector);
    const png = (await this.page.screenshot()).toString("base64");
    // Browsers draw an element between two pixels at the nearer one.
    const onPage = places.map(([x, y]) => [Math.round(left) + x, Math.round(top) + y]);
    return this.page.evaluate(coloursAt, [png, onPage]);
  }

  async middle(selector) {
    const { width, height } = await this.box(selector);
    return this.colours(selector, [[width / 2, height / 2]]);
  }

  canvasColours(selector, places) {
    return this.page.evaluate(canvasColoursAt, [selector, places]);
  }

  /** The number of different colours of an element, at each seventh pixel. */
  async countColours(selector) {
    const { width, height } = await this.box(selector);
    const places = [];
    for (let y = 3; y < height; y += 7) for (let x = 3; x < width; x += 7) places.push([x, y]);
    return new Set((await this.colours(selector, places)).map(String)).size;
  }

  /** The counts of the bars of the dashboard's histogram, by moving over them. */
  async histogram() {
    await this.page.locator("#counts").scrollIntoViewIfNeeded();
    const { x, y, width, height } = await this.box("#counts .u-over");
    const counts = [];
    for (let bin = 0; bin < 40; bin += 1) {
      await this.page.mouse.move(x + ((bin + 0.01) / 39) * (width - 1), y + height / 2);
      counts.push(Number((await this.text("#counts .u-series:last-child .u-value")).replaceAll(",", "")));
    }
    return counts;
  }

  /** The elements of the two finest levels of an archive, as zarrita reads them. */
  async elementsOf(path) {
    const store = ZipFileStore.fromBlob(await openAsBlob(path));
    const group = await zarrita.open(store, { kind: "group" });
    const [{ datasets }] = group.attrs.ome.multiscales;
    const [finest, half] = await Promise.all(
      datasets.slice(0, 2).map(async (level) => {
        const array = await zarrita.open(group.resolve(level.path), { kind: "array" });
        return (await zarrita.get(array)).data;
      }),
    );
    return { finest, half };
  }

  /** Makes the picture of the index. */
  async writePicture(path) {
    await this.page.setViewportSize({ width: 640, height: 480 });
    await this.page.waitForTimeout(SETTLED_MS);
    await this.page.evaluate(() => {
      document.activeElement?.blur();
      document.querySelector("h1").scrollIntoView();
    });
    await this.page.screenshot({ path, type: "jpeg", quality: 75 });
  }
}
