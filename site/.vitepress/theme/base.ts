/**
 * The address of the site. VitePress takes it when it builds; here it is what `head.js` finds, so
 * that the built site works in any folder. Nothing here runs on the server.
 */
import type { Router, SiteData } from "vitepress";
import type { Ref } from "vue";

/** The path of the site on its host, with a slash at the end. */
export const siteBase = (): string => (globalThis as unknown as { siteBase: string }).siteBase;

/** The address of a file of the site. */
export const siteUrl = (path: string): string => new URL(siteBase() + path, location.href).href;

/** Results of the search have addresses from the root of the host. */
function correctResult({ target }: Event): void {
  const link = (target as Element).closest?.<HTMLAnchorElement>('.VPLocalSearchBox a[href^="/"]');
  const path = link?.getAttribute("href");
  if (link && path && !path.startsWith(siteBase())) link.href = siteBase() + path.slice(1);
}

/** Lets VitePress's router and links use the address of the site. */
export function followSiteBase(router: Router, siteData: Ref<SiteData>): void {
  const base = siteBase();
  if (typeof window === "undefined" || base === "/") return;
  siteData.value = { ...siteData.value, base };
  router.onBeforeRouteChange = (path) => {
    if (path.startsWith(base)) return true;
    router.go(base + path.slice(1));
    return false;
  };
  for (const kind of ["pointerdown", "focusin"]) addEventListener(kind, correctResult);
}
