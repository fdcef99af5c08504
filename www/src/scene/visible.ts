/**
 * Bounds the number of channels and of label images that are drawn at a time. Metadata and the
 * page's URL can ask for a thousand, and each is read for each tile in view.
 */

/** Maximum number of channels that are mixed. */
export const MOST_MIXED = 64;
/** Maximum number of label images above the picture. */
export const MOST_LABELS = 16;

/** Hides the items after the first `most` visible ones. */
export function atMost<T extends { visible: boolean }>(items: readonly T[], most: number): T[] {
  let count = 0;
  return items.map((item) => {
    count += item.visible ? 1 : 0;
    return item.visible && count > most ? { ...item, visible: false } : item;
  });
}
