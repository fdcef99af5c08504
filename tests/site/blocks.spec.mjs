/**
 * Runs every block of the site that has *Run*, by the program that the build made for it, in the
 * frame that the site has for it. What a block draws must not be empty. `docs_snippets.test.mjs` and
 * `docs_pages.spec.mjs` compare the results with what the pages state.
 */
import { programName, runningBlocks } from "../../site/blocks.mjs";
import { expectPictures } from "../support/docs/pictures.mjs";
import { PAGES } from "../support/docs/snippets.mjs";
import { expect, test } from "./fixtures.mjs";

test.use({ viewport: { width: 800, height: 600 } });

/** Pages of the site with the blocks that are seen. */
const pages = PAGES.filter((page) => page.startsWith("docs/") && page !== "docs/README.md").map((page) => ({
  page,
  blocks: runningBlocks(page).flatMap(({ isHidden, draws }, at) => (isHidden ? [] : [{ at, draws }])),
}));

/** Runs in the frame, as a page of its own: imports a program. Resolves to what it posted. */
function messagesOf(program) {
  return new Promise((resolve) => {
    const messages = [];
    addEventListener("message", ({ data }) => {
      if (!data.kind) return;
      messages.push(data);
      if (data.kind === "done" || data.kind === "failed") resolve(messages);
    });
    postMessage({ program }, location.origin);
  });
}

for (const { page: name, blocks } of pages.filter((entry) => entry.blocks.length > 0))
  test(`the blocks of ${name} run`, async ({ page, site, faults }) => {
    for (const [run, { at, draws }] of blocks.entries()) {
      await page.goto("about:blank");
      await page.goto(`${site}run/frame.html#${run}`);
      await page.waitForFunction(() => "zarrRun" in globalThis);
      const program = `${site}run/programs/${programName(name)}-${at}.js`;
      const messages = await page.evaluate(messagesOf, program);
      const place = `${name}, block ${at}`;
      expect(messages.at(-1), place).toMatchObject({ kind: "done" });
      expect(messages.filter(({ kind }) => kind === "begun").length, place).toBe(1);
      if (draws) await expectPictures(page, place);
    }
    expect(faults).toEqual([]);
  });

test("the site has blocks to run", () => {
  const count = pages.reduce((sum, { blocks }) => sum + blocks.length, 0);
  expect(count).toBeGreaterThan(100);
});
