/**
 * Makes the addresses in a page relative, so that the site works in any folder of a host. VitePress
 * writes them from the root of the host. This is a hook of VitePress (`transformHtml`); an HTML
 * parser finds the attributes.
 */
import { relative } from "node:path";
import { RewritingStream } from "parse5-html-rewriting-stream";

const ADDRESSES = new Set(["href", "src", "content", "poster"]);

/** The way from a page to a file of the site. A link to a folder stays one. */
function relativeTo(page, address) {
  const [path, rest] = /^([^?#]*)(.*)$/.exec(address).slice(1);
  const up = "../".repeat(page.split("/").length - 1);
  return `${up || "./"}${path.slice(1)}${rest}`;
}

const isFromRoot = (address) => address.startsWith("/") && !address.startsWith("//");

/** The page's HTML with relative addresses. `context` is VitePress's. */
export function relativeAddresses(html, file, { siteConfig }) {
  const page = relative(siteConfig.outDir, file).replaceAll("\\", "/");
  const rewriter = new RewritingStream();
  rewriter.on("startTag", (tag) => {
    for (const attribute of tag.attrs)
      if (ADDRESSES.has(attribute.name) && isFromRoot(attribute.value))
        attribute.value = relativeTo(page, attribute.value);
    rewriter.emitStartTag(tag);
  });
  const parts = [];
  rewriter.on("data", (part) => parts.push(part));
  return new Promise((resolve, reject) => {
    rewriter.on("end", () => resolve(parts.join("")));
    rewriter.on("error", reject);
    rewriter.end(html);
  });
}
