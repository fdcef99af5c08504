/** Puts text on the clipboard. */

/** Resolves to false if the browser does not allow it, for example on a page without HTTPS. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
