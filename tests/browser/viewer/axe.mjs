/** Checks the accessibility of a driven page with axe-core, in both colour schemes. */
import axe from "axe-core";

/** Runs in the page: what axe-core finds, with the elements. Only colours depend on the scheme. */
async function findingsNow(colorScheme) {
  const options = colorScheme === "dark" ? { runOnly: ["color-contrast"] } : {};
  const { violations } = await globalThis.axe.run(options);
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(" ")}`,
  );
}

/** Resolves to what axe-core finds, by colour scheme; an empty list if all is well. */
export async function accessibilityFindings(page) {
  // A script element would need the page's policy to allow it.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe.source);
  const found = [];
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    for (const finding of await page.evaluate(findingsNow, colorScheme))
      found.push(`${colorScheme}: ${finding.slice(0, 600)}`);
  }
  await page.emulateMedia({ colorScheme: "light" });
  return found;
}
