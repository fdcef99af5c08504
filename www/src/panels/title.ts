/**
 * The title above the picture: the names of the data set and the node, the selection of a variable,
 * and the way back to a plate.
 */

import { element } from "../page/element.js";
import { icon } from "../page/icons.js";
import { optionsOf } from "../page/long_list.js";
import type { SceneVariable } from "../scene/scene.js";

export interface TitleContent {
  title: string;
  /** The name of the data set. */
  source: string;
  variables?: readonly SceneVariable[];
  variable?: string | undefined;
  /** The paths of the fields of a well. */
  fields?: readonly string[];
  field?: string;
  /** The node above, for images of a plate. */
  above?: { name: string; path: string } | undefined;
}

export class Title {
  onVariable: (variable: string) => void = () => {};
  onPath: (path: string) => void = () => {};
  readonly #place: HTMLElement;

  constructor(place: HTMLElement) {
    this.#place = place;
  }

  show(content: TitleContent): void {
    const { title, source, above, variables = [], fields = [] } = content;
    const back = above ? this.#back(above) : null;
    const menus = [
      variables.length > 1 ? this.#variables(variables, content.variable) : null,
      fields.length > 1 ? this.#fields(fields, content.field ?? "") : null,
    ];
    const isRepeated = title === source || variables.length > 1;
    this.#place.replaceChildren(
      ...[back].filter((part) => part !== null),
      element("h2", {}, variables.length > 1 ? source : title),
      ...(isRepeated ? [] : [element("p", { class: "of" }, source)]),
      ...menus.filter((part) => part !== null),
    );
    this.#place.hidden = false;
  }

  clear(): void {
    this.#place.hidden = true;
  }

  #back({ name, path }: { name: string; path: string }): HTMLElement {
    return element(
      "button",
      { type: "button", class: "back", onclick: () => this.onPath(path) },
      icon("back"),
      name,
    );
  }

  #variables(variables: readonly SceneVariable[], chosen: string | undefined): HTMLElement {
    const entry = (at: number) => ({
      value: variables[at]?.variable ?? "",
      text: variables[at]?.title ?? "",
    });
    const at = variables.findIndex(({ variable }) => variable === chosen);
    const options = optionsOf(variables.length, entry, { chosen: at, noun: "variables" });
    const menu = element("select", { id: "variable", "aria-label": "Variable" }, ...options);
    menu.addEventListener("change", () => this.onVariable(menu.value));
    return menu;
  }

  #fields(fields: readonly string[], chosen: string): HTMLElement {
    const entry = (at: number) => ({
      value: fields[at] ?? "",
      text: `Field ${at + 1} of ${fields.length}`,
    });
    const options = optionsOf(fields.length, entry, { chosen: fields.indexOf(chosen), noun: "fields" });
    const menu = element("select", { id: "field", "aria-label": "Field of the well" }, ...options);
    menu.addEventListener("change", () => this.onPath(menu.value));
    return menu;
  }
}
