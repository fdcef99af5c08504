/** The map on which a scene is drawn. */
import type { FieldStyle, Scene, SceneChannel, SceneLabel } from "../scene/scene.js";

/** Where the map looks: the middle in the coordinates of the plane, and their units for a CSS pixel. */
export interface Camera {
  x: number;
  y: number;
  resolution: number;
}

/** What a view is besides its scene. What is left out is chosen. */
export interface PictureState {
  /** Index by name of axis. */
  at?: Record<string, number> | undefined;
  camera?: Camera | undefined;
  /** null: the level follows the zoom. */
  level?: number | null | undefined;
}

/** The values at a place of the picture, as text. */
export interface Reading {
  /** Index by axis, in the order of the array. */
  index: { name: string; index: number }[];
  /** Coordinates of the axes that have any, units included. */
  coordinates: { name: string; text: string }[];
  /** Of every visible channel, units included; "no data" where it is missing, "…" where it is still being read. */
  values: { name: string; text: string; color?: string }[];
}

export interface PictureProgress {
  wanted: number;
  done: number;
}

export class Picture {
  onCamera: (camera: Camera) => void = () => {};
  /** null where the pointer is outside the picture. */
  onPointer: (reading: Reading | null) => void = () => {};
  onProgress: (progress: PictureProgress) => void = () => {};
  onError: (error: unknown) => void = () => {};
  /** The level that is drawn now. */
  onLevel: (level: number) => void = () => {};

  /** `target` is filled by the map, its scale bar and its graticule's words. Throws where WebGL is missing. */
  constructor(_target: HTMLElement) {}
  show(_scene: Scene, _state: PictureState = {}): void {}
  /** Removes what is shown. */
  clear(): void {}
  /** Another index of some axes; the old picture stays until the new one is there. */
  setAt(_at: Record<string, number>): void {}
  /** Live: no request. */
  setChannels(_channels: readonly SceneChannel[]): void {}
  /** Live: no request. */
  setField(_style: FieldStyle): void {}
  setLabels(_labels: readonly SceneLabel[]): void {}
  /** null: the level follows the zoom. */
  setLevel(_level: number | null): void {}
  /** Draws other axes, by position. */
  setPlane(_plane: { x: number; y: number }): void {}
  setGraticule(_visible: boolean): void {}
  setCoast(_visible: boolean): void {}
  /** Whether this scene can have a graticule and coast lines. */
  get isMap(): boolean {
    return false;
  }
  /** Reads the tiles of another step for the view on show. */
  async preload(_at: Record<string, number>): Promise<void> {}
  /** Resolves once every tile of the view is drawn. */
  async idle(): Promise<void> {}
  /** Of the values on show; null where there are none. */
  async limitsInView(): Promise<[number, number] | null> {
    return null;
  }
  fit(): void {}
  zoomBy(_factor: number): void {}
  /** In CSS pixels. */
  panBy(_dx: number, _dy: number): void {}
  camera(): Camera {
    return { x: 0, y: 0, resolution: 1 };
  }
  /** Removes the map and stops all reads. */
  dispose(): void {}
}
