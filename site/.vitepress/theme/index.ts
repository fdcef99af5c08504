/** The theme: VitePress's own without its fonts, with the blocks that run and the home page. */
import type { Theme } from "vitepress";
import DefaultTheme from "vitepress/theme-without-fonts";
import { followSiteBase } from "./base.ts";
import EmbeddedPage from "./EmbeddedPage.vue";
import Gallery from "./Gallery.vue";
import Home from "./Home.vue";
import RunBlock from "./RunBlock.vue";
import VersionMenu from "./VersionMenu.vue";
// Behind VitePress's own styles, which it changes.
import "./style.css";

export default {
  extends: DefaultTheme,
  enhanceApp({ app, router, siteData }) {
    followSiteBase(router, siteData);
    app.component("RunBlock", RunBlock);
    app.component("EmbeddedPage", EmbeddedPage);
    app.component("Gallery", Gallery);
    app.component("Home", Home);
    app.component("VersionMenu", VersionMenu);
  },
} satisfies Theme;
