/**
 * The plots of a picture: the marks above it, what is read under them, and the panel. This is the
 * code that loads when the first mark is made. `plots_state.ts` holds the state.
 */
import "../../../style/plots.css";
import type { Picture } from "../../map/picture.js";
import { slidAxes } from "../../model/scene/scene_state.js";
import {
  type Mark,
  type MarkKind,
  type PlotChoice,
  type PlotKind,
  withMark,
} from "../../model/state/marks.js";
import { explain } from "../../model/text/errors.js";
import { answered, nearest, plotOf, rowsOf, xTextAt } from "./answered_plot.js";
import { Answers } from "./answers.js";
import { Chart } from "./chart.js";
import { KeyboardMarks } from "./keyboard_marks.js";
import { MarkLayer } from "./mark_layer.js";
import { Panel } from "./panel.js";
import type { Plot } from "./plot.js";
import { askedOf, hintOf, kindFor, kindsOf, type PlotsContent, toolsOf } from "./plots_content.js";
import { type Asked, questionsOf } from "./questions.js";
import type { Series } from "./read_series.js";
import { type SavedAs, saveElements, savePlot } from "./saving.js";

export interface PlotsViewOptions {
  setMarks(marks: readonly Mark[]): void;
  setChoice(choice: PlotChoice): void;
  setTool(tool: MarkKind | null): void;
  /** Shows another index of an axis. */
  setIndex(name: string, index: number): void;
  close(): void;
}

const KINDS: Record<PlotKind, string> = { series: "Series", profile: "Profile", histogram: "Histogram" };

export class PlotsView {
  readonly #answers = new Answers();
  readonly #layer: MarkLayer;
  readonly #keys: KeyboardMarks;
  readonly #panel: Panel;
  readonly #chart: Chart;
  #content: PlotsContent | null = null;
  #tool: MarkKind | null = null;
  #plot: Plot | null = null;
  /** Whether something has changed since the plot was made. */
  #isOld = true;
  /** The x under the pointer. */
  #cursor: number | null = null;
  #frame = 0;
  #saving = new AbortController();
  #message = "";

