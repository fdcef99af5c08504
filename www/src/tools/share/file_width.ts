/** The field for the width of a file, with the multiples of the view that are usual. */

import { html, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { withValue } from "../../widgets/page/element.js";
import { sizeFor } from "./frames.js";

/** Browsers and graphics cards draw no larger pictures. */
const MAX_PIXELS = 8192;
const MIN_PIXELS = 64;

type Size = readonly [width: number, height: number];

/** The widths that are possible for a view, and the one to begin with. */
export function widthsFor([width, height]: Size): { least: number; most: number; usual: number } {
  const most = Math.floor(MAX_PIXELS * Math.min(1, width / height));
  return { least: MIN_PIXELS, most, usual: Math.min(Math.round(width * devicePixelRatio), most) };
}

export function widthField(view: Size, width: number, set: (width: number) => void): TemplateResult {
  const { least, most } = widthsFor(view);
  const take = withValue((text) => {
    const wanted = Math.round(Number(text));
    set(text !== "" && wanted >= least ? Math.min(wanted, most) : width);
  });
  const times = (factor: number) => {
    const wanted = Math.round(view[0] * factor);
    return html`<button
      type="button"
      ?disabled=${wanted > most}
      aria-pressed=${wanted === width}
      @click=${() => set(wanted)}
    >${factor} ×</button>`;
  };
  const [across, down] = sizeFor(view, width);
  return html`<div class="file-width">
    <label>Width in pixels
      <input type="number" min=${least} max=${most} step="2" .value=${live(String(width))} @change=${take} />
    </label>
    <div class="segments" role="group" aria-label="Width by that of the view">${[1, 2, 4].map(times)}</div>
    <span class="note">${across} × ${down}</span>
  </div>`;
}
