/**
 * The hierarchy as a tree with the usual keys (arrows, Home, End, Enter). The children of a group
 * are read when it is unfolded, because a hierarchy may have a hundred thousand nodes.
 */

import { html, nothing, render, type TemplateResult } from "lit-html";
import { keyed } from "lit-html/directives/keyed.js";
import { until } from "lit-html/directives/until.js";
import type { NamedNode } from "../../model/scene/ome.js";
import { parentOf } from "../../model/text/paths.js";
import { shortened } from "../page/element.js";
import { inParts } from "../page/long_list.js";

interface Branch extends NamedNode {
  name: string;
  /** Null until they are known. */
  children: Map<string, Branch> | null;
  /** Undefined until it is first unfolded. Then its rows are made. */
  isUnfolded?: boolean;
  /** The list of the children that the server is asked for. */
  listing?: Promise<void>;
  /** Whether the server does not list the children. */
  isUnlisted?: boolean;
  /** A short text for the row. */
  about?: Promise<string>;
}

/** A tree with at most this number of nodes is unfolded completely. */
const OPEN_UP_TO = 40;
/**
 * Maximum depth of rows. A row at this depth has the rest of its path as its name. Browsers cannot
 * lay out elements that are thousands deep, which a path of a few kilobytes would make.
 */
