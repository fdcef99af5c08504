/**
 * The state of the plots: marks, what is plotted of them, the tool in use. The code that draws and
 * plots loads with the first mark, so that a page without plots is not slower.
 */
import type { Picture } from "../../map/picture.js";
import type { Scene } from "../../model/scene/scene.js";
import { isSamePlane, slidAxes } from "../../model/scene/scene_state.js";
import {
  type Mark,
  type MarkKind,
  type PlotChoice,
  type Position,
  withMark,
} from "../../model/state/marks.js";
import type { PlottedScene } from "./plots_content.js";
import type { PlotsView } from "./plots_view.js";

export interface PlotsOptions {
  /** Marks or the choice of the plot have changed. */
  changed(): void;
  setIndex(name: string, index: number): void;
  fail(error: unknown): void;
  /** Whether a click without Shift is for others. */
  isClickTaken(): boolean;
}

/** The elements that plots are shown in. */
export interface PlotElements {
  panel: HTMLElement;
  /** The picture, which gets the keys of tools. */
  target: HTMLElement;
  /** The button that opens and closes the panel. */
  toggle?: HTMLElement;
}

export class Plots {
  #view: Promise<PlotsView> | null = null;
  #plotted: PlottedScene | null = null;
  #marks: readonly Mark[] = [];
  #choice: PlotChoice = {};
  #tool: MarkKind | null = null;
  #isOpen = false;

  constructor(
    readonly picture: Picture,
    readonly elements: PlotElements,
    readonly options: PlotsOptions,
  ) {
    elements.toggle?.addEventListener("click", () => this.#setOpen(!this.#isOpen));
    picture.onClick = (position, isAdding) => this.#click(position, isAdding);
  }

  /** Shows the marks of a state on a scene; null for a page without a picture. */
  show(plotted: PlottedScene | null, marks: readonly Mark[] = [], choice: PlotChoice = {}): void {
    [this.#plotted, this.#marks, this.#choice, this.#tool] = [plotted, marks, choice, null];
    this.#setOpen(plotted !== null && (marks.length > 0 || this.#isOpen));
  }

  /** The same picture, which may have other indices or colours. */
  update(scene: Scene, at: PlottedScene["at"]): void {
    const plotted = this.#plotted;
    if (!plotted || (plotted.scene === scene && plotted.at === at) || !isSamePlane(plotted.scene, scene))
      return;
    this.#plotted = { ...plotted, scene, at };
    this.#apply();
  }

  /** Whether a mark is being drawn. */
  get isDrawing(): boolean {
    return this.#tool !== null;
  }

  /** The state for the page's URL. */
  state(): { marks?: readonly Mark[]; plot?: PlotChoice } {
    const isShown = this.#isOpen && this.#marks.length > 0;
    return isShown ? { marks: this.#marks, plot: this.#choice } : {};
  }

  /** A click moves the last point, if it is the only one, or adds one. */
  #click(position: Position, isAdding: boolean): void {
    const scene = this.#plotted?.scene;
    if (!isAdding && this.options.isClickTaken()) return;
    if (!scene || this.#tool || slidAxes(scene).length === 0) return;
    const points = this.#marks.filter(({ kind }) => kind === "point");
    const [only] = points;
    const isMoving = !isAdding && points.length === 1 && only;
    this.#marks = isMoving
      ? this.#marks.map((mark) => (mark === only ? { ...mark, positions: [position] } : mark))
      : withMark(this.#marks, "point", [position]);
    this.#choice = { ...this.#choice, show: "series" };
    this.#setOpen(true);
    this.options.changed();
  }

  #setOpen(isOpen: boolean): void {
    this.#isOpen = isOpen && this.#plotted !== null;
    this.elements.panel.hidden = !this.#isOpen;
    this.elements.toggle?.setAttribute("aria-expanded", String(this.#isOpen));
    this.#apply();
    this.options.changed();
  }

  #change(changed: { marks?: readonly Mark[]; choice?: PlotChoice; tool?: MarkKind | null }): void {
    this.#marks = changed.marks ?? this.#marks;
    this.#choice = changed.choice ?? this.#choice;
    if (changed.tool !== undefined) this.#tool = changed.tool;
    this.#apply();
    this.options.changed();
  }

  #apply(): void {
    if (!this.#isOpen && !this.#view) return;
    this.#view ??= this.#load();
    this.#view.then(
      (view) => {
        const [marks, choice, tool] = [this.#marks, this.#choice, this.#tool];
        const plotted = this.#isOpen ? this.#plotted : null;
        view.show(plotted && { ...plotted, marks, choice, tool });
      },
      (error: unknown) => {
        this.#view = null;
        this.options.fail(error);
      },
    );
  }

  async #load(): Promise<PlotsView> {
    const { PlotsView } = await import("./plots_view.js");
    return new PlotsView(this.elements.panel, this.elements.target, this.picture, {
      setMarks: (marks) => this.#change({ marks }),
      setChoice: (choice) => this.#change({ choice }),
      setTool: (tool) => this.#change({ tool }),
      setIndex: (name, index) => this.options.setIndex(name, index),
      close: () => {
        this.#tool = null;
        this.#setOpen(false);
      },
    });
  }
}
