/**
 * The language of the browser for libraries that pass it to Intl, as uPlot does when it loads.
 * WebKitGTK says "C" on a system without a language, which Intl refuses: then it is English.
 */
export function setKnownLanguage(): void {
  try {
    Intl.getCanonicalLocales(navigator.language);
  } catch {
    Object.defineProperty(navigator, "language", { value: "en", configurable: true });
  }
}
