/** Requests in words: their ranges and sizes. */

/** Bytes in a unit that people read. */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1e6 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(2)} MB`;
}

/** The header Range of a request in words: `0–99`, `the last 260`, or `whole`. */
export function rangeText(range: string): string {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? [];
  if (first === "" && last === "") return "whole";
  if (first === "") return `the last ${last}`;
  return last === "" ? `from ${first}` : `${first}–${last}`;
}
