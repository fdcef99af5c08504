/**
 * The hierarchy as a tree: a keyboard walks it as other trees (arrows, Home, End, Enter), branches are made when they are
 * opened, so that a hundred thousand nodes cost nothing until someone looks at them.
 */

import type { Entry } from "./dataset.js";
import { element } from "./element.js";

interface Branch {
  name: string;
  path: string;
  /** A folder that only leads to listed nodes is drawn as a group. */
  kind: "array" | "group";
  children: Map<string, Branch>;
}

/** Up to so many nodes a tree is opened whole. */
const OPEN_UP_TO = 60;
/** Children of one group shown at first; the rest on request. */
const CHILDREN_AT_ONCE = 300;

export class Tree {
  onSelect: (path: string) => void = () => {};
  /** A few words for the row of an array, asked for when the row is made. */
  describe: (path: string) => Promise<string> = async () => "";

  readonly #place: HTMLElement;
  #items = new Map<string, HTMLElement>();
  #branches = new Map<string, Branch>();
  #openAll = false;

  constructor(place: HTMLElement) {
    this.#place = place;
    place.setAttribute("role", "tree");
    place.setAttribute("aria-labelledby", "hierarchy-title");
    place.addEventListener("click", (event) => this.#click(event));
    place.addEventListener("keydown", (event) => this.#key(event));
  }

  show(name: string, entries: readonly Entry[]): void {
    this.#items = new Map();
    this.#openAll = entries.length <= OPEN_UP_TO;
    const root = grow(name, entries);
    this.#place.replaceChildren(this.#item(root, 1));
    this.#expand(root.path, true);
  }

  clear(): void {
    this.#items.clear();
    this.#place.replaceChildren();
  }

  /** Marks a node, with the branches above it opened; a path that is not listed marks nothing. */
  select(path: string): void {
    for (const [other] of this.#branches) if (path.startsWith(`${other}/`)) this.#expand(other, true);
    for (const [other, item] of this.#items) {
      item.setAttribute("aria-selected", String(other === path));
      item.tabIndex = other === path ? 0 : -1;
    }
    const item = this.#items.get(path) ?? this.#items.get("");
    if (item) item.tabIndex = 0;
    this.#items.get(path)?.firstElementChild?.scrollIntoView({ block: "nearest" });
  }

  #item(branch: Branch, level: number): HTMLElement {
    const { name, path, kind, children } = branch;
    const leaf = children.size === 0;
    const about = element("span", { class: "about" });
    const row = element(
      "div",
      { class: `row ${kind}`, style: `--level: ${level}` },
      element("span", { class: "twist", "aria-hidden": "true" }),
      element("span", { class: "icon", "aria-hidden": "true" }),
      element("span", { class: "name" }, name),
      about,
    );
    const item = element(
      "div",
      { role: "treeitem", "aria-level": level, "aria-selected": "false", tabindex: -1 },
      row,
    );
    item.dataset.path = path;
    if (!leaf) item.setAttribute("aria-expanded", "false");
    item.setAttribute("aria-label", `${kind} ${name}`);
    this.#items.set(path, item);
    this.#branches.set(path, branch);
    if (kind === "array") {
      this.describe(path).then(
        (text) => about.append(text),
        () => about.append("cannot be opened"),
      );
    }
    if (!leaf && this.#openAll) this.#expand(path, true);
    return item;
  }

  #expand(path: string, open: boolean): void {
    const item = this.#items.get(path);
    const branch = this.#branches.get(path);
    if (!item || !branch || branch.children.size === 0) return;
    item.setAttribute("aria-expanded", String(open));
    const group = item.querySelector<HTMLElement>(':scope > [role="group"]');
    if (group) group.hidden = !open;
    else if (open) item.append(this.#children(item, branch));
  }

  #children(item: HTMLElement, branch: Branch): HTMLElement {
    const level = Number(item.getAttribute("aria-level")) + 1;
    const group = element("div", { role: "group" });
    const waiting = [...branch.children.values()];
    const more = () => {
      group.append(...waiting.splice(0, CHILDREN_AT_ONCE).map((child) => this.#item(child, level)));
      if (waiting.length === 0) return;
      const button = element("button", { type: "button", class: "more" }, `${waiting.length} more`);
      button.addEventListener("click", () => {
        button.remove();
        more();
      });
      group.append(button);
    };
    more();
    return group;
  }

  #click(event: Event): void {
    const target = event.target as HTMLElement;
    const item = target.closest<HTMLElement>('[role="treeitem"]');
    if (!item || target.closest("button")) return;
    const path = item.dataset.path ?? "";
    if (target.closest(".twist")) this.#expand(path, item.getAttribute("aria-expanded") !== "true");
    else this.onSelect(path);
  }

  #key(event: KeyboardEvent): void {
    const item = (event.target as HTMLElement).closest<HTMLElement>('[role="treeitem"]');
    if (!item || event.target !== item) return;
    const path = item.dataset.path ?? "";
    const rows = [...this.#place.querySelectorAll<HTMLElement>('[role="treeitem"]')].filter(
      (row) => !row.parentElement?.closest("[hidden]"),
    );
    const at = rows.indexOf(item);
    const expanded = item.getAttribute("aria-expanded");
    if (event.key === "ArrowDown") focus(rows[at + 1]);
    else if (event.key === "ArrowUp") focus(rows[at - 1]);
    else if (event.key === "Home") focus(rows[0]);
    else if (event.key === "End") focus(rows.at(-1));
    else if (event.key === "ArrowRight")
      expanded === "false" ? this.#expand(path, true) : focus(rows[at + 1]);
    else if (event.key === "ArrowLeft") {
      if (expanded === "true") this.#expand(path, false);
      else focus(item.parentElement?.closest<HTMLElement>('[role="treeitem"]'));
    } else if (event.key === "Enter" || event.key === " ") this.onSelect(path);
    else return;
    event.preventDefault();
  }
}

function focus(item: HTMLElement | null | undefined): void {
  item?.focus();
}

function grow(name: string, entries: readonly Entry[]): Branch {
  const root: Branch = { name, path: "", kind: "group", children: new Map() };
  for (const { path, kind } of entries) {
    let at = root;
    for (const part of path === "" ? [] : path.split("/")) {
      let next = at.children.get(part);
      if (!next) {
        next = {
          name: part,
          path: at.path === "" ? part : `${at.path}/${part}`,
          kind: "group",
          children: new Map(),
        };
        at.children.set(part, next);
      }
      at = next;
    }
    at.kind = kind;
  }
  return root;
}
