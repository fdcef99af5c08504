/**
 * The state of the plots: marks, what is plotted of them, the tool in use. The code that draws and
 * plots loads with the first mark, so that a page without plots is not slower.
 */
import type { Picture } from "../../map/picture.js";
import type { Scene } from "../../model/scene/scene.js";
import { isSamePlane, slidAxes } from "../../model/scene/scene_state.js";
import { type Mark, type MarkKind, type Place, type PlotView, withMark } from "../../model/state/marks.js";
import type { PlotRoom } from "./plots_view.js";

export interface PlotsOptions {
  /** Marks or the view have changed. */
  changed(): void;
  setIndex(name: string, index: number): void;
  fail(error: unknown): void;
  /** Whether a click without Shift is for others. */
  isClickTaken(): boolean;
}

/** The elements that plots are shown in. */
export interface PlotPlaces {
  panel: HTMLElement;
  /** The picture, which gets the keys of tools. */
  target: HTMLElement;
  /** The button that opens and closes the panel. */
  toggle?: HTMLElement;
}

interface Subject {
  scene: Scene;
  at: Readonly<Record<string, number>>;
  source: string;
  path: string;
}

export class Plots {
  #room: Promise<PlotRoom> | null = null;
  #subject: Subject | null = null;
  #marks: readonly Mark[] = [];
  #view: PlotView = {};
  #tool: MarkKind | null = null;
  #isOpen = false;

  constructor(
    readonly picture: Picture,
    readonly places: PlotPlaces,
    readonly options: PlotsOptions,
  ) {
    places.toggle?.addEventListener("click", () => this.#setOpen(!this.#isOpen));
    picture.onClick = (place, isAdding) => this.#click(place, isAdding);
  }

  /** Shows the marks of a state on a scene; null for a page without a picture. */
  show(subject: Subject | null, marks: readonly Mark[] = [], view: PlotView = {}): void {
    [this.#subject, this.#marks, this.#view, this.#tool] = [subject, marks, view, null];
    this.#setOpen(subject !== null && (marks.length > 0 || this.#isOpen));
  }

  /** The same picture, which may have other indices or colours. */
  update(scene: Scene, at: Subject["at"]): void {
    const subject = this.#subject;
    if (!subject || (subject.scene === scene && subject.at === at) || !isSamePlane(subject.scene, scene))
      return;
    this.#subject = { ...subject, scene, at };
    this.#apply();
  }

  /** Whether a mark is being drawn. */
  get isDrawing(): boolean {
    return this.#tool !== null;
  }

  /** The state for the page's URL. */
  state(): { marks?: readonly Mark[]; plot?: PlotView } {
    const isShown = this.#isOpen && this.#marks.length > 0;
    return isShown ? { marks: this.#marks, plot: this.#view } : {};
  }

  /** A click moves the last point, if it is the only one, or adds one. */
  #click(place: Place, isAdding: boolean): void {
    const scene = this.#subject?.scene;
    if (!isAdding && this.options.isClickTaken()) return;
    if (!scene || this.#tool || slidAxes(scene).length === 0) return;
    const points = this.#marks.filter(({ kind }) => kind === "point");
    const [only] = points;
    const isMoving = !isAdding && points.length === 1 && only;
    this.#marks = isMoving
      ? this.#marks.map((mark) => (mark === only ? { ...mark, places: [place] } : mark))
      : withMark(this.#marks, "point", [place]);
    this.#view = { ...this.#view, show: "series" };
    this.#setOpen(true);
    this.options.changed();
  }

  #setOpen(isOpen: boolean): void {
    this.#isOpen = isOpen && this.#subject !== null;
    this.places.panel.hidden = !this.#isOpen;
    this.places.toggle?.setAttribute("aria-expanded", String(this.#isOpen));
    this.#apply();
    this.options.changed();
  }

  #change(changed: { marks?: readonly Mark[]; view?: PlotView; tool?: MarkKind | null }): void {
    this.#marks = changed.marks ?? this.#marks;
    this.#view = changed.view ?? this.#view;
    if (changed.tool !== undefined) this.#tool = changed.tool;
    this.#apply();
    this.options.changed();
  }

  #apply(): void {
    if (!this.#isOpen && !this.#room) return;
    this.#room ??= this.#load();
    this.#room.then(
      (room) => {
        const [marks, view, tool] = [this.#marks, this.#view, this.#tool];
        const subject = this.#isOpen ? this.#subject : null;
        room.show(subject && { ...subject, marks, view, tool });
      },
      (error: unknown) => {
        this.#room = null;
        this.options.fail(error);
      },
    );
  }

  async #load(): Promise<PlotRoom> {
    const { PlotRoom } = await import("./plots_view.js");
    return new PlotRoom(this.places.panel, this.places.target, this.picture, {
      setMarks: (marks) => this.#change({ marks }),
      setView: (view) => this.#change({ view }),
      setTool: (tool) => this.#change({ tool }),
      setIndex: (name, index) => this.options.setIndex(name, index),
      close: () => {
        this.#tool = null;
        this.#setOpen(false);
      },
    });
  }
}
