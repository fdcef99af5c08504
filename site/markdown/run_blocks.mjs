/**
 * Puts `<RunBlock>` behind each block that runs, which adds *Run* and *Edit* to it. Pages are complete
 * without it. The code is not inside of it, because Vue would then make an element of each word when
 * a page loads.
 */
import { isCounted, programName, runningBlocks } from "../blocks.mjs";

/** A plugin for markdown-it, behind VitePress's own rules for fences. */
export function blocksThatRun(md) {
  const { fence: original } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, at, options, env, self) => {
    const html = original(tokens, at, options, env, self);
    const [language] = tokens[at].info.trim().split(/[\s{[]/);
    const page = `docs/${env.relativePath}`;
    if (!isCounted(language) || page.startsWith("docs/reference/")) return html;
    env.fence = (env.fence ?? -1) + 1;
    env.blocks ??= runningBlocks(page);
    const index = env.blocks.findIndex(({ fence }) => fence === env.fence);
    if (index < 0) return html;
    const draws = env.blocks[index].draws ? " draws" : "";
    return `<div class="run-block">${html}<RunBlock page="${programName(page)}" :block="${index}"${draws} /></div>`;
  };
}
