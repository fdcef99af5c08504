/** Saves a plot, or the elements under a mark, as a file. */
import { slidAxes } from "../../model/scene/scene_state.js";
import { type Mark, nameOf } from "../../model/state/marks.js";
import { fileName, saveFile } from "../../widgets/page/save_file.js";
import type { ChartAxis } from "./chart.js";
import { npyOf, zarrZipOf } from "./element_files.js";
import { elementsOfMark } from "./elements_of_mark.js";
import type { Plot } from "./plot.js";
import { pngOf, svgOf } from "./plot_svg.js";
import { csvOf, jsonOf } from "./plot_texts.js";
import type { PlotsContent } from "./plots_content.js";
import type { Asked } from "./questions.js";

export type SavedAs = "csv" | "json" | "png" | "svg" | "npy" | "zarr";

/** Saves the elements under a mark. */
export async function saveElements(
  as: SavedAs,
  asked: Asked,
  mark: Mark,
  signal: AbortSignal,
): Promise<void> {
  const { title } = asked.scene;
  const elements = await elementsOfMark(asked, mark, asked.along, signal);
  const parts = [title, nameOf(mark, asked.marks)];
  if (as === "npy") saveFile(fileName(parts, "npy"), npyOf(elements));
  else saveFile(fileName(parts, "zarr.zip"), await zarrZipOf(elements, title, signal));
}

export interface SavedPlot {
  plot: Plot;
  axes: { x: ChartAxis; y: ChartAxis };
  /** The marks by colour. */
  marks: ReadonlyMap<string, Mark>;
}

/** Saves a plot as numbers or as a picture. */
export async function savePlot(
  as: SavedAs,
  { plot, axes, marks }: SavedPlot,
  content: PlotsContent,
): Promise<void> {
  const save = (file: Blob) => saveFile(fileName([plot.title], as), file);
  const text = (content: string, type: string) => save(new Blob([content], { type }));
  const { source, path, scene } = content;
  const at = Object.fromEntries(slidAxes(scene).map(({ name }) => [name, content.at[name] ?? 0]));
  if (as === "csv") text(csvOf(plot), "text/csv");
  else if (as === "json") text(jsonOf(plot, { source, path, at }, marks), "application/json");
  else if (as === "svg") text(svgOf(plot, axes), "image/svg+xml");
  else save(await pngOf(svgOf(plot, axes)));
}
