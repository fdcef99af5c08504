/**
 * The viewer (www/) in a frame of the test page. Tests fill fields, press buttons and read pixels,
 * as a user would.
 */
import { ok } from "./harness.mjs";

const STEP_MS = 30;
const PATIENCE_MS = 20_000;
const COUNTED_MS = 1200;

/** Resolves to the first truthy value of `find`. */
export async function until(find, what) {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = find();
    if (found) return found;
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
}

/** Opens the viewer with a query, in a frame of this size in CSS pixels. */
export async function openViewer(query = "", { webgl = true, size = [1200, 800] } = {}) {
  document.querySelector("iframe")?.remove();
  const frame = document.createElement("iframe");
  frame.style = `width: ${size[0]}px; height: ${size[1]}px; border: 0`;
  // run.mjs calls this before any script of the frame runs.
  window.prepareFrame = ({ HTMLCanvasElement }) => changeWebgl(HTMLCanvasElement.prototype, webgl);
  frame.src = `/viewer/${query}`;
  document.body.append(frame);
  const viewer = new ViewerFrame(frame);
  await until(() => viewer.find("#panel-data"), "the page");
  return viewer;
}

/** The drawing buffer of WebGL is readable after the frame only with this option. */
function changeWebgl(prototype, present) {
  const { getContext } = prototype;
  prototype.getContext = function (kind, options) {
    if (!kind.startsWith("webgl")) return getContext.call(this, kind, options);
    return present ? getContext.call(this, kind, { ...options, preserveDrawingBuffer: true }) : null;
  };
}

class ViewerFrame {
  constructor(frame) {
    this.frame = frame;
  }

  get document() {
    return this.frame.contentDocument;
  }

  /** The page's URL, which follows the state of the viewer. */
  get query() {
    return new URLSearchParams(this.frame.contentWindow.location.search);
  }

  find(selector) {
    return this.document.querySelector(selector);
  }

  text(selector) {
    return this.find(selector)?.textContent ?? "";
  }

  /** Waits until the picture is complete. */
  async drawn() {
    const picture = () => this.find('#map:not([hidden])[aria-busy="false"] canvas');
    await until(() => picture() || this.find('[role="alert"]'), "the picture");
    ok(picture(), `no picture: ${this.text('[role="alert"]')}`);
    // A complete picture is visible in the next frame.
    await new Promise((resolve) => setTimeout(resolve, 2 * STEP_MS));
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
    const panel = this.find("#switch-data");
    if (panel.getAttribute("aria-expanded") === "false") panel.click();
    this.find("details.activity").open = true;
    // The page updates its counter twice a second.
    await new Promise((resolve) => setTimeout(resolve, COUNTED_MS));
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
