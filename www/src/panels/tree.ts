/**
 * The hierarchy as a tree with the usual keys (arrows, Home, End, Enter). The children of a group
 * are read when it is unfolded, because a hierarchy may have a hundred thousand nodes.
 */

import type { NamedNode } from "../opening/metadata_names.js";
import { element } from "../page/element.js";
import { fillInParts } from "../page/long_list.js";

interface Branch extends NamedNode {
  name: string;
  /** Null until they are known. */
  children: Map<string, Branch> | null;
}

/** A tree with at most this number of nodes is unfolded completely. */
const OPEN_UP_TO = 40;
/**
 * Maximum depth of rows. A row at this depth has the rest of its path as its name. Browsers cannot
 * lay out elements that are thousands deep, which a path of a few kilobytes would make.
 */
const MOST_DEPTH = 60;
/** Maximum number of nodes that are added from other sources. */
const MOST_ADDED = 200;

export interface TreeContent {
  name: string;
  root: NamedNode;
  /** All nodes, if they are known; null if each group is listed when it is opened. */
  all: readonly NamedNode[] | null;
  /** The children of a group; null if they cannot be listed. */
  children(path: string): Promise<readonly NamedNode[] | null>;
  /** A short text for the row of an open array. */
  describe(path: string): Promise<string>;
}

export class Tree {
  onSelect: (path: string) => void = () => {};

  readonly #place: HTMLElement;
  #items = new Map<string, HTMLElement>();
  #branches = new Map<string, Branch>();
  #content: TreeContent | null = null;

