/**
 * The page's icons, as lines in a square of 20. They have the colour of the text beside them.
 */
import { html, type TemplateResult } from "lit-html";

const LINES = {
  folder: "M2.5 5.5a1 1 0 0 1 1-1H8l1.5 2h7a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-13a1 1 0 0 1-1-1z",
  file: "M5 2.5h6l4 4v11H5zM11 2.5v4h4",
  picture: "M2.5 4h15v12h-15zM2.5 13.5l4-4 3.5 3.5 2.5-2.5 5 4.5M13 7.5h.01",
  clock: "M10 2.8a7.2 7.2 0 1 0 0 14.4 7.2 7.2 0 0 0 0-14.4zM10 6v4.2l2.6 1.8",
  play: "M6 4l10 6-10 6z",
  pause: "M7 4.5v11M13 4.5v11",
  plus: "M10 4v12M4 10h12",
  minus: "M4 10h12",
  fit: "M3.5 7.5v-4h4M16.5 7.5v-4h-4M3.5 12.5v4h4M16.5 12.5v4h-4",
  close: "M5 5l10 10M15 5L5 15",
  back: "M12 4l-6 6 6 6",
  down: "M5 7.5l5 5 5-5",
} as const;

export type IconName = keyof typeof LINES;

/** Icons are decoration, so ARIA ignores them; their buttons have names. */
export const icon = (name: IconName): TemplateResult =>
  html`<svg class="icon icon-${name}" viewBox="0 0 20 20" aria-hidden="true"><path d=${LINES[name]} /></svg>`;
