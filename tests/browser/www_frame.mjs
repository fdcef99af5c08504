/**
 * The viewer (www/) in a frame of the test page. Tests fill fields, press buttons and read pixels,
 * as a user would.
 */
import { ok } from "./harness.mjs";
import { until, ViewerFrame, viewerFrame, wait } from "./viewer_frame.mjs";

/** The time of two frames of a slow screen. */
const SHOWN_MS = 60;
const COUNTED_MS = 1600;

/** Opens the viewer with a query, in a frame of this size in CSS pixels. */
export async function openViewer(query = "", { webgl = true, size = [1200, 800] } = {}) {
  const viewer = new PageFrame(viewerFrame(query, { webgl, size }));
  await until(() => viewer.find("#panel-data"), "the page");
  return viewer;
}

class PageFrame extends ViewerFrame {
  /** Waits until the picture is complete. */
  async drawn() {
    const picture = () => this.find('#map:not([hidden])[aria-busy="false"] canvas');
    await until(() => picture() || this.find('[role="alert"]'), "the picture");
    ok(picture(), `no picture: ${this.text('[role="alert"]')}`);
    // A complete picture is visible in the next frame.
    await wait(SHOWN_MS);
  }

  /** Starts to count calls of WebGL by name. */
  countWebGl(names) {
    const { prototype } = this.frame.contentWindow.WebGLRenderingContext;
    const calls = Object.fromEntries(names.map((name) => [name, 0]));
    for (const name of names) {
      const call = prototype[name];
      prototype[name] = function (...args) {
        calls[name] += 1;
        return call.apply(this, args);
      };
    }
    return calls;
  }

  /** Sets a field and sends the events of typing or dragging. */
  set(selector, value, event = "input") {
    const field = this.find(selector);
    field.value = value;
    field.dispatchEvent(new Event(event, { bubbles: true }));
  }

  /** Presses a key with the focus on an element. */
  press(element, key) {
    element.focus();
    element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  }

  /** Releases the key. */
  release(element, key) {
    element.dispatchEvent(new KeyboardEvent("keyup", { key, bubbles: true }));
  }

  /** The number of data requests, from the page's own counter. */
  async requests() {
    const panel = this.find("#switch-insight");
    if (panel.getAttribute("aria-expanded") === "false") panel.click();
    await until(() => this.find("#counters dd"), "the counters");
    // The page updates its counters once a second.
    await wait(COUNTED_MS);
    return Number(this.text("#counters dd").replace(/\s/g, ""));
  }

  submit(selector) {
    this.find(selector).requestSubmit();
  }

  /** The picture as 64 × 48 pixels of red, green, blue and opacity. */
  pixels() {
    const sample = document.createElement("canvas");
    sample.width = 64;
    sample.height = 48;
    const context = sample.getContext("2d");
    context.drawImage(this.find("#map canvas"), 0, 0, sample.width, sample.height);
    return context.getImageData(0, 0, sample.width, sample.height).data;
  }

  /** Whether the picture differs from these pixels. */
  differs(before) {
    const after = this.pixels();
    return before.some((value, at) => Math.abs(value - after[at]) > 8);
  }

  /** The number of different opaque colours in the picture. */
  colours() {
    const words = new Uint32Array(this.pixels().buffer);
    return new Set(words.filter((word) => word >>> 24 === 255)).size;
  }
}
