/**
 * Checks the links of the built site: each address of each page leads to a file of the site, and
 * its fragment to an element there. Pages that are not made here (the crates, the viewer, the
 * examples) are only led to.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { SAXParser } from "parse5-sax-parser";
import { StepFailed, say } from "../scripts/run_command.mjs";

const FOREIGN = ["rust/", "view/", "examples/", "run/", "samples/"];
const ADDRESSES = ["href", "src", "poster"];

/** The addresses that a page names, and the ids of its elements. */
function contentsOf(file) {
  const [addresses, ids] = [[], new Set()];
  const parser = new SAXParser();
  parser.on("startTag", ({ attrs }) => {
    for (const { name, value } of attrs) {
      if (ADDRESSES.includes(name)) addresses.push(value);
      if (name === "id") ids.add(value);
    }
  });
  parser.end(readFileSync(file, "utf8"));
  return { addresses, ids };
}

/** The file that a path of the site stands for. */
function fileAt(path) {
  if (existsSync(path) && statSync(path).isDirectory()) return join(path, "index.html");
  return path;
}

/** What is wrong with an address of a page; undefined if it leads somewhere. */
function faultOf(site, page, address, contents) {
  if (/^([a-z]+:|\/\/)/i.test(address)) return undefined;
  const [path, fragment] = address.split("#");
  const [name] = path.split("?");
  if (name.startsWith("/")) return `${address} begins at the root of the host`;
  const target =
    name === "" ? page : fileAt(join(site, dirname(relative(site, page)), decodeURIComponent(name)));
  if (!existsSync(target)) return `there is no ${relative(site, target)} (${address})`;
  const isOwn = contents.has(target);
  if (fragment && isOwn && !contents.get(target).ids.has(decodeURIComponent(fragment)))
    return `${relative(site, target)} has no #${fragment}`;
  return undefined;
}

/** Throws unless every address of the site leads somewhere. */
export async function checkLinks(site) {
  const pages = readdirSync(site, { recursive: true })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".html") && !FOREIGN.some((folder) => name.startsWith(folder)))
    .map((name) => join(site, name));
  const contents = new Map(pages.map((page) => [page, contentsOf(page)]));
  const faults = pages.flatMap((page) =>
    [...new Set(contents.get(page).addresses)]
      .map((address) => faultOf(site, page, address, contents))
      .filter(Boolean)
      .map((fault) => `${relative(site, page)}: ${fault}`),
  );
  if (faults.length > 0) throw new StepFailed(`links that lead nowhere:\n${faults.join("\n")}`);
  say(`· the links of ${pages.length} pages lead somewhere`);
}
