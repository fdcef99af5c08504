/** The description of a page, from its frontmatter: the first line that search engines show. */
export const descriptionOf = (text) =>
  /^---\n[\s\S]*?^description: *"?(.+?)"?$[\s\S]*?^---$/m.exec(text)?.[1];
