/**
 * The title above the picture: the names of the data set and the node, the selection of a variable,
 * and the way back to a plate.
 */

import { html, nothing, render } from "lit-html";
import { keyed } from "lit-html/directives/keyed.js";
import type { SceneVariable } from "../../model/scene/scene.js";
import { lastPart } from "../../model/text/paths.js";
import { icon, shortened, withValue } from "../page/element.js";
import { type MenuEntry, optionsOf } from "../page/long_list.js";

export interface TitleContent {
  title: string;
  /** The name of the data set. */
  source: string;
  variables?: readonly SceneVariable[];
  variable?: string;
  /** The paths of the fields of a well. */
  fields?: readonly string[];
  field?: string;
  /** The paths of the images of one file. */
  series?: readonly string[];
  /** The node above, for images of a plate. */
  above?: { name: string; path: string };
  onVariable(variable: string): void;
  onPath(path: string): void;
}

export function showTitle(element: HTMLElement, content: TitleContent): void {
  const { title, source, above, variables = [], fields = [], series = [], onPath } = content;
  const isRepeated = title === source || variables.length > 1;
  const variableEntries = variables.map(({ variable, title }) => ({ value: variable, text: title }));
  const fieldEntries = fields.map((value, at) => ({ value, text: `Field ${at + 1} of ${fields.length}` }));
  const seriesEntries = series.map((value, at) => ({
    value,
    text: `${lastPart(value)}: image ${at + 1} of ${series.length}`,
  }));
  const parts = html`${above ? backTo(above, onPath) : nothing}
    <h2>${shortened(variables.length > 1 ? source : title)}</h2>
    ${isRepeated ? nothing : html`<p class="of">${shortened(source)}</p>`}
    ${menuOf("variable", "Variable", variableEntries, content.variable, content.onVariable)}
    ${menuOf("field", "Field of the well", fieldEntries, content.field, onPath)}
    ${menuOf("image", "Image of the file", seriesEntries, content.field, onPath)}`;
  render(keyed(content, parts), element);
  element.hidden = false;
}

function backTo({ name, path }: { name: string; path: string }, choose: (path: string) => void) {
  return html`<button type="button" class="back" @click=${() => choose(path)}>${icon("back")}${name}</button>`;
}

/** A menu, if there is more than one entry. */
function menuOf(
  id: "variable" | "field" | "image",
  label: string,
  entries: readonly MenuEntry[],
  chosen: string | undefined,
  choose: (value: string) => void,
): unknown {
  if (entries.length < 2) return nothing;
  const at = entries.findIndex(({ value }) => value === chosen);
  const options = optionsOf(entries, { chosen: at, noun: `${id}s` });
  return html`<select id=${id} aria-label=${label} @change=${withValue(choose)}>${options}</select>`;
}
