/**
 * Links public names in the text of the documentation to the reference: the first time that a page
 * has a name as code, outside of headings and of other links.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../scripts/run_command.mjs";

const ADDRESSES = join(ROOT, "target/site/pages/reference/addresses.json");

/** Names that the text also has as those of members, of codecs, or of data types. */
const OTHER_MEANINGS =
  /^(Array|at|Blosc|copy|get|GZip|LZ4|root|set|slice|String|Zlib|Zstd|(Uint|Int|Float)\d+)$/;

/** The public name that code in the text is: `open`, `open()` or `zarr.open`. */
const nameIn = (code) => /^(?:zarr\.)?(\w+)(?:\(\))?$/.exec(code)?.[1];

const readAddresses = () => (existsSync(ADDRESSES) ? JSON.parse(readFileSync(ADDRESSES, "utf8")) : {});

/** The tokens of a line of text, with links around names that `find` knows. */
function linked(tokens, find, Token) {
  let depth = 0;
  return tokens.flatMap((token) => {
    if (token.type === "link_open") depth += 1;
    if (token.type === "link_close") depth -= 1;
    const address = token.type === "code_inline" && depth === 0 ? find(token.content) : undefined;
    if (!address) return [token];
    const open = new Token("link_open", "a", 1);
    open.attrSet("href", address);
    return [open, token, new Token("link_close", "a", -1)];
  });
}

/** A plugin for markdown-it. */
export function linksToReference(md) {
  const addresses = readAddresses();
  md.core.ruler.push("reference", ({ tokens, env, Token }) => {
    if (env.relativePath?.startsWith("reference/")) return;
    const seen = new Set();
    const find = (code) => {
      const name = nameIn(code);
      if (!name || seen.has(name) || OTHER_MEANINGS.test(name) || !Object.hasOwn(addresses, name))
        return undefined;
      seen.add(name);
      return addresses[name];
    };
    for (const [at, token] of tokens.entries()) {
      const isHeading = tokens[at - 1]?.type === "heading_open";
      if (token.type === "inline" && !isHeading) token.children = linked(token.children, find, Token);
    }
  });
}
