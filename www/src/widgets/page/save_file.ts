/** Saves a file that the page has made. */

const KEPT_MS = 60_000;

/** The name of a file, from the texts of a data set. */
export function fileName(parts: readonly string[], ending: string): string {
  const words = parts.flatMap((part) => part.split(/[^\p{L}\p{N}._]+/u));
  return `${words.filter(Boolean).join("-").slice(0, 100) || "zarr"}.${ending}`;
}

/** Offers the bytes as a download. */
export function saveFile(name: string, file: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser needs the URL until it has read the file.
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}
