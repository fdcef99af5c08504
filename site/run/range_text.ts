/** The header Range of a request in words: `0–99`, `the last 260`, or `whole`. */
export function rangeText(range: string): string {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? [];
  if (first === "" && last === "") return "whole";
  if (first === "") return `the last ${last}`;
  return last === "" ? `from ${first}` : `${first}–${last}`;
}
