/**
 * The blocks of the documentation that run on the site, page by page: which are one program, and
 * what each imports. `tests/support/docs/snippets.mjs` finds them.
 */
import { blocksOf, CODE, readPage } from "../tests/support/docs/snippets.mjs";

/** Blocks for browsers and blocks for Node are two programs of a page. On the site both run. */
const groupOf = ({ kind }) => (kind === "node" ? "node" : "browser");

const runs = ({ kind, isHtml, isForNodeAlone }) =>
  !["file", "lax", "types"].includes(kind) && !isHtml && !isForNodeAlone;

/**
 * The blocks of a page that run, hidden ones too: `{ code, group, isHidden, draws, fence }`. `fence`
 * counts the visible blocks of code of the page, so that a fence of the rendered page finds its own.
 */
export function runningBlocks(page) {
  let fences = 0;
  const blocks = blocksOf(page, readPage(page)).map((block) => ({
    ...block,
    fence: block.isHidden ? undefined : fences++,
  }));
  return blocks.filter(runs).map((block) => ({
    code: block.lines.join("\n"),
    group: groupOf(block),
    isHidden: block.isHidden,
    draws: block.kind === "draws",
    fence: block.fence,
  }));
}

/** Whether a fence with this name is one of those that `fence` counts. */
export const isCounted = (language) => language === "html" || CODE.has(language);

const IMPORT = /(?:from|import)\s+"([^".][^"]*)"/g;

/** The names of modules that blocks import. */
export const importedNames = (blocks) => [
  ...new Set(blocks.flatMap(({ code }) => [...code.matchAll(IMPORT)].map(([, name]) => name))),
];

/** The name of a page's programs: `docs/recipes/react.md` has `recipes-react`. */
export const programName = (page) =>
  page
    .replace(/^docs\//, "")
    .replace(/\.md$/, "")
    .replaceAll("/", "-");
