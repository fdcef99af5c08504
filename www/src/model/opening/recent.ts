/**
 * The list of recent addresses in the browser's local storage, if the page may use it. Addresses
 * with a user, a query or a fragment are not kept: these parts hold passwords and signatures, and
 * local storage is on the disk.
 */

import { parseAddress } from "./source.js";

const KEY = "zarr-viewer.recent";
const MAX_RECENT = 8;

/** Whether an address can have no secret in it. */
function isPublic(source: string): boolean {
  if (/[?#]/.test(source)) return false;
  try {
    const { username, password, search } = parseAddress(source, document.baseURI);
    return username === "" && password === "" && search === "";
  } catch {
    return false;
  }
}

export function recentSources(): string[] {
  return stored().filter(isPublic).slice(0, MAX_RECENT);
}

function stored(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter((source) => typeof source === "string") : [];
  } catch {
    return [];
  }
}

export function rememberSource(source: string): void {
  if (!isPublic(source)) return;
  write([source, ...recentSources().filter((other) => other !== source)].slice(0, MAX_RECENT));
}

export function forgetSources(): void {
  write([]);
}

/** Removes what earlier versions of the page have kept. Call it once at the start. */
export function dropSecretSources(): void {
  const kept = recentSources();
  if (kept.length < stored().length) write(kept);
}

function write(sources: string[]): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(sources));
  } catch {
    // Private windows and full disks refuse. The list is only a convenience.
  }
}
