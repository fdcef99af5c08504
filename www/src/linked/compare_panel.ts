/** The panel of a comparison: how it is shown, and what both pictures have in common. */

import { html, nothing, type TemplateResult } from "lit-html";
import { button, shown, tickBox, withValue } from "../page/element.js";
import type { Comparison, How } from "./linked_state.js";

export interface ComparePanel {
  title: string;
  compare: Comparison;
  /** Why there is no difference; null if there is one. */
  whyNone: string | null;
  /** The axes that both have, and whether their indices are linked. */
  axes: readonly { name: string; isLinked: boolean }[];
  /** Whether both have the same colours. Null if they cannot. */
  areShared: boolean | null;
  /** The channels that a difference may be of. Empty if it has no choice. */
  channels: readonly { index: number; name: string }[];
  /** The chosen channel. */
  channel: number | undefined;
  setHow(how: How): void;
  setLinked(name: string, isLinked: boolean): void;
  setShared(areShared: boolean): void;
  setChannel(channel: number): void;
  close(): void;
}

const NAMES: readonly [How, string][] = [
  ["beside", "Beside"],
  ["swipe", "Swipe"],
  ["difference", "Difference"],
];

export function comparePanel(panel: ComparePanel): TemplateResult {
  const { title, compare, whyNone, axes, areShared } = panel;
  const choice = ([how, name]: (typeof NAMES)[number]) => html`<button
    type="button"
    aria-pressed=${compare.how === how}
    ?disabled=${how === "difference" && whyNone !== null}
    @click=${() => panel.setHow(how)}
  >${name}</button>`;
  const ofAxis = ({ name, isLinked }: { name: string; isLinked: boolean }) =>
    tickBox(`Link ${name}`, isLinked, (isNow) => panel.setLinked(name, isNow));
  const ofColours =
    areShared === null || compare.how === "difference"
      ? nothing
      : tickBox("Same limits and colours", areShared, (areNow) => panel.setShared(areNow));
  const ofChannel = html`<label>Channel
    <select aria-label="Channel of the difference" @change=${withValue((value) => panel.setChannel(Number(value)))}>
      ${panel.channels.map(
        ({ index, name }) =>
          html`<option value=${index} ?selected=${index === panel.channel}>${shown(name)}</option>`,
      )}
    </select>
  </label>`;
  return html`<p class="note">With ${title}</p>
    <div class="segments" role="group" aria-label="How to compare">${NAMES.map(choice)}</div>
    ${whyNone === null ? nothing : html`<p class="note">${whyNone}</p>`}
    ${panel.channels.length > 1 && compare.how === "difference" ? ofChannel : nothing}
    <div class="ticks">${axes.map(ofAxis)} ${ofColours}</div>
    <div class="actions">${button("Close the comparison", () => panel.close())}</div>`;
}
