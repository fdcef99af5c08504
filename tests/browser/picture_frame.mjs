/**
 * The viewer in a frame of the test page, and its picture: colours at places of the screen, and
 * what the page says of the values there. Knows the page by its roles and ids, and nothing of how
 * the picture is drawn. Works in every engine.
 */
import { fixture } from "./harness.mjs";
import { until, ViewerFrame, viewerFrame, wait } from "./viewer_frame.mjs";

/** A pointer is moved again where the answer is still being read. */
const SETTLE_MS = 60;

/**
 * Opens a picture of `fixtures/viewer`, without coast lines and graticule; `parameters` are more of
 * the page's address.
 */
export async function openPicture(name, parameters = {}) {
  const query = new URLSearchParams({ source: fixture(`viewer/${name}`), layers: "", ...parameters });
  const picture = new PictureFrame(viewerFrame(`?${query}`, { size: [1000, 700] }));
  await picture.drawn();
  return picture;
}

class PictureFrame extends ViewerFrame {
  /**
   * The middle in the coordinates of the map, and their units for a CSS pixel, as the address has
   * them.
   */
  async view() {
    const words = await until(() => this.query.get("view"), "the view in the page's address");
    return words.split(",").map(Number);
  }

  get map() {
    return this.find("#map").getBoundingClientRect();
  }

  /** Waits until the whole picture is on the screen. */
  async drawn() {
    const isDrawn = () => this.find('#map[aria-busy="false"] canvas');
    const alert = () => this.find('[role="alert"]');
    await until(() => isDrawn() || alert(), "the picture");
    if (alert()) throw new Error(`no picture: ${alert().textContent}`);
    await this.#settled();
    await until(isDrawn, "the picture");
  }

  /**
   * Waits until something is on the screen and stays as it is: engines draw some frames after tiles
   * are there.
   */
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

  /** Places all over the map. */
  #sample() {
    const { width, height } = this.map;
    const shares = [0.1, 0.3, 0.45, 0.5, 0.55, 0.7, 0.9];
    return shares.flatMap((across) => shares.map((down) => [across * width, down * height]));
  }

  /** Presses a key while the picture has the focus. */
  async press(key) {
    const map = this.find("#map");
    map.focus();
    const { KeyboardEvent } = this.frame.contentWindow;
    map.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    map.dispatchEvent(new KeyboardEvent("keyup", { key, bubbles: true }));
    await wait(SETTLE_MS);
    await this.drawn();
  }

  /** Sets a field as typing or dragging does. */
  async set(field, value) {
    field.value = value;
    const { Event } = this.frame.contentWindow;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
    await wait(SETTLE_MS);
    await this.drawn();
  }

  /**
   * Red, green, blue and opacity of all that is drawn, at places of the map in CSS pixels: the
   * canvases one above the other.
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
   * Moves the pointer to a place of the map: `{index, words, values}` by name, the index of each
   * axis, its coordinate as text, and the values as texts in order. null where the picture has
   * nothing.
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
