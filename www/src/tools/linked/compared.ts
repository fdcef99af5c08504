/**
 * The picture and a second one: beside it, above it with a divider, or their difference. This code
 * loads when a comparison is first shown; `linked.ts` holds the state.
 */
import "../../../style/linked.css";
import { html } from "lit-html";
import type { ViewBox } from "../../map/view_box.js";
import type { SceneContent } from "../../model/opening/content.js";
import { AxisTexts } from "../../model/scene/coordinates.js";
import type { Camera, Scene, SceneChannel } from "../../model/scene/scene.js";
import type { Comparison, How } from "../../model/state/comparison.js";
import { type UrlState, writeUrlState } from "../../model/state/url_state.js";
import { isAbort } from "../../model/text/errors.js";
import { iconButton } from "../../widgets/page/element.js";
import type { SceneView } from "../../widgets/views/scene_view.js";
import {
  type Indices,
  type InView,
  inViewOf,
  type PictureSnapshot,
} from "../../widgets/views/view_snapshot.js";
import type { ComparePanel, CompareSettings } from "./compare_panel.js";
import { differenceOf, subtractedBoxes, whyNone } from "./difference.js";
import { ownAxis, type Pair } from "./difference_store.js";
import { Divider } from "./divider.js";
import { LinkedCameras, samePosition } from "./linked_cameras.js";
import type { LinkedContext, LinkedState, LinkedViews } from "./linked_views.js";
import { areAlike, haveSameStyle, indicesOfSecond, readSecond, sharedAxes } from "./second.js";
import { SideView } from "./side_view.js";

const HOWS: readonly How[] = ["beside", "swipe", "difference"];
const MIDDLE = 0.5;

export class Compared implements LinkedViews {
  readonly #context: LinkedContext;
  readonly #main: SceneView;
  readonly #views: HTMLElement;
  readonly #side: SideView;
  readonly #sliders: HTMLElement;
  readonly #panel: ComparePanel | null;
  #state: LinkedState;
  /** What was read, and what of it is shown. */
  #second: SceneContent | null = null;
  #scene: Scene | null = null;
  #texts: AxisTexts | null = null;
  #cameras: LinkedCameras | null = null;
  #divider: Divider | null = null;
  #showing = new AbortController();
  readonly #life = new AbortController();
  /** The state follows what the user does in the second picture, and not what this does. */
  #isFollowing = false;

  constructor(context: LinkedContext) {
    this.#context = context;
    [this.#main, this.#state] = [context.view, context.state];
    const { elements } = context;
    this.#views = elements.views;
    this.#side = new SideView(elements, "compared", "the second picture");
    // Pictures that lie above each other need the same size, so its sliders are below both.
    this.#sliders = this.#side.root.querySelector(".dimensions") as HTMLElement;
    this.#sliders.classList.add("second");
    this.#sliders.setAttribute("aria-label", "Dimensions of the second picture");
    elements.dimensions.after(this.#sliders);
    this.#panel = context.panelOf(this.#side.view.sceneView);
    this.#views.classList.add("comparing");
    this.#side.view.onChange = () => this.#record();
    this.#arrange();
    this.#renderPanel(); // a slow second can be closed, too
    this.#run(() => this.#read());
  }

  get #compare(): Comparison {
    return this.#state.compare ?? { how: "beside" };
  }

  /** The indices of the second that do not follow the picture. */
  get #own(): Record<string, number> {
    return this.#state.with?.at ?? {};
  }

  get #scenes(): Pick<Pair, "first" | "second"> | null {
    const [first, second] = [this.#main.scene, this.#second?.scene];
    return first && second ? { first, second } : null;
  }

