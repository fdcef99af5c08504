/**
 * What a picture is compared with: another variable, index or data set. The state has
 * only what differs from the picture; this finds and reads the rest. It shows nothing.
 */

import type { Content, SceneContent } from "../../model/opening/content.js";
import { type Dataset, firstPath, openDataset } from "../../model/opening/dataset.js";
import { sourceOf } from "../../model/opening/source.js";
import { withAsset } from "../../model/opening/stac.js";
import type { Scene, SceneVariable } from "../../model/scene/scene.js";
import { slidAxes } from "../../model/scene/scene_state.js";
import { arraysBelow, sceneVariable, variablesOf } from "../../model/scene/variables.js";
import type { UrlState } from "../../model/state/url_state.js";
import { joined, lastPart, parentOf, plainPath } from "../../model/text/paths.js";
import type { ContentView } from "../../widgets/views/content_view.js";
import type { Questions } from "./linked_views.js";

type Indices = Readonly<Record<string, number>>;

/** What is known of the picture that the second one is beside. */
interface Beside {
  /** The node of the picture. */
  main: SceneContent;
  plane: UrlState["plane"];
  questions: Questions;
  /** Gets the state with the data set that the user chooses of a STAC document. */
  chosen(state: UrlState): void;
}

/** The data set of a state: that of the picture, or of another address. */
async function datasetOf(
  view: ContentView,
  { source }: UrlState,
  { main: { dataset: own }, questions }: Beside,
  signal: AbortSignal,
): Promise<Dataset> {
  const isOwn = source === undefined || source === own.source.key;
  const found = isOwn
    ? own.source
    : await sourceOf(source, { base: document.baseURI, ask: questions.hosts, signal });
  view.url = found.url;
  return isOwn ? own : openDataset(found, signal);
}

/**
 * Reads the second in the plane of the picture. Null if it failed, or if another one is read
 * meanwhile.
 */
export const readSecond = (view: ContentView, state: UrlState, beside: Beside): Promise<Content | null> =>
  view.read(async (_own, signal) => {
    const { main, plane, questions, chosen } = beside;
    const found = await withAsset(state, { base: document.baseURI, ask: questions.asset, signal });
    if (found !== state) chosen(found);
    const dataset = await datasetOf(view, found, beside, signal);
    return { dataset, state: { ...found, plane, ...(await nodeIn(dataset, found, main, signal)) } };
  });

/** The path and the variable in a data set: those of the picture, unless the state has others. */
async function nodeIn(
  dataset: Dataset,
  { path, variable }: UrlState,
  main: SceneContent,
  signal: AbortSignal,
): Promise<Pick<UrlState, "path" | "variable">> {
  const isSame = dataset === main.dataset;
  const at = plainPath(path ?? (isSame ? main.path : await firstPath(dataset, signal)));
  const own = main.scene.variable;
  if (variable !== undefined || own === undefined) return { path: at, variable };
  const isThere = isSame ? at === main.path : dataset.all?.some((node) => node.path === joined(at, own));
  return { path: at, variable: isThere ? own : undefined };
}

/** Another array beside the one that is shown, as a state. */
export interface OtherVariable {
  title: string;
  state: UrlState;
}

/** The other variables of the group of a node. None if its arrays are no variables. */
export async function variablesBeside(
  { scene, dataset, path }: SceneContent,
  signal: AbortSignal,
): Promise<OtherVariable[]> {
  if (scene.variables.length > 1)
    return othersOf(scene.variables, scene.variable, (variable) => ({ variable }));
  const isArray = (await dataset.node(path)).kind === "array";
  const [base, own] = isArray ? [parentOf(path), lastPart(path)] : [path, scene.variable];
  const group = await dataset.node(base);
  if (group.kind !== "group") return [];
  const listed = variablesOf(await arraysBelow(group, signal)).map(sceneVariable);
  // The levels of an image are arrays, too.
  if (!listed.some(({ variable }) => variable === own)) return [];
  return othersOf(listed, own, (variable) => (isArray ? { path: joined(base, variable) } : { variable }));
}

const othersOf = (
  all: readonly SceneVariable[],
  own: string | undefined,
  stateOf: (variable: string) => UrlState,
): OtherVariable[] =>
  all
    .filter(({ variable }) => variable !== own)
    .map(({ variable, title }) => ({ title, state: stateOf(variable) }));

/** The axes with sliders that both scenes have. */
export const sharedAxes = (first: Scene, second: Scene): string[] => {
  const names = new Set(slidAxes(first).map(({ name }) => name));
  return slidAxes(second).flatMap(({ name }) => (names.has(name) ? [name] : []));
};

/** The indices of the second: its own ones, and those of the picture along the other axes. */
export function indicesOfSecond(
  first: Scene,
  second: Scene,
  at: Indices,
  own: Indices,
): Record<string, number> {
  const known = new Set(first.axes.map(({ name }) => name));
  return Object.fromEntries(
    second.axes.map(({ name, length, start }) => {
      const index = own[name] ?? (known.has(name) ? at[name] : undefined) ?? start;
      return [name, Math.min(index, length - 1)];
    }),
  );
}

/** Whether both can have the same colours: two fields, or images with as many channels. */
export const haveSameStyle = (first: Scene, second: Scene): boolean =>
  first.kind === second.kind &&
  first.kind !== "labels" &&
  (first.field !== undefined) === (second.field !== undefined) &&
  first.channels.length === second.channels.length;

/** Whether the same colours mean the same, so that both have them at first. */
export const areAlike = (first: Scene, second: Scene): boolean =>
  haveSameStyle(first, second) &&
  (first.title === second.title || (first.unit !== "" && first.unit === second.unit));