  constructor(place: HTMLElement) {
    this.#place = place;
    place.setAttribute("role", "tree");
    place.setAttribute("aria-label", "Hierarchy");
    place.addEventListener("click", (event) => this.#click(event));
    place.addEventListener("keydown", (event) => this.#key(event));
  }

  show(content: TreeContent): void {
    this.#items = new Map();
    this.#branches = new Map();
    this.#content = content;
    const root = grow(content);
    this.#place.replaceChildren(this.#item(root, 1));
    const isSmall = (content.all?.length ?? Number.POSITIVE_INFINITY) <= OPEN_UP_TO;
    if (isSmall) for (const path of [...this.#branches.keys()]) void this.#expand(path, true);
    else void this.#expand("", true);
  }

  /** Adds nodes from other sources, such as the labels of an image; of many the first ones. */
  add(nodes: readonly NamedNode[]): void {
    for (const node of nodes.slice(0, MOST_ADDED)) {
      if (this.#items.has(node.path)) continue;
      const above = node.path.split("/").slice(0, -1).join("/");
      const parent = this.#branches.get(above);
      const group = this.#items.get(above)?.querySelector<HTMLElement>(':scope > [role="group"]');
      const branch = branchOf(node);
      parent?.children?.set(branch.name, branch);
      const level = Number(this.#items.get(above)?.getAttribute("aria-level") ?? 1) + 1;
      group?.append(this.#item(branch, level));
    }
  }

  /** Marks a node and unfolds the groups above it. An unlisted path marks its nearest group. */
  async select(path: string): Promise<void> {
    const parts = partsOf(path);
    for (let depth = 0; depth < parts.length; depth += 1)
      await this.#expand(parts.slice(0, depth).join("/"), true);
    for (const [other, item] of this.#items) {
      item.setAttribute("aria-selected", String(other === path));
      item.tabIndex = other === path ? 0 : -1;
    }
    const item = this.#items.get(path) ?? this.#items.get("");
    if (!item) return;
    item.tabIndex = 0;
    item.firstElementChild?.scrollIntoView({ block: "nearest" });
  }

  #item(branch: Branch, level: number): HTMLElement {
    const { name, path, kind, role } = branch;
    const about = element("span", { class: "about" }, role ?? "");
    const row = element(
      "div",
      { class: `row ${kind} ${role ?? ""}`, style: `--level: ${level}` },
      element("span", { class: "twist", "aria-hidden": "true" }),
      element("span", { class: "kind", "aria-hidden": "true" }),
      element("span", { class: "name", title: name }, name),
      about,
    );
    const item = element(
      "div",
      { role: "treeitem", "aria-level": level, "aria-selected": "false", tabindex: level === 1 ? 0 : -1 },
      row,
    );
    item.dataset.path = path;
    item.setAttribute("aria-label", `${role ?? kind} ${name}`);
    if (kind === "group" && branch.children?.size !== 0) item.setAttribute("aria-expanded", "false");
    this.#items.set(path, item);
    this.#branches.set(path, branch);
    if (kind === "array") this.#describe(path, about);
    // All groups of a known tree are known, so small trees can be unfolded completely.
    if (this.#content?.all) {
      for (const child of branch.children?.values() ?? []) if (child.children?.size) this.#know(child);
    }
    return item;
  }

  #know(branch: Branch): void {
    this.#branches.set(branch.path, branch);
    for (const child of branch.children?.values() ?? []) if (child.children?.size) this.#know(child);
  }

  #describe(path: string, about: HTMLElement): void {
    this.#content?.describe(path).then(
      (text) => {
        if (text !== "") about.textContent = text;
      },
      () => {
        about.textContent = "cannot be opened";
      },
    );
  }

  async #expand(path: string, open: boolean): Promise<void> {
    const item = this.#items.get(path);
    const branch = this.#branches.get(path);
    if (!item?.hasAttribute("aria-expanded") || !branch) return;
    item.setAttribute("aria-expanded", String(open));
    const group = item.querySelector<HTMLElement>(':scope > [role="group"]');
    if (group) group.hidden = !open;
    else if (open) await this.#unfold(item, branch);
  }

  async #unfold(item: HTMLElement, branch: Branch): Promise<void> {
    const level = Number(item.getAttribute("aria-level")) + 1;
    const place = element("div", { role: "group" });
    item.append(place);
    if (!branch.children) {
      const found = await this.#content?.children(branch.path).catch(() => null);
      if (!found) {
        place.append(
          element(
            "p",
            { class: "note", style: `--level: ${level}` },
            "The server does not list what is in here.",
          ),
        );
        return;
      }
      branch.children = new Map(found.map((node) => [node.path, branchOf(node)]));
      if (found.length === 0) item.removeAttribute("aria-expanded");
    }
    fillInParts(place, [...branch.children.values()], (child) => this.#item(child, level));
  }

  #click(event: Event): void {
    const target = event.target as HTMLElement;
    const item = target.closest<HTMLElement>('[role="treeitem"]');
    if (!item || target.closest("button, .note")) return;
    const path = item.dataset.path ?? "";
    if (target.closest(".twist")) void this.#expand(path, item.getAttribute("aria-expanded") !== "true");
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
    else if (event.key === "ArrowRight") {
      if (expanded === "false") void this.#expand(path, true);
      else focus(rows[at + 1]);
    } else if (event.key === "ArrowLeft") {
      if (expanded === "true") void this.#expand(path, false);
      else focus(item.parentElement?.closest<HTMLElement>('[role="treeitem"]'));
    } else if (event.key === "Enter" || event.key === " ") this.onSelect(path);
    else return;
    event.preventDefault();
  }
}

function focus(item: HTMLElement | null | undefined): void {
  item?.focus();
}

/** The name of a listed node. It may have several parts, as in `A/1`. */
function branchOf(node: NamedNode, above = ""): Branch {
  const name =
    above === ""
      ? node.path
          .split("/")
          .slice(node.role === "well" ? -2 : -1)
          .join("/")
      : node.path;
  return { ...node, name, children: node.kind === "array" ? new Map() : null };
}

/** The names of the rows that lead to a node. */
function partsOf(path: string): string[] {
  const parts = path === "" ? [] : path.split("/");
  const rest = parts.splice(MOST_DEPTH).join("/");
  return rest === "" ? parts : [...parts, rest];
}

function grow({ name, root, all }: TreeContent): Branch {
  const top: Branch = { ...root, name, children: root.kind === "array" ? new Map() : null };
  if (!all) return top;
  top.children = new Map();
  for (const { path, kind } of all) {
    let at = top;
    for (const part of partsOf(path)) {
      at.children ??= new Map();
      let next = at.children.get(part);
      if (!next) {
        // A folder above listed nodes is shown as a group.
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
  return top;
}
