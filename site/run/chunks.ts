/**
 * A picture that answers: drag a box over an array, and see which chunks it touches, which requests
 * follow, and what they cost. The read is a real one.
 */
import type * as Zarr from "zarr-wasm";
import type { RequestRecord } from "./recorder.ts";
import { bytesText, rangeText } from "./request_text.ts";
import { isOfSamples, onRecord, sampleUrl, setUp, zarr } from "./site_package.ts";

/** A box of elements: from the first to before the last. */
interface Box {
  y: [number, number];
  x: [number, number];
}

type Layout = "chunks" | "shards";

const SIDE = 1024;
const CHUNK = 128;
const SHARD = 512;
const STEP = 16;

setUp({ light: false });

const element = <E extends Element>(selector: string): E => {
  const found = document.querySelector<E>(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return found;
};

const canvas = element<HTMLCanvasElement>("#array");
const context = canvas.getContext("2d") as CanvasRenderingContext2D;
const scale = canvas.width / SIDE;

let layout: Layout = "chunks";
let box: Box = { y: [300, 460], x: [430, 700] };
let picture: ImageBitmap | undefined;
let records: RequestRecord[] = [];
let current = new AbortController();

onRecord((record) => {
  if (isOfSamples(record)) records.push(record);
});

const openLayout = (name: Layout) =>
  zarr.open(sampleUrl(`layouts.zarr/${name}`), { kind: "array" }) as Promise<Zarr.Array<"int16">>;
const arrays = { chunks: openLayout("chunks"), shards: openLayout("shards") };

/** The heights as a picture: blue below the sea's surface, then green to white. */
async function drawHeights(): Promise<void> {
  const coarse = await zarr.open(sampleUrl("arctic.zarr/1/elevation"), { kind: "array" });
  const { data, shape } = await (coarse as Zarr.Array<"int16">).get();
  const [height = 0, width = 0] = shape;
  const image = new ImageData(width, height);
  for (let at = 0; at < data.length; at += 1) {
    const metres = data[at] ?? 0;
    const part = Math.min(Math.abs(metres) / 4000, 1);
    const colour =
      metres < 0
        ? [140 - 110 * part, 190 - 120 * part, 225 - 90 * part]
        : [110 + 145 * part, 150 + 105 * part, 100 + 155 * part];
    image.data.set([...colour, 255], at * 4);
  }
  picture = await createImageBitmap(image);
}

function drawLines(step: number, width: number): void {
  context.lineWidth = width;
  context.strokeStyle = "rgb(0 0 0 / 55%)";
  for (let at = 0; at <= SIDE; at += step) {
    context.strokeRect(at * scale, 0, 0, canvas.height);
    context.strokeRect(0, at * scale, canvas.width, 0);
  }
}

/** The first chunk along a dimension that a range touches, and the one after the last. */
const touched = ([start, stop]: [number, number]) => [Math.floor(start / CHUNK), Math.ceil(stop / CHUNK)];

function draw(): void {
  if (picture) context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  const [top = 0, bottom = 0] = touched(box.y);
  const [left = 0, right = 0] = touched(box.x);
  const side = CHUNK * scale;
  context.fillStyle = "rgb(255 214 0 / 35%)";
  context.fillRect(left * side, top * side, (right - left) * side, (bottom - top) * side);
  drawLines(CHUNK, 1);
  if (layout === "shards") drawLines(SHARD, 4);
  context.lineWidth = 3;
  context.strokeStyle = "#d4004f";
  const [width, height] = [box.x[1] - box.x[0], box.y[1] - box.y[0]];
  context.strokeRect(box.x[0] * scale, box.y[0] * scale, width * scale, height * scale);
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;

function showRequests(answer: string): void {
  element("#answer").textContent = answer;
  const rows = records.map(({ url, range, bytes, start, end }) => {
    const row = document.createElement("tr");
    const name = url.slice(sampleUrl(`layouts.zarr/${layout}/`).length);
    const parts = [name, rangeText(range), bytesText(bytes), `${(end - start).toFixed(0)} ms`];
    for (const text of parts) row.insertCell().textContent = text;
    return row;
  });
  const head = document.createElement("tr");
  for (const text of ["object", "bytes", "size", "time"]) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = text;
    head.append(cell);
  }
  element("#requests").replaceChildren(head, ...rows);
}

/** Reads the box, past all caches, and tells what that took. */
async function read(): Promise<void> {
  current.abort();
  current = new AbortController();
  const { signal } = current;
  const array = await arrays[layout];
  const selection = { y: zarr.slice(...box.y), x: zarr.slice(...box.x) };
  const plan = await array.plan(selection);
  records = [];
  await array.get(selection, { signal, cache: "reload" });
  // The records of the worker come by a channel of their own.
  await new Promise((resolve) => setTimeout(resolve, 50));
  if (signal.aborted) return;
  const fetched = records.reduce((sum, { bytes }) => sum + bytes, 0);
  const [height, width] = [box.y[1] - box.y[0], box.x[1] - box.x[0]];
  const lies = [counted(plan.chunkCount, "chunk")];
  if (layout === "shards") lies.push(counted(plan.objectCount, "shard"));
  showRequests(
    `${height} × ${width} elements are ${bytesText(plan.resultBytes)}. They lie in ${lies.join(" of ")}. ` +
      `${counted(records.length, "request")} fetched ${bytesText(fetched)}.`,
  );
}

const readSoon = () =>
  read().catch((error: unknown) => {
    if (!(error instanceof DOMException)) element("#answer").textContent = String(error);
  });

/** Bounds of a range inside the array, at least one element long. */
function bounded(from: number, to: number): [number, number] {
  const [low, high] = [Math.min(from, to), Math.max(from, to)].map((value) =>
    Math.round(Math.max(0, Math.min(value, SIDE))),
  ) as [number, number];
  return high > low ? [low, high] : [Math.min(low, SIDE - 1), Math.min(low, SIDE - 1) + 1];
}

function placeOf({ clientX, clientY }: PointerEvent): { x: number; y: number } {
  const { left, top, width } = canvas.getBoundingClientRect();
  const factor = SIDE / width;
  return { x: (clientX - left) * factor, y: (clientY - top) * factor };
}

canvas.addEventListener("pointerdown", (event) => {
  const from = placeOf(event);
  canvas.setPointerCapture(event.pointerId);
  const move = (moved: PointerEvent) => {
    const to = placeOf(moved);
    box = { y: bounded(from.y, to.y), x: bounded(from.x, to.x) };
    draw();
  };
  const end = (moved: PointerEvent) => {
    move(moved);
    canvas.removeEventListener("pointermove", move);
    readSoon();
  };
  canvas.addEventListener("pointermove", move);
  canvas.addEventListener("pointerup", end, { once: true });
});

/** The movement of each arrow key, along x and y. */
const ARROWS: Record<string, [number, number]> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
};

const board = element<HTMLElement>("#board");
board.tabIndex = 0; // for the keyboard
board.addEventListener("keydown", (event) => {
  const way = ARROWS[event.key];
  if (!way) return;
  event.preventDefault();
  const start = event.shiftKey ? 0 : 1;
  box = {
    x: bounded(box.x[0] + way[0] * start, box.x[1] + way[0]),
    y: bounded(box.y[0] + way[1] * start, box.y[1] + way[1]),
  };
  draw();
  readSoon();
});

for (const input of document.querySelectorAll<HTMLInputElement>("[name=layout]"))
  input.addEventListener("change", () => {
    layout = input.value as Layout;
    draw();
    readSoon();
  });

await drawHeights();
draw();
readSoon();