  constructor(
    element: HTMLElement,
    target: HTMLElement,
    readonly picture: Picture,
    readonly options: PlotsViewOptions,
  ) {
    this.#layer = new MarkLayer(picture.map);
    this.#layer.onDraw = (kind, positions) => this.#add(kind, positions);
    this.#layer.onMove = (slot, positions) =>
      options.setMarks(this.#marks.map((mark) => (mark.slot === slot ? { ...mark, positions } : mark)));
    this.#keys = new KeyboardMarks(target, {
      middle: () => [picture.camera().x, picture.camera().y],
      sketch: (kind, positions) => this.#layer.sketch(kind, positions),
      finish: (kind, positions) => this.#add(kind, positions),
      leave: () => options.setTool(null),
    });
    this.#panel = this.#makePanel(element);
    this.#chart = new Chart(this.#panel.chart);
    this.#chart.onCursor = (x) => {
      this.#cursor = x;
      this.#later({ isOld: false });
    };
    this.#chart.onPick = (x) => this.#pick(x);
    this.#answers.onChange = () => this.#later();
  }

  #makePanel(element: HTMLElement): Panel {
    const { options } = this;
    const setChoice = (changed: PlotChoice) => options.setChoice({ ...this.#content?.choice, ...changed });
    return new Panel(element, {
      setTool: (tool) => options.setTool(tool),
      setKind: (show) => setChoice({ show }),
      setAxis: (axis) => setChoice({ axis }),
      setChannel: (channel) => setChoice({ channel }),
      remove: (slot) => options.setMarks(this.#marks.filter((mark) => mark.slot !== slot)),
      clear: () => options.setMarks([]),
      save: (as, slot) => void this.#save(as, slot),
      close: () => options.close(),
    });
  }

  get #marks(): readonly Mark[] {
    return this.#content?.marks ?? [];
  }

  /** Shows marks and their plots; none if it is null. */
  show(content: PlotsContent | null): void {
    this.#content = content;
    this.#layer.show(this.#marks);
    const tool = content?.tool ?? null;
    if (tool !== this.#tool) {
      this.#tool = tool;
      this.#layer.setTool(tool);
      this.#keys.setTool(tool);
    }
    this.#answers.ask(content ? questionsOf(this.#asked(content)) : []);
    this.#later();
  }

  #asked(content: PlotsContent): Asked {
    return askedOf(content, (position, signal) => this.picture.elementAt(position, signal));
  }

  #add(kind: MarkKind, positions: Mark["positions"]): void {
    const content = this.#content;
    if (!content) return;
    this.options.setChoice({ ...content.choice, show: kindFor(content, kind) });
    this.options.setMarks(withMark(content.marks, kind, positions));
    // Points are added one after the other; the other tools draw one mark.
    if (kind !== "point") this.options.setTool(null);
  }

  /** Renders in the next frame. A plot that is not old stays. */
  #later({ isOld = true } = {}): void {
    this.#isOld ||= isOld;
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#render());
  }

  #render(): void {
    this.#frame = 0;
    const content = this.#content;
    if (!content) return;
    const asked = this.#asked(content);
    const { scene, channel, kind, along } = asked;
    if (this.#isOld) this.#plot = plotOf(asked, this.#answers);
    const x = this.#cursor ?? this.#plot?.current ?? null;
    this.#panel.show({
      tool: content.tool,
      tools: toolsOf(scene),
      kind,
      kinds: kindsOf(content).map((value) => ({ value, text: KINDS[value] })),
      axis: along === undefined ? "" : (scene.axes[along]?.name ?? ""),
      axes: slidAxes(scene).map(({ name }) => ({ value: name, text: `along ${name}` })),
      channel: String(channel),
      channels: scene.channels.map(({ index, name }) => ({ value: String(index), text: name })),
      rows: rowsOf(asked, this.#answers, this.#plot, x),
      plot: this.#plot,
      at: xTextAt(this.#plot, x),
      hint: this.#message || hintOf(content),
    });
    if (this.#isOld) this.#chart.show(this.#plot);
    this.#isOld = false;
  }

  /** Shows the index whose x was pressed. */
  #pick(x: number): void {
    const asked = this.#content && this.#asked(this.#content);
    if (asked?.kind !== "series" || asked.along === undefined) return;
    const axis = asked.scene.axes[asked.along];
    const [first] = answered<Series>(asked, this.#answers);
    const numbers = first?.answer.axis.numbers ?? [];
    // Levels may be coarser along the axis, too.
    if (axis && numbers.length === axis.length) this.options.setIndex(axis.name, nearest(numbers, x));
  }

  /** Saves the elements under a mark, or the plot if there is no such mark. */
  async #save(as: SavedAs, slot: number): Promise<void> {
    this.#saving.abort();
    this.#saving = new AbortController();
    const { signal } = this.#saving;
    this.#tell("Saving…");
    try {
      await this.#saved(as, slot, signal);
      if (!signal.aborted) this.#tell("");
    } catch (error) {
      if (!signal.aborted) this.#tell(`Not saved: ${explain(error, null).detail}`);
    }
  }

  async #saved(as: SavedAs, slot: number, signal: AbortSignal): Promise<void> {
    const [content, plot, axes] = [this.#content, this.#plot, this.#chart.axes()];
    if (!content) return;
    const asked = this.#asked(content);
    const mark = content.marks.find((own) => own.slot === slot);
    if (mark) return saveElements(as, asked, mark, signal);
    const marks = new Map(answered(asked, this.#answers).map(({ mark: own, color }) => [color, own]));
    if (plot && axes) await savePlot(as, { plot, axes, marks }, content);
  }

  #tell(message: string): void {
    this.#message = message;
    this.#later();
  }
}
