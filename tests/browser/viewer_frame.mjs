/**
 * The viewer (www/) in a frame of the test page: opens the frame and finds its elements.
 * `www_frame.mjs` controls the page, and `picture_frame.mjs` reads the picture.
 */

const STEP_MS = 30;
const PATIENCE_MS = 50_000;

export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves to the first truthy value of `find`. */
export async function until(find, what) {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = find();
    if (found) return found;
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await wait(STEP_MS);
  }
}

/**
 * Keeps the drawing buffer of WebGL readable after a frame, or disables WebGL. A driver runs this
 * function in the page, so it must not use other names of this file.
 */
export function keepDrawings({ HTMLCanvasElement } = globalThis, { webgl = true } = {}) {
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (kind, options) {
    if (!kind.startsWith("webgl")) return getContext.call(this, kind, options);
    return webgl ? getContext.call(this, kind, { ...options, preserveDrawingBuffer: true }) : null;
  };
}

/** Opens the viewer with a query, in a frame of this size in CSS pixels. */
export function viewerFrame(query, { size, webgl = true }) {
  document.querySelector("iframe")?.remove();
  const frame = document.createElement("iframe");
  frame.style = `width: ${size[0]}px; height: ${size[1]}px; border: 0`;
  // server.mjs calls this before any script of the frame runs.
  window.prepareFrame = (frameWindow) => keepDrawings(frameWindow, { webgl });
  frame.src = `/viewer/${query}`;
  document.body.append(frame);
  return frame;
}

export class ViewerFrame {
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
    return this.document?.querySelector(selector);
  }

  text(selector) {
    return this.find(selector)?.textContent ?? "";
  }
}
