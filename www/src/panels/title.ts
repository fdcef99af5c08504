/**
 * The title above the picture: the names of the data set and the node, the selection of a variable,
 * and the way back to a plate.
 */

import { html, nothing, render, type TemplateResult } from "lit-html";
import { keyed } from "lit-html/directives/keyed.js";
import { icon, shown, withValue } from "../page/element.js";
import { type MenuEntry, optionsOf } from "../page/long_list.js";
import type { SceneVariable } from "../scene/scene.js";

export interface TitleContent {
  title: string;
  /** The name of the data set. */
  source: string;
  variables?: readonly SceneVariable[];
  variable?: string;
  /** The paths of the fields of a well. */
  fields?: readonly string[];
  field?: string;
  /** The node above, for images of a plate. */
  above?: { name: string; path: string };
  onVariable(variable: string): void;
  onPath(path: string): void;
}

export function showTitle(place: HTMLElement, content: TitleContent): void {
  const { title, source, above, variables = [], fields = [] } = content;
  const isRepeated = title === source || variables.length > 1;
  const parts = html`${above ? backTo(above, content) : nothing}
    <h2>${shown(variables.length > 1 ? source : title)}</h2>
    ${isRepeated ? nothing : html`<p class="of">${shown(source)}</p>`}
    ${variables.length > 1 ? variableMenu(variables, content) : nothing}
    ${fields.length > 1 ? fieldMenu(fields, content) : nothing}`;
  render(keyed(content, parts), place);
  place.hidden = false;
}

function backTo({ name, path }: { name: string; path: string }, { onPath }: TitleContent): TemplateResult {
  return html`<button type="button" class="back" @click=${() => onPath(path)}>${icon("back")}${name}</button>`;
}

function variableMenu(variables: readonly SceneVariable[], content: TitleContent): TemplateResult {
  const entries = variables.map(({ variable, title }) => ({ value: variable, text: title }));
  const menu = { id: "variable", label: "Variable", noun: "variables" };
  return menuOf(menu, entries, content.variable, content.onVariable);
}

function fieldMenu(fields: readonly string[], { field, onPath }: TitleContent): TemplateResult {
  const entries = fields.map((value, at) => ({ value, text: `Field ${at + 1} of ${fields.length}` }));
  return menuOf({ id: "field", label: "Field of the well", noun: "fields" }, entries, field, onPath);
}

function menuOf(
  { id, label, noun }: { id: string; label: string; noun: string },
  entries: readonly MenuEntry[],
  chosen: string | undefined,
  choose: (value: string) => void,
): TemplateResult {
  const at = entries.findIndex(({ value }) => value === chosen);
  const options = optionsOf(entries, { chosen: at, noun });
  return html`<select id=${id} aria-label=${label} @change=${withValue(choose)}>${options}</select>`;
}
