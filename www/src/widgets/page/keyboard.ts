/**
 * Keyboard control of the focused picture: arrows pan while they are pressed, plus and minus zoom,
 * 0 shows all, Enter chooses the point in the middle. Panning depends on time, so a slow machine
 * pans as far as a fast one.
 */

export interface Moves {
  panBy(dx: number, dy: number): void;
  zoomBy(factor: number): void;
  fit(): void;
  pickMiddle(): void;
}

/** The directions of the arrow keys: x to the right, y downwards. */
export const DIRECTIONS: Record<string, readonly [x: number, y: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** CSS pixels per second, without and with Shift. */
const SPEED = 600;
const FAST = 1800;
/** Least movement of a short press, in CSS pixels. That of one frame would not be visible. */
const FIRST_STEP_MS = 50;
const ZOOM = 1.5;

export function moveByKeys(target: HTMLElement, moves: Moves): void {
  const held = new Set<string>();
  let speed = SPEED;
  let frame = 0;
  let last = 0;

  const step = (milliseconds: number) => {
    let [dx, dy] = [0, 0];
    for (const key of held) {
      dx += DIRECTIONS[key]?.[0] ?? 0;
      dy += DIRECTIONS[key]?.[1] ?? 0;
    }
    const length = (speed * milliseconds) / 1000;
    if (dx !== 0 || dy !== 0) moves.panBy(dx * length, dy * length);
  };
  const onFrame = (now: number) => {
    step(Math.min(now - last, 100));
    last = now;
    frame = held.size > 0 ? requestAnimationFrame(onFrame) : 0;
  };
  const release = () => held.clear();

  target.addEventListener("keydown", (event) => {
    if (event.target !== target || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in DIRECTIONS) {
      speed = event.shiftKey ? FAST : SPEED;
      if (!held.has(event.key)) {
        held.add(event.key);
        step(FIRST_STEP_MS);
      }
      if (frame === 0) {
        last = performance.now();
        frame = requestAnimationFrame(onFrame);
      }
    } else if (event.key === "+" || event.key === "=") moves.zoomBy(ZOOM);
    else if (event.key === "-" || event.key === "_") moves.zoomBy(1 / ZOOM);
    else if (event.key === "0" || event.key === "Home") moves.fit();
    else if (event.key === "Enter") moves.pickMiddle();
    else return;
    event.preventDefault();
  });
  target.addEventListener("keyup", (event) => held.delete(event.key));
  target.addEventListener("blur", release);
}
