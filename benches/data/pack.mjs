/**
 * Packs a store into one response body, so that a page can load it at once: 4 bytes with the length
 * of the list, a JSON list of [key, length], and the values.
 */

const LENGTH = 4;

export function pack(store) {
  const list = new TextEncoder().encode(
    JSON.stringify([...store].map(([key, value]) => [key, value.length])),
  );
  const length = new Uint8Array(LENGTH);
  new DataView(length.buffer).setUint32(0, list.length, true);
  return [length, list, ...store.values()];
}

export function unpack(buffer) {
  const listLength = new DataView(buffer).getUint32(0, true);
  const list = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, LENGTH, listLength)));
  let at = LENGTH + listLength;
  return new Map(
    list.map(([key, length]) => {
      const value = new Uint8Array(buffer.slice(at, at + length));
      at += length;
      return [key, value];
    }),
  );
}
