/** The edited texts of the blocks of each page, as long as the site is open. */
const byPage = new Map<string, Map<number, string>>();

/** The edited texts of a page, by block. A block that is not in it is as the documentation has it. */
export function editedOf(page: string): Map<number, string> {
  const edited = byPage.get(page) ?? new Map<number, string>();
  byPage.set(page, edited);
  return edited;
}
