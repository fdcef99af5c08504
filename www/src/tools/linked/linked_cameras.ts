/** Pictures whose cameras follow each other, also while one of them moves. */

import { extentOf } from "../../map/extent.js";
import type { Picture } from "../../map/picture.js";
import type { Camera, Scene } from "../../model/scene/scene.js";

/** `camera` is that of the picture `to` when that of `from` is known; `own` is its present one. */
export interface CameraLink {
  from: Picture;
  to: Picture;
  camera(from: Camera, own: Camera): Camera;
}

/**
 * The camera that shows the same position of another scene; of another kind of map the same share.
 */
export function samePosition(from: Scene, to: Scene, { x, y, resolution }: Camera): Camera {
  const [one, other] = [extentOf(from), extentOf(to)];
  const isSame = JSON.stringify(from.space) === JSON.stringify(to.space);
  if (isSame && (from.space.kind !== "index" || one.join() === other.join())) return { x, y, resolution };
  const [left, bottom, right, top] = one;
  const times = (other[2] - other[0]) / (right - left);
  return {
    x: other[0] + (x - left) * times,
    y: other[1] + ((y - bottom) * (other[3] - other[1])) / (top - bottom),
    resolution: resolution * times,
  };
}

export class LinkedCameras {
  #isFollowing = false;
  readonly #pictures: ReadonlySet<Picture>;

  /** `main` says how far all can be zoomed. */
  constructor(
    readonly main: Picture,
    readonly links: readonly CameraLink[],
  ) {
    this.#pictures = new Set(links.flatMap(({ from, to }) => [from, to]));
    for (const picture of this.#pictures) {
      picture.onMove = () => this.#spread(picture);
      picture.onView = () => this.#spread(this.main);
    }
  }

  /** Moves the others to where a picture is. */
  #spread(moved: Picture): void {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    const reached = new Set([moved]);
    for (const picture of reached) {
      for (const link of this.links) {
        if (link.from !== picture || reached.has(link.to)) continue;
        reached.add(link.to);
        this.#follow(link);
      }
    }
    this.#isFollowing = false;
  }

  #follow({ from, to, camera }: CameraLink): void {
    const [seen, own] = [from.camera(), to.camera()];
    const [finest, coarsest] = from.zoomRange();
    const range = [finest, coarsest].map((resolution) => camera({ ...seen, resolution }, own).resolution);
    to.follow(camera(seen, own), to === this.main ? to.zoomRange() : (range as [number, number]));
  }

  end(): void {
    for (const picture of this.#pictures) {
      picture.onMove = () => {};
      picture.onView = () => {};
    }
  }
}
