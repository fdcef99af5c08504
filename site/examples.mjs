/**
 * Publishes the examples with the site. Their pages have scripts and import maps in them, to be
 * copied as they are; a strict policy refuses both. So the script of each page becomes a file
 * beside it, with addresses in the place of names. The page still shows its source as it was.
 */
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { RewritingStream } from "parse5-html-rewriting-stream";
import { withModules } from "./run/program.mjs";

const attributeOf = ({ attrs }, name) => attrs.find((attribute) => attribute.name === name)?.value;

/** What a script element of a page is; undefined if it stays as it is. */
function kindOf(tag) {
  const type = attributeOf(tag, "type");
  if (type === "importmap") return "map";
  return type === "module" && attributeOf(tag, "src") === undefined ? "code" : undefined;
}

/** A page without its inline scripts: `{html, map, code}`. `name` is its file's, without ending. */
function separated(page, name) {
  const [parts, taken] = [[], { map: "", code: "" }];
  const stream = new RewritingStream();
  let inside;
  stream.on("data", (part) => parts.push(part));
  stream.on("startTag", (tag) => {
    if (tag.tagName === "script") inside = kindOf(tag);
    if (inside === "map") return;
    if (inside === "code") tag.attrs.push({ name: "src", value: `./${name}.code.js` });
    if (tag.tagName === "body") tag.attrs.push({ name: "data-source", value: `./${name}.html.txt` });
    stream.emitStartTag(tag);
  });
  stream.on("text", (_, raw) => {
    if (inside) taken[inside] += raw;
    else stream.emitRaw(raw);
  });
  stream.on("endTag", (tag) => {
    if (inside !== "map") stream.emitEndTag(tag);
    inside = undefined;
  });
  return new Promise((resolve, reject) => {
    stream.on("error", reject);
    stream.on("end", () => resolve({ html: parts.join(""), ...taken }));
    stream.end(page);
  });
}

async function publishPage(folder, file) {
  const name = file.replace(/\.html$/, "");
  const page = readFileSync(join(folder, file), "utf8");
  const { html, map, code } = await separated(page, name);
  const { imports = {} } = map === "" ? {} : JSON.parse(map);
  writeFileSync(join(folder, `${file}.txt`), page);
  writeFileSync(join(folder, file), html);
  writeFileSync(
    join(folder, `${name}.code.js`),
    withModules(code, (module) => imports[module] ?? module),
  );
}

/** Copies the built examples, and makes their pages fit a strict policy. */
export async function publishExamples(source, folder) {
  const isFile = (path) => ![".gz", ".br"].includes(extname(path));
  cpSync(source, folder, { recursive: true, filter: isFile });
  const pages = readdirSync(folder).filter((name) => name.endsWith(".html") && name !== "index.html");
  for (const page of pages) await publishPage(folder, page);
}
