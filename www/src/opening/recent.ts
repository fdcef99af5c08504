/**
 * Addresses that were opened before, kept by the browser where it keeps anything: a page may be
 * forbidden to.
 */

const KEY = "zarr-viewer.recent";
const MOST = 8;

export function recentSources(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    if (!Array.isArray(kept)) return [];
    return kept.filter((source): source is string => typeof source === "string").slice(0, MOST);
  } catch {
    return [];
  }
}

export function rememberSource(source: string): void {
  write([source, ...recentSources().filter((other) => other !== source)].slice(0, MOST));
}

export function forgetSources(): void {
  write([]);
}

function write(sources: string[]): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(sources));
  } catch {
    // Private windows and full disks keep nothing: the list is a convenience.
  }
}
