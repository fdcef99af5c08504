/**
 * The list of recent addresses in the browser's local storage, if the page may use it.
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
    // Private windows and full disks refuse. The list is only a convenience.
  }
}
