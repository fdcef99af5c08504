/**
 * Reads and edits wasm modules by section: it measures their code and removes unneeded parts.
 */

/**
 * The sections of a module: id, name if custom, and the positions of the content and of the whole
 * section.
 */
function* sections(bytes) {
  const reader = new Reader(bytes, 8);
  while (reader.at < bytes.length) {
    const start = reader.at;
    const id = reader.byte();
    const length = reader.number();
    const end = reader.at + length;
    const name = id === 0 ? reader.text() : undefined;
    yield { id, name, start, content: reader.at, end };
    reader.at = end;
  }
}

class Reader {
  constructor(bytes, at) {
    this.bytes = bytes;
    this.at = at;
  }

  byte() {
    return this.bytes[this.at++];
  }

  /** Reads an unsigned LEB128 number. */
  number() {
    for (let value = 0, scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  text() {
    const length = this.number();
    this.at += length;
    return new TextDecoder().decode(this.bytes.subarray(this.at - length, this.at));
  }
}

/** Size in bytes of each function's body, in order. */
function bodies(bytes, { content }) {
  const reader = new Reader(bytes, content);
  return Array.from({ length: reader.number() }, () => {
    const length = reader.number();
    reader.at += length;
    return length;
  });
}

/** Function names by index. Imported functions precede those with a body. */
function namesOf(bytes, { content, end }) {
  const reader = new Reader(bytes, content);
  while (reader.at < end) {
    const kind = reader.byte();
    const next = reader.number() + reader.at;
    if (kind === 1) {
      return new Map(Array.from({ length: reader.number() }, () => [reader.number(), reader.text()]));
    }
    reader.at = next;
  }
  return new Map();
}

function roomOf(name) {
  if (/^(ZSTD|HUF|FSE|HIST|POOL|ERR|rust_zstd)/.test(name)) return "zstd (C)";
  if (name.includes("zarr_wasm_kernel")) return "kernel";
  return /\bzarr_wasm(?:_engine|_conventions)?::([a-z_]+)/.exec(name)?.[1] ?? "libraries";
}

/**
 * Bytes of code by room of `src/`, the largest first, for a module with function names. An instance
 * of a library's generic function counts for the first room in its name.
 */
export function roomsOf(bytes) {
  const found = [...sections(bytes)];
  const names = namesOf(
    bytes,
    found.find(({ name }) => name === "name"),
  );
  const sizes = bodies(
    bytes,
    found.find(({ id }) => id === 10),
  );
  const imported = Math.max(...names.keys()) + 1 - sizes.length;
  const rooms = {};
  for (const [idx, size] of sizes.entries()) {
    const room = roomOf(names.get(idx + imported) ?? "");
    rooms[room] = (rooms[room] ?? 0) + size;
  }
  const data = found.find(({ id }) => id === 11);
  if (data) rooms.constants = data.end - data.content;
  return Object.fromEntries(Object.entries(rooms).sort(([, one], [, other]) => other - one));
}

/** Writes a number as unsigned LEB128. */
function written(number) {
  const bytes = [];
  let rest = number;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

/** Removes exports by name, so that code that only they use can be dropped. */
export function withoutExports(bytes, pattern) {
  const exports = [...sections(bytes)].find(({ id }) => id === 7);
  if (!exports) return bytes;
  const reader = new Reader(bytes, exports.content);
  const kept = [];
  for (let left = reader.number(); left > 0; left -= 1) {
    const start = reader.at;
    const name = reader.text();
    reader.byte();
    reader.number();
    if (!pattern.test(name)) kept.push(bytes.subarray(start, reader.at));
  }
  const content = Buffer.concat([written(kept.length), ...kept]);
  const section = Buffer.concat([Buffer.from([7]), written(content.length), content]);
  return Buffer.concat([bytes.subarray(0, exports.start), section, bytes.subarray(exports.end)]);
}

/** Removes the function names and the other custom sections. */
export function withoutNames(bytes) {
  const kept = [...sections(bytes)].filter(({ id }) => id !== 0);
  const parts = [bytes.subarray(0, 8), ...kept.map(({ start, end }) => bytes.subarray(start, end))];
  return Buffer.concat(parts);
}
