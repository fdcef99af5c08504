/** The dialog that asks what the picture is compared with. It opens nothing. */

import "../../../style/linked.css";
import { html, render, type TemplateResult } from "lit-html";
import type { Scene } from "../../model/scene/scene.js";
import { slidAxes } from "../../model/scene/scene_state.js";
import type { UrlState } from "../../model/state/url_state.js";
import { showDialog } from "../../widgets/page/dialog.js";
import { optionsOf } from "../../widgets/page/long_list.js";
import type { OtherVariable } from "./second.js";

/** What there is to choose from. */
export interface Compared {
  scene: Scene;
  variables: readonly OtherVariable[];
  at: Readonly<Record<string, number>>;
  source: string;
}

type Kind = "variable" | "index" | "address";

const NAMES: Record<Kind, string> = {
  variable: "Another variable",
  index: "Another index",
  address: "Another data set",
};

export function showCompareDialog(compared: Compared, choose: (state: UrlState) => void): void {
  const dialog = showDialog("Compare with", "compare-dialog");
  const kinds = kindsOf(compared);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const state = stateOf(new FormData(event.currentTarget as HTMLFormElement), compared);
    dialog.close();
    choose(state);
  };
  const rows = kinds.map((kind, at) => row(kind, at === 0, FIELDS[kind](compared)));
  render(
    html`<form @submit=${submit}>
      <fieldset><legend class="hidden">What to compare with</legend>${rows}</fieldset>
      <div class="actions"><button type="submit" class="primary">Compare</button></div>
    </form>`,
    dialog.body,
  );
}

function kindsOf({ scene, variables }: Compared): Kind[] {
  return [
    ...(variables.length > 0 ? (["variable"] as const) : []),
    ...(slidAxes(scene).length > 0 ? (["index"] as const) : []),
    "address",
  ];
}

/** A kind and its fields. A change of a field chooses the kind. */
function row(kind: Kind, isFirst: boolean, fields: TemplateResult): TemplateResult {
  const choose = (event: Event) => {
    const own = (event.currentTarget as HTMLElement).parentElement?.querySelector<HTMLInputElement>(
      "[name=kind]",
    );
    if (own) own.checked = true;
  };
  return html`<div class="compare-row">
    <label class="tick">
      <input type="radio" name="kind" value=${kind} ?checked=${isFirst} /><span>${NAMES[kind]}</span>
    </label>
    <div class="compare-fields" @input=${choose}>${fields}</div>
  </div>`;
}

const FIELDS: Record<Kind, (compared: Compared) => TemplateResult> = {
  variable: ({ variables }) => {
    const entries = variables.map(({ title }, value) => ({ value, text: title }));
    const options = optionsOf(entries, { chosen: 0, noun: "variables" });
    return html`<select name="variable" aria-label="Variable">${options}</select>`;
  },
  index: ({ scene, at }) => {
    const axes = slidAxes(scene);
    const [first] = axes;
    const longest = Math.max(...axes.map(({ length }) => length)) - 1;
    const next = first ? ((at[first.name] ?? 0) + 1) % first.length : 0;
    return html`<select name="axis" aria-label="Axis">
        ${axes.map(({ name }) => html`<option value=${name}>${name}</option>`)}
      </select>
      <input type="number" name="at" aria-label="Index" min="0" max=${longest} step="1" value=${next} />`;
  },
  address: ({ source }) => html`<input
      class="text-field"
      type="text"
      name="source"
      aria-label="Address of a data set"
      value=${source}
      spellcheck="false"
      autocapitalize="off"
    />
    <input
      class="text-field"
      type="text"
      name="path"
      aria-label="Path in the data set"
      placeholder="Path in it"
      spellcheck="false"
      autocapitalize="off"
    />`,
};

/** What differs from the picture. */
function stateOf(form: FormData, { source, variables }: Compared): UrlState {
  const text = (name: string) => String(form.get(name) ?? "").trim();
  const kind = text("kind");
  if (kind === "variable") return variables[Number(text("variable"))]?.state ?? {};
  if (kind === "index") return { at: { [text("axis")]: Number(text("at")) } };
  const [address, path] = [text("source"), text("path")];
  return { ...(address !== source && { source: address }), ...(path !== "" && { path }) };
}