  get #areShared(): boolean {
    const scenes = this.#scenes;
    if (!scenes || !haveSameStyle(scenes.first, scenes.second)) return false;
    const { limits } = this.#compare;
    return limits ? limits === "shared" : areAlike(scenes.first, scenes.second);
  }

  #run(work: () => Promise<void>): void {
    const failed = (error: unknown) => {
      if (!isAbort(error)) this.#side.view.fail(error);
    };
    work().catch(failed);
  }

  async #read(): Promise<void> {
    const { content: main, state, questions } = this.#context;
    const { plane } = this.#main.state();
    const chosen = (found: UrlState) => this.#set({ with: found });
    const beside = { main, plane, questions, chosen };
    const second = await readSecond(this.#side.view, state.with ?? {}, beside);
    if (second?.kind === "scene") {
      this.#second = second;
      this.#texts = new AxisTexts(second.scene, this.#life.signal);
      this.#texts.onText = () => this.#caption();
      await this.#show();
    } else if (second) this.#side.view.show(second, {});
    this.#renderPanel();
  }

  /** Draws the second scene, or the difference. */
  async #show(): Promise<void> {
    const [scenes, second] = [this.#scenes, this.#second];
    if (!scenes || !second) return;
    this.#showing.abort();
    this.#showing = new AbortController();
    const { signal } = this.#showing;
    this.#arrange();
    const isDifference = this.#isDifference;
    const scene = isDifference ? await this.#difference(scenes, signal) : scenes.second;
    signal.throwIfAborted();
    this.#scene = scene;
    const { sceneView: view } = this.#side.view;
    const { field, channels } = this.#areShared && !isDifference ? {} : (this.#state.with ?? {});
    const camera = samePosition(scenes.first, scene, this.#main.picture.camera());
    this.#isFollowing = true;
    view.setSliders((name) => this.#isOwn(name));
    const level = this.#levelOf(scene) ?? undefined;
    this.#side.view.show({ ...second, scene }, { at: this.#at(), view: camera, level, field, channels });
    this.#isFollowing = false;
    this.#link(scenes.first, scene);
    if (view.scene) this.#panel?.showColours(view.scene, signal);
    this.#renderPanel();
    this.update();
  }

  get #isDifference(): boolean {
    return this.#compare.how === "difference" && this.#scenes !== null && whyNone(this.#scenes) === null;
  }

  #difference(scenes: Pick<Pair, "first" | "second">, signal: AbortSignal): Promise<Scene> {
    const own = sharedAxes(scenes.first, scenes.second).filter((name) => name in this.#own);
    const at = indicesOfSecond(scenes.first, scenes.second, this.#main.at, this.#own);
    return differenceOf({ ...scenes, at, own }, this.#at(), signal);
  }

  /** Whether an axis of what is shown has an index of its own. */
  #isOwn(name: string): boolean {
    const { first } = this.#scenes ?? {};
    if (this.#isDifference) return Object.keys(this.#own).some((own) => ownAxis(own) === name);
    return name in this.#own || !first?.axes.some((axis) => axis.name === name);
  }

  /** The indices of what is shown while the picture has these. */
  #at(first: Indices = this.#main.at): Record<string, number> {
    const scenes = this.#scenes;
    if (!scenes) return {};
    const at = indicesOfSecond(scenes.first, scenes.second, first, this.#own);
    if (!this.#isDifference) return at;
    const c = scenes.first.axes.find(({ role }) => role === "c");
    const channel = this.#channel(scenes);
    return {
      ...first,
      ...(c && channel !== undefined && { [c.name]: channel }),
      ...Object.fromEntries(Object.keys(this.#own).map((name) => [ownAxis(name), at[name] ?? 0])),
    };
  }

  /** The channels that both pictures have; if the second has none, those of the first. */
  #channels({ first, second }: Pick<Pair, "first" | "second">): readonly SceneChannel[] {
    const there = second.channels.map(({ index }) => index);
    return there.length === 0 ? first.channels : first.channels.filter(({ index }) => there.includes(index));
  }

  /** The channel of a difference: the chosen one, or the first visible one. */
  #channel(scenes: Pick<Pair, "first" | "second">): number | undefined {
    const channels = this.#channels(scenes);
    const chosen = channels.find(({ index }) => index === this.#compare.channel);
    return (chosen ?? channels.find(({ visible }) => visible) ?? channels[0])?.index;
  }

  /** The level of the second while that of the picture is fixed: the same, or its coarsest one. */
  #levelOf({ pyramid }: Scene): number | null {
    const { level } = this.#main;
    return level === null ? null : Math.min(level, pyramid.levels.length - 1);
  }

  #link(first: Scene, second: Scene): void {
    this.#cameras?.end();
    const [main, side] = [this.#main.picture, this.#side.view.sceneView.picture];
    this.#cameras = new LinkedCameras(main, [
      { from: main, to: side, camera: (camera: Camera) => samePosition(first, second, camera) },
      { from: side, to: main, camera: (camera: Camera) => samePosition(second, first, camera) },
    ]);
  }

  /** Follows the picture. */
  update(): void {
    const [{ sceneView: view }, { scene }] = [this.#side.view, this.#main];
    if (!this.#scene || !scene || !view.scene) return;
    this.#isFollowing = true;
    const at = this.#at();
    if (Object.entries(at).some(([name, index]) => view.at[name] !== index))
      view.setAt({ ...view.at, ...at });
    if (this.#areShared && !this.#isDifference) {
      const { field, channels } = scene;
      const isOld = view.scene.field !== field || view.scene.channels !== channels;
      if (isOld) view.restyle({ field, channels }, {});
    }
    const level = this.#levelOf(view.scene);
    if (view.level !== level) view.setLevel(level);
    if (view.lines !== this.#main.lines) view.setLines(this.#main.lines);
    this.#isFollowing = false;
    this.#caption();
  }

  /** Takes over what the user has changed in the second picture. */
  #record(): void {
    const { sceneView: view } = this.#side.view;
    const before = this.#state.with ?? {};
    if (this.#isFollowing || !this.#scene || !view.scene) return;
    const { field, channels } = view.state();
    const own = Object.keys(this.#own).map((name) => {
      const at = view.at[this.#isDifference ? ownAxis(name) : name];
      return [name, at ?? this.#own[name] ?? 0] as const;
    });
    const now = { ...before, at: own.length > 0 ? Object.fromEntries(own) : undefined, field, channels };
    if (writeUrlState(now) === writeUrlState(before)) return;
    this.#set({ with: now });
    this.#caption();
  }

  #set(changed: LinkedState): void {
    this.#state = { ...this.#state, ...changed };
    this.#context.changed(this.#state);
  }

  pictures(): PictureSnapshot[] {
    const [snapshot, scene] = [this.#side.snapshot(), this.#scene];
    if (!snapshot || !scene) return [];
    const { how, divider = MIDDLE } = this.#compare;
    const follow = (at: Indices) => ({ ...snapshot.state.at, ...this.#at(at) });
    const visible = [how === "swipe" ? divider : 0, 1] as const;
    const elements = this.#elements(snapshot.state.scene, snapshot.box);
    return [{ ...snapshot, visible, marks: [], title: scene.title, elements, hasLegend: true, follow }];
  }

  /** What is in view of the second picture, or of both scenes that the difference is made of. */
  #elements(scene: Scene, box: ViewBox): InView[] {
    const [scenes, second] = [this.#scenes, this.#second];
    if (!scenes || !second) return [];
    if (!this.#isDifference) return [inViewOf(second.dataset, scene, box)];
    const at = indicesOfSecond(scenes.first, scenes.second, this.#at(), this.#own);
    const [one, other] = subtractedBoxes({ ...scenes, at }, this.#at(), box);
    return [
      inViewOf(this.#context.content.dataset, scenes.first, one),
      inViewOf(second.dataset, scenes.second, other),
    ];
  }

  /** Arranges the pictures. */
  #arrange(): void {
    const how = this.#compare.how === "difference" ? "beside" : this.#compare.how;
    for (const each of HOWS) this.#views.classList.toggle(each, each === how);
    this.#divider?.close();
    this.#divider = null;
    if (how !== "swipe") return;
    this.#divider = new Divider(this.#views, {
      left: this.#main.scene?.title ?? "the first picture",
      right: this.#second?.title ?? "the second picture",
      share: this.#compare.divider ?? MIDDLE,
      move: (divider) => this.#set({ compare: { ...this.#compare, divider } }),
    });
  }

  /** The name of what is shown, with the indices that are its own. */
  #caption(): void {
    const [second, texts] = [this.#second, this.#texts];
    if (!second) return;
    const own = Object.entries(this.#own).map(([name, index]) => {
      const there = texts?.text(name, index) || String(index);
      const here = this.#main.textOf(name) || String(this.#main.at[name] ?? 0);
      return this.#isDifference ? `${name} ${here} − ${there}` : `${name} ${there}`;
    });
    const title = this.#isDifference ? (this.#scene?.title ?? "") : second.title;
    this.#side.name([title, ...own].join(", "));
    const close = () => this.#context.close();
    this.#side.caption(html`<h2>${title}</h2>
      <p class="of">${[...own, ...(second.source === this.#context.content.source ? [] : [second.source])].join(", ")}</p>
      ${iconButton("close", "Close the comparison", close)}`);
  }

  #renderPanel(): void {
    const scenes = this.#scenes;
    const axes = scenes ? sharedAxes(scenes.first, scenes.second) : [];
    const settings: CompareSettings = {
      title: this.#second?.title ?? "another picture",
      compare: this.#compare,
      whyNone: scenes && whyNone(scenes),
      axes: axes.map((name) => ({ name, isLinked: !(name in this.#own) })),
      areShared: scenes && haveSameStyle(scenes.first, scenes.second) ? this.#areShared : null,
      setHow: (how) => this.#setHow(how),
      setLinked: (name, isLinked) => this.#setLinked(name, isLinked),
      channels: scenes ? this.#channels(scenes) : [],
      channel: scenes ? this.#channel(scenes) : undefined,
      setShared: (areShared) => this.#setShared(areShared),
      setChannel: (channel) => this.#setChannel(channel),
      close: () => this.#context.close(),
    };
    this.#panel?.show(settings, !this.#areShared || this.#isDifference);
  }

  #setHow(how: How): void {
    const wasDifference = this.#isDifference;
    const colours = { field: undefined, channels: undefined };
    this.#set({ compare: { ...this.#compare, how } });
    if (wasDifference || this.#isDifference) {
      // The colours of a difference are not those of the second.
      this.#set({ with: { ...this.#state.with, ...colours } });
      this.#run(() => this.#show());
    } else this.#arrange();
    this.#renderPanel();
  }

  #setLinked(name: string, isLinked: boolean): void {
    const { [name]: _own, ...others } = this.#own;
    const at = isLinked ? others : { ...others, [name]: this.#main.at[name] ?? 0 };
    this.#set({ with: { ...this.#state.with, at: Object.keys(at).length > 0 ? at : undefined } });
    this.#run(() => this.#show());
  }

  #setShared(areShared: boolean): void {
    this.#set({
      compare: { ...this.#compare, limits: areShared ? "shared" : "own" },
      with: { ...this.#state.with, field: undefined, channels: undefined },
    });
    this.#run(() => this.#show());
  }

  #setChannel(channel: number): void {
    this.#set({ compare: { ...this.#compare, channel } });
    this.#run(() => this.#show()); // each channel has limits of its own
  }

  close(): void {
    this.#showing.abort();
    this.#life.abort();
    this.#scene = null;
    this.#cameras?.end();
    this.#divider?.close();
    this.#side.close();
    this.#sliders.remove();
    this.#panel?.close();
    this.#views.classList.remove("comparing", ...HOWS);
  }
}
