/**
 * Runs before a page is shown. It finds the address of the site, for scripts that need it, and
 * chooses between light and dark, so that the page does not flash. It is a file, because strict
 * policies allow no inline scripts.
 */
globalThis.siteBase = new URL("./", document.currentScript.src).pathname;
const theme = localStorage.getItem("vitepress-theme-appearance") || "auto";
const prefersDark = matchMedia("(prefers-color-scheme: dark)").matches;
document.documentElement.classList.toggle("dark", theme === "auto" ? prefersDark : theme === "dark");
document.documentElement.classList.toggle("mac", /Mac|iPhone|iPod|iPad/i.test(navigator.platform));
