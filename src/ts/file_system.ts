/**
 * A folder as a store. Keys are paths below it: one that would lead out of it is refused.
 */
import { mkdir, open, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { ZarrError } from "./errors.ts";
import type { AbsolutePath, AsyncMutable, RangeQuery } from "./types.ts";

/** There is no file of this name: also where a folder stands in its place, or a file in a folder's. */
const isAbsent = (error: unknown) =>
  ["ENOENT", "EISDIR", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");

async function orUndefined<T>(value: Promise<T>): Promise<T | undefined> {
  try {
    return await value;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

export class FileSystemStore implements AsyncMutable {
  readonly root: string;

  constructor(root: string | URL) {
    this.root = root instanceof URL ? fileURLToPath(root) : root;
  }

  get(key: AbsolutePath): Promise<Uint8Array | undefined> {
    return orUndefined(readFile(this.#path(key)));
  }

  getRange(key: AbsolutePath, range: RangeQuery): Promise<Uint8Array | undefined> {
    return orUndefined(this.#readRange(this.#path(key), range));
  }

  async has(key: AbsolutePath): Promise<boolean> {
    const found = await orUndefined(stat(this.#path(key)));
    return found?.isFile() ?? false;
  }

  async set(key: AbsolutePath, value: Uint8Array): Promise<void> {
    const path = this.#path(key);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, value);
  }

  async delete(key: AbsolutePath): Promise<boolean> {
    const found = await this.has(key);
    if (found) await rm(this.#path(key));
    return found;
  }

  #path(key: string): string {
    const root = resolve(this.root);
    const path = join(root, ...key.split("/").filter((segment) => segment !== ""));
    const isInside = path.startsWith(root.endsWith(sep) ? root : root + sep);
    if (isInside && !key.includes("\0")) return path;
    throw new ZarrError("Argument", `the key ${JSON.stringify(key)} leads out of the store`, { key });
  }

  async #readRange(path: string, range: RangeQuery): Promise<Uint8Array> {
    const file = await open(path, "r");
    try {
      const { size } = await file.stat();
      const isSuffix = "suffixLength" in range;
      const start = isSuffix ? Math.max(0, size - range.suffixLength) : Math.min(range.offset, size);
      const end = isSuffix ? size : Math.min(size, start + range.length);
      const bytes = new Uint8Array(end - start);
      const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
      return bytes.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }
}

export default FileSystemStore;