const MAX_DEPTH = 60;
/** Maximum number of nodes that are added from other sources. */
const MAX_ADDED_NODES = 200;

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

  readonly #element: HTMLElement;
  #content: TreeContent | null = null;
  #branches = new Map<string, Branch>();
  /** The path of the selected node, which may have no row. */
  #selected: string | null = null;
  /** The path of the row that the Tab key reaches. */
  #reached = "";

  constructor(element: HTMLElement) {
    this.#element = element;
    element.setAttribute("role", "tree");
    element.setAttribute("aria-label", "Hierarchy");
    element.addEventListener("click", (event) => this.#click(event));
    element.addEventListener("keydown", (event) => this.#key(event));
  }

  show(content: TreeContent): void {
    this.#content = content;
    this.#branches = new Map();
    [this.#selected, this.#reached] = [null, ""];
    const { name, root, all } = content;
    this.#know({ ...root, name, children: root.kind === "array" ? new Map() : null });
    for (const { path, kind } of all ?? []) this.#grow(path, kind);
    const isSmall = all !== null && all.length <= OPEN_UP_TO;
    for (const path of isSmall ? this.#branches.keys() : [""]) void this.#fold(path, false);
    this.#render();
  }

  #know(branch: Branch): Branch {
    this.#branches.set(branch.path, branch);
    return branch;
  }

  /** Adds the rows that lead to a known node. A folder above listed nodes is shown as a group. */
  #grow(path: string, kind: NamedNode["kind"]): void {
    let at = this.#branches.get("");
    if (at) at.children ??= new Map();
    for (const part of partsOf(path)) {
      const below = at?.path ? `${at.path}/${part}` : part;
      const next = this.#branches.get(below) ?? this.#know(folderAt(below, part));
      at?.children?.set(part, next);
      at = next;
    }
    if (at) at.kind = kind;
  }

  /** Adds nodes from other sources, such as the labels of an image; of many the first ones. */
  add(nodes: readonly NamedNode[]): void {
    for (const node of nodes.slice(0, MAX_ADDED_NODES)) {
      if (this.#branches.has(node.path)) continue;
      const parent = this.#branches.get(parentOf(node.path));
      if (parent?.children) parent.children.set(node.path, this.#know(branchOf(node)));
    }
    this.#render();
  }

  /** Marks a node and unfolds the groups above it. An unlisted path marks its nearest group. */
  async select(path: string): Promise<void> {
    const parts = partsOf(path);
    for (let depth = 0; depth < parts.length; depth += 1)
      await this.#fold(parts.slice(0, depth).join("/"), false);
    [this.#selected, this.#reached] = [path, this.#rowOf(path) ? path : ""];
    this.#render();
    this.#rowOf(this.#reached)?.scrollIntoView({ block: "nearest" });
  }

  #rowOf(path: string): HTMLElement | null {
    return this.#element.querySelector<HTMLElement>(`[data-path="${CSS.escape(path)}"]`);
  }

  #render(): void {
    const root = this.#branches.get("");
    render(root ? keyed(this.#content, this.#item(root, 1)) : nothing, this.#element);
  }

  #item(branch: Branch, level: number): TemplateResult {
    const { name, path, kind, role, isUnfolded } = branch;
    const hasRows = kind === "group" && (branch.children?.size !== 0 || branch.isUnlisted);
    if (kind === "array") branch.about ??= this.#about(branch);
    return html`<div role="none">
      <div
        role="treeitem"
        aria-level=${level}
        aria-selected=${path === this.#selected}
        aria-expanded=${hasRows ? isUnfolded === true : nothing}
        tabindex=${path === this.#reached ? 0 : -1}
        data-path=${path}
        class="row ${kind} ${role ?? ""}"
        .style=${`--level: ${level}`}
      >
        <span class="twist" aria-hidden="true"></span>
        <span class="kind" aria-hidden="true"></span>
        <span class="hidden">${role ?? kind}</span>
        <span class="name" title=${name}>${shortened(name)}</span>
        <span class="about">${branch.about ? until(branch.about, role) : role}</span>
      </div>
      ${hasRows && isUnfolded !== undefined ? this.#group(branch, level + 1) : nothing}
    </div>`;
  }

  /** The rows of a group, in their order. */
  #group(branch: Branch, level: number): TemplateResult {
    const { children, isUnfolded, isUnlisted } = branch;
    const note = html`<p class="note" .style=${`--level: ${level}`}>
      The server does not list what is in here.
    </p>`;
    const rows = inParts([...(children?.values() ?? [])], (child) => this.#item(child, level));
    return html`<div role="group" ?hidden=${!isUnfolded}>${isUnlisted ? note : nothing}${rows}</div>`;
  }

  #about({ path, role }: Branch): Promise<string> {
    const description = this.#content?.describe(path) ?? Promise.resolve("");
    return description.then(
      (text) => text || (role ?? ""),
      () => "cannot be opened",
    );
  }

  async #fold(path: string, isFolded: boolean): Promise<void> {
    const branch = this.#branches.get(path);
    if (branch?.kind !== "group") return;
    branch.isUnfolded = !isFolded;
    if (!isFolded && !branch.children) {
      branch.listing ??= this.#list(branch);
      await branch.listing;
    }
    this.#render();
  }

  async #list(branch: Branch): Promise<void> {
    const content = this.#content;
    const found = await content?.children(branch.path).catch(() => null);
    if (content !== this.#content) return;
    branch.isUnlisted = !found;
    branch.children = new Map(found?.map((node) => [node.path, this.#know(branchOf(node))]));
  }

  #click(event: Event): void {
    const target = event.target as HTMLElement;
    const item = target.closest<HTMLElement>('[role="treeitem"]');
    if (!item || target.closest("button, .note")) return;
    const path = item.dataset.path ?? "";
    if (target.closest(".twist")) void this.#fold(path, item.getAttribute("aria-expanded") === "true");
    else this.onSelect(path);
  }

  #key(event: KeyboardEvent): void {
    const item = (event.target as HTMLElement).closest<HTMLElement>('[role="treeitem"]');
    if (!item || event.target !== item) return;
    const path = item.dataset.path ?? "";
    const rows = [...this.#element.querySelectorAll<HTMLElement>('[role="treeitem"]')].filter(
      (row) => !row.parentElement?.closest("[hidden]"),
    );
    const at = rows.indexOf(item);
    const expanded = item.getAttribute("aria-expanded");
    const above = item.closest('[role="group"]')?.previousElementSibling as HTMLElement | null | undefined;
    const actions: Record<string, () => unknown> = {
      ArrowDown: () => rows[at + 1]?.focus(),
      ArrowUp: () => rows[at - 1]?.focus(),
      Home: () => rows[0]?.focus(),
      End: () => rows.at(-1)?.focus(),
      ArrowRight: () => (expanded === "false" ? this.#fold(path, false) : rows[at + 1]?.focus()),
      ArrowLeft: () => (expanded === "true" ? this.#fold(path, true) : above?.focus()),
      Enter: () => this.onSelect(path),
      " ": () => this.onSelect(path),
    };
    if (!Object.hasOwn(actions, event.key)) return;
    actions[event.key]?.();
    event.preventDefault();
  }
}

const folderAt = (path: string, name: string): Branch => ({ path, name, kind: "group", children: new Map() });

/** The branch of a listed node. Its name may have several parts, as in `A/1`. */
function branchOf(node: NamedNode): Branch {
  const parts = node.path.split("/").slice(node.role === "well" ? -2 : -1);
  const children = node.kind === "array" ? new Map<string, Branch>() : null;
  return { ...node, name: parts.join("/"), children };
}

/** The names of the rows that lead to a node. */
function partsOf(path: string): string[] {
  const parts = path === "" ? [] : path.split("/");
  const rest = parts.splice(MAX_DEPTH).join("/");
  return rest === "" ? parts : [...parts, rest];
}
