/**
 * The viewer (www/) in a frame of the test page, driven as a person would: fields are filled, buttons pressed, and the
 * picture's pixels looked at.
 */
import { ok } from "./harness.mjs";

const STEP_MS = 30;
const PATIENCE_MS = 20_000;

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

/** Opens the viewer with a query; without WebGL on request. */
export async function openViewer(query = "", { webgl = true } = {}) {
  document.querySelector("iframe")?.remove();
  const frame = document.createElement("iframe");
  frame.style = "width: 1200px; height: 800px; border: 0";
  // run.mjs calls this before any script of the frame runs.
  window.prepareFrame = ({ HTMLCanvasElement }) => changeWebgl(HTMLCanvasElement.prototype, webgl);
  frame.src = `/viewer/${query}`;
  document.body.append(frame);
  const viewer = new ViewerFrame(frame);
  await until(() => viewer.find("#details"), "the page");
  return viewer;
}

/** What the GPU drew is gone after the frame unless one asks for it to stay readable. */
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

  /** The address of the page, which follows what is shown. */
  get query() {
    return new URLSearchParams(this.frame.contentWindow.location.search);
  }

  find(selector) {
    return this.document.querySelector(selector);
  }

  text(selector) {
    return this.find(selector)?.textContent ?? "";
  }

  /** Waits until the whole picture is on the screen. */
  async drawn() {
    const plane = () => this.find('#plane:not([hidden])[aria-busy="false"]');
    await until(() => plane() || this.find('[role="alert"]'), "the picture");
    ok(plane(), `no picture: ${this.text('[role="alert"]')}`);
  }

  /** Sets a field as typing or dragging does. */
  set(selector, value, event = "input") {
    const field = this.find(selector);
    field.value = value;
    field.dispatchEvent(new Event(event, { bubbles: true }));
  }

  /** Presses a key while an element has the focus. */
  press(element, key) {
    element.focus();
    element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  }

  /** Moves the pointer over the middle of an element of the plane, across and down, and returns what the readout says. */
  async point(across, down) {
    const [x, y, scale] = this.query.get("view").split(",").map(Number);
    const { left, top, width, height } = this.find("#plane").getBoundingClientRect();
    const clientX = left + width / 2 + (across + 0.5 - x) * scale;
    const clientY = top + height / 2 + (down + 0.5 - y) * scale;
    const pointer = this.find("#pointer");
    pointer.textContent = "";
    const target = this.document.elementFromPoint(clientX, clientY);
    const { PointerEvent } = this.frame.contentWindow;
    target.dispatchEvent(new PointerEvent("pointermove", { clientX, clientY, bubbles: true, pointerId: 1 }));
    await until(() => pointer.textContent !== "", "the value under the pointer");
    return pointer.textContent;
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
    context.drawImage(this.find("#plane canvas"), 0, 0, sample.width, sample.height);
    return context.getImageData(0, 0, sample.width, sample.height).data;
  }

  /** How many different colours the picture has where it is opaque. */
  colours() {
    const words = new Uint32Array(this.pixels().buffer);
    return new Set(words.filter((word) => word >>> 24 === 255)).size;
  }
}
