/**
 * The viewer (www/) in a frame of the test page. Knows how a frame is opened and looked into;
 * `www_frame.mjs` drives the page, `picture_frame.mjs` looks at the picture.
 */

const STEP_MS = 30;
const PATIENCE_MS = 20_000;

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
 * What the GPU drew is gone after the frame unless one asks for it to stay readable. Without WebGL
 * on request. A driver runs this function in the page itself: it uses nothing of this file.
 */
export function keepDrawings({ HTMLCanvasElement } = globalThis, { webgl = true } = {}) {
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (kind, options) {
    if (!kind.startsWith("webgl")) return getContext.call(this, kind, options);
    return webgl ? getContext.call(this, kind, { ...options, preserveDrawingBuffer: true }) : null;
  };
}

/** A frame of a size in CSS pixels with the viewer, opened with a query. */
export function viewerFrame(query, { size, webgl = true }) {
  document.querySelector("iframe")?.remove();
  const frame = document.createElement("iframe");
  frame.style = `width: ${size[0]}px; height: ${size[1]}px; border: 0`;
  // served.mjs calls this before any script of the frame runs.
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

  /** The address of the page, which follows what is shown. */
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
