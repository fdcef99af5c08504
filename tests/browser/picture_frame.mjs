/**
 * The viewer in a frame of the test page: reads colours of the picture at points of the screen, and
 * the values that the page shows for them. It finds elements by their roles and ids. It works in
 * every engine.
 */
import { fixture } from "./harness.mjs";
import { until, ViewerFrame, viewerFrame, wait } from "./viewer_frame.mjs";

/** The pointer is moved again if its value is still being read. */
const SETTLE_MS = 60;

/**
 * Opens a picture of a folder of fixtures without coast lines and graticule. `parameters` are
 * further parameters of the page's URL.
 */
export async function openPicture(name, parameters = {}, folder = "viewer") {
  const query = new URLSearchParams({ source: fixture(`${folder}/${name}`), layers: "", ...parameters });
  const picture = new PictureFrame(viewerFrame(`?${query}`, { size: [1000, 700] }));
  await picture.drawn();
  return picture;
}

class PictureFrame extends ViewerFrame {
  /** The centre of the view in map coordinates and the map units per CSS pixel, from the URL. */
  async view() {
    const words = await until(() => this.query.get("view"), "the view in the page's address");
    return words.split(",").map(Number);
  }

  get map() {
    return this.find("#map").getBoundingClientRect();
  }

  /** Waits until the picture is complete. */
  async drawn() {
    const isDrawn = () => this.find('#map[aria-busy="false"] canvas');
    const alert = () => this.find('[role="alert"]');
    await until(() => isDrawn() || alert(), "the picture");
    if (alert()) throw new Error(`no picture: ${alert().textContent}`);
    await this.#settled();
    await until(isDrawn, "the picture");
  }

  /** Waits until the picture does not change, because engines draw some frames after the tiles. */
  async #settled() {
    let before = "";
    for (let tries = 0; tries < 60; tries += 1) {
      await wait(2 * SETTLE_MS);
      const pixels = this.pixels(this.#sample());
      const now = pixels.join();
      if (now === before && pixels.some(([, , , opacity]) => opacity > 0)) return;
      before = now;
    }
    throw new Error("the picture stays empty, or never stays as it is");
  }

  /** A grid of points on the map. */
  #sample() {
    const { width, height } = this.map;
    const shares = [0.1, 0.3, 0.45, 0.5, 0.55, 0.7, 0.9];
    return shares.flatMap((across) => shares.map((down) => [across * width, down * height]));
  }

  /** Presses a key with the focus on the picture. */
  async press(key) {
    const map = this.find("#map");
    map.focus();
    const { KeyboardEvent } = this.frame.contentWindow;
    map.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    map.dispatchEvent(new KeyboardEvent("keyup", { key, bubbles: true }));
    await wait(SETTLE_MS);
    await this.drawn();
  }

  /** Sets a field and sends the events of typing or dragging. */
  async set(field, value) {
    field.value = value;
    const { Event } = this.frame.contentWindow;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
    await wait(SETTLE_MS);
    await this.drawn();
  }

  /**
   * Red, green, blue and opacity of the picture at points of the map, in CSS pixels. The canvases
   * are combined.
   */
  pixels(places) {
    const { left, top, width, height } = this.map;
    const whole = document.createElement("canvas");
    whole.width = Math.ceil(width);
    whole.height = Math.ceil(height);
    const context = whole.getContext("2d", { willReadFrequently: true });
    for (const canvas of this.document.querySelectorAll("#map canvas")) {
      const box = canvas.getBoundingClientRect();
      if (canvas.width > 0 && box.width > 0)
        context.drawImage(canvas, box.left - left, box.top - top, box.width, box.height);
    }
    const { data } = context.getImageData(0, 0, whole.width, whole.height);
    return places.map(([x, y]) => {
      const at = (Math.floor(y) * whole.width + Math.floor(x)) * 4;
      return [...data.subarray(at, at + 4)];
    });
  }

  /**
   * Moves the pointer to a point of the map. Resolves to `{index, words, values}`: by name of the
   * axis its index and its coordinate as text, and the values as texts. Null outside of the data.
   */
  async reading([x, y]) {
    const { left, top } = this.map;
    const readout = this.find("#readout");
    const { PointerEvent } = this.frame.contentWindow;
    const target = this.find("#map .ol-viewport") ?? this.find("#map");
    const event = { clientX: left + x, clientY: top + y, bubbles: true, pointerId: 1, pointerType: "mouse" };
    for (let tries = 0; tries < 20; tries += 1) {
      target.dispatchEvent(new PointerEvent("pointermove", event));
      await wait(SETTLE_MS);
      if (readout.hidden && tries > 2) return null;
      if (!readout.hidden && !readout.textContent.includes("…")) break;
    }
    return readingOf(readout);
  }
}

function readingOf(readout) {
  const index = {};
  const words = {};
  for (const place of readout.querySelector(".places").children) {
    const name = place.querySelector(".name").textContent;
    const digits = place.querySelector(".index")?.textContent ?? "";
    if (digits !== "") index[name] = Number(digits.replace(/[[\]]/g, ""));
    words[name] = place.textContent.slice(name.length).replace(digits, "").trim();
  }
  return {
    index,
    words,
    values: [...readout.querySelectorAll(".value b")].map((value) => value.textContent),
  };
}
