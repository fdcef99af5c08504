/**
 * The panel of a comparison: how it is shown, what both pictures have in common, and the colours of
 * the second.
 */

import { html, nothing, render, type TemplateResult } from "lit-html";
import type { Scene } from "../../model/scene/scene.js";
import type { Comparison, How } from "../../model/state/comparison.js";
import { button, byId, shortened, tickBox, withValue } from "../../widgets/page/element.js";
import { Colours } from "../../widgets/panels/colours.js";
import type { SceneView } from "../../widgets/views/scene_view.js";

/** What the panel shows, and what it changes. */
export interface CompareSettings {
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

function settingsOf(settings: CompareSettings): TemplateResult {
  const { title, compare, whyNone, axes, areShared } = settings;
  const choice = ([how, name]: (typeof NAMES)[number]) => html`<button
    type="button"
    aria-pressed=${compare.how === how}
    ?disabled=${how === "difference" && whyNone !== null}
    @click=${() => settings.setHow(how)}
  >${name}</button>`;
  const ofAxis = ({ name, isLinked }: { name: string; isLinked: boolean }) =>
    tickBox(`Link ${name}`, isLinked, (isNow) => settings.setLinked(name, isNow));
  const ofColours =
    areShared === null || compare.how === "difference"
      ? nothing
      : tickBox("Same limits and colours", areShared, (areNow) => settings.setShared(areNow));
  const ofChannel = html`<label>Channel
    <select aria-label="Channel of the difference" @change=${withValue((value) => settings.setChannel(Number(value)))}>
      ${settings.channels.map(
        ({ index, name }) =>
          html`<option value=${index} ?selected=${index === settings.channel}>${shortened(name)}</option>`,
      )}
    </select>
  </label>`;
  return html`<p class="note">With ${title}</p>
    <div class="segments" role="group" aria-label="How to compare">${NAMES.map(choice)}</div>
    ${whyNone === null ? nothing : html`<p class="note">${whyNone}</p>`}
    ${settings.channels.length > 1 && compare.how === "difference" ? ofChannel : nothing}
    <div class="ticks">${axes.map(ofAxis)} ${ofColours}</div>
    <div class="actions">${button("Close the comparison", () => settings.close())}</div>`;
}

const SECTIONS = html`<h2>Comparison</h2>
  <div class="comparison-settings view"></div>
  <div class="second-channels" hidden>
    <h3>Channels of the second</h3>
    <div id="second-channels" class="channels"></div>
  </div>
  <div class="second-field" hidden>
    <h3>Colours of the second</h3>
    <div id="second-field" class="field-style"></div>
  </div>`;

export class ComparePanel {
  readonly #root = document.createElement("section");
  readonly #colours: Colours;

  /** Adds the panel before an element. `second` is the second picture. */
  constructor(before: HTMLElement, second: SceneView) {
    this.#root.id = "comparison";
    before.before(this.#root);
    render(SECTIONS, this.#root);
    const elements = {
      channelsSection: this.#part(".second-channels"),
      channels: byId("second-channels"),
      fieldSection: this.#part(".second-field"),
      field: byId("second-field"),
    };
    this.#colours = new Colours(elements, second);
  }

  #part(selector: string): HTMLElement {
    return this.#root.querySelector(selector) as HTMLElement;
  }

  /** Offers the colours of a scene. */
  showColours(scene: Scene, signal: AbortSignal): void {
    this.#colours.show(scene, signal);
  }

  /** `hasColours`: the second picture does not have the colours of the first. */
  show(settings: CompareSettings, hasColours: boolean): void {
    if (!hasColours) for (const name of [".second-channels", ".second-field"]) this.#part(name).hidden = true;
    render(settingsOf(settings), this.#part(".comparison-settings"));
  }

  close(): void {
    this.#root.remove();
  }
}
