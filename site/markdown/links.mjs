/**
 * Links of the pages as GitHub needs them, for the site: a link to a file that is no page leads to
 * the file at GitHub, and one to an example leads to the example on the site.
 */
import { dirname, join, relative } from "node:path";

const FILES = "https://github.com/zarr-wasm/zarr-wasm/blob/main/";
const EXAMPLES = "www/examples/";

/** Where a page lies in the repository. The change log is outside of `docs/`. */
const folderOf = (page) => (page === "changelog.md" ? "." : join("docs", dirname(page)));

/** The way from a page of the site to another, whose path in the repository is given. */
function pageAddress(page, target) {
  if (target === "docs/README.md") return "/";
  const way = relative(dirname(page), target.slice("docs/".length)).replaceAll("\\", "/");
  return way.startsWith(".") ? way : `./${way}`;
}

/** The address on the site of a link. `page` is the path of its page below `docs/`. */
export function siteAddress(page, link) {
  if (link.startsWith(`${FILES}docs/`)) return pageAddress(page, link.slice(FILES.length));
  if (/^([a-z]+:|#|\/)/i.test(link)) return link;
  const [path, anchor = ""] = link.split(/(?=#)/);
  const target = join(folderOf(page), path).replaceAll("\\", "/");
  if (target.startsWith("docs/pictures/")) return `/${target.slice("docs/".length)}`;
  if (/^docs\/.*(\.md|\/)$/.test(target)) return pageAddress(page, target) + anchor;
  if (target.startsWith(EXAMPLES)) return `/examples/${target.slice(EXAMPLES.length)}`;
  return `${FILES}${target}${anchor}`;
}

/** A plugin for markdown-it. It runs before VitePress's own rules for links. */
export function linksToSources(md) {
  const { link_open: original } = md.renderer.rules;
  md.renderer.rules.link_open = (tokens, at, options, env, self) => {
    const token = tokens[at];
    const address = siteAddress(env.relativePath, token.attrGet("href") ?? "");
    token.attrSet("href", address);
    // VitePress's router must not take what is no page of its own.
    if (/^\/(examples|view|samples)\//.test(address)) token.attrSet("target", "_self");
    return original(tokens, at, options, env, self);
  };
  const { image } = md.renderer.rules;
  md.renderer.rules.image = (tokens, at, options, env, self) => {
    const source = tokens[at].attrGet("src") ?? "";
    tokens[at].attrSet("src", siteAddress(env.relativePath, source));
    return image(tokens, at, options, env, self);
  };
}
