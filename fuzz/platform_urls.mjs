/**
 * Judges URLs for the fuzz target `urls`: Node's `URL` is the parser of the platform. Each line of
 * the input is a question in JSON. The answer is a line with a text: the objection, or an empty one.
 */
import { createInterface } from "node:readline";

function parsed(url, base) {
  try {
    return new URL(url, base);
  } catch {
    return undefined;
  }
}

/** What becomes https URLs of public buckets. */
const BUCKET = /^[\0- ]*(s3|gs|gcs):\/\//i;
const BUCKET_HOSTS = /^([^/]*\.)?s3\.amazonaws\.com$|^storage\.googleapis\.com$/;

/** The server of a bucket of another provider, which has a port: `s3://host:443/bucket`. */
const OTHER_PROVIDER = /^[\0- ]*s3:\/\/([^/?#]*:\+?\d+)(?=[/?#]|$)/i;

const IS_HTTP = /^https?:$/;

/** A text that names a server. Others are names below the document's own server. */
const NAMES_SERVER = /^[\0- ]*([a-z][a-z\d+.-]*:)?\/\//i;

/** Our code reads backslashes and control characters as parts of a name, and `c:x` as a name. */
const IS_ORDINARY = /^(?![a-z][a-z\d+.-]*:(?!\/\/))[^\\\p{Cc}\s]*$/iu;

/** A path that ends with dots is a folder. Our code leaves out the slash at its end. */
const ENDS_IN_DOTS = /(^|\/)(\.|%2e){1,2}$/i;

/** Node 20 leaves some dots in paths that have empty names, which it should not. */
const HAS_DOTS = /\/(\.|%2e){1,2}(\/|$)/i;

const hasDots = (url) => url !== undefined && HAS_DOTS.test(new URL(url).pathname);

const isFolder = (url = "") => ENDS_IN_DOTS.test(url.replace(/[?#].*$/s, ""));

const serverOf = ({ protocol, username, password, host }) => `${protocol}//${username}:${password}@${host}`;

/** The path without slashes at its end, and the query. Both spellings of two characters are equal. */
const placeOf = ({ pathname, search }) =>
  `${pathname.replace(/\/+$/, "").replaceAll("|", "%7C").replaceAll("^", "%5E")}${search}`;

/** Whether a URL leads to the server of the bucket that `text` names. */
function isServerOfBucket(text, ours) {
  const [, authority] = OTHER_PROVIDER.exec(text) ?? [];
  const other = authority && parsed(`https://${authority}`);
  if (other) return serverOf(ours) === serverOf(other);
  return ours.protocol === "https:" && BUCKET_HOSTS.test(ours.host);
}

/** Compares what we made of `text` with what the platform makes of it. */
function compared(text, base, made) {
  const ours = parsed(made);
  // What the platform cannot read is not sent.
  if (!ours) return "";
  if (BUCKET.test(text)) return isServerOfBucket(text.trim(), ours) ? "" : "another server than a bucket's";
  if (base && !NAMES_SERVER.test(text) && serverOf(ours) !== serverOf(new URL(base)))
    return "a name leads to another server";
  const theirs = parsed(text, base);
  if (NAMES_SERVER.test(text) && theirs && serverOf(theirs) !== serverOf(ours))
    return `another server: ${theirs.href}`;
  const isCompared =
    IS_HTTP.test(ours.protocol) && IS_ORDINARY.test(text) && !isFolder(text) && !isFolder(base);
  if (!theirs || !isCompared || hasDots(base) || hasDots(theirs)) return "";
  return placeOf(theirs) === placeOf(ours) ? "" : `another place: ${theirs.href}`;
}

/** A key leads below the root, and to itself. */
function comparedKey(own, key, joined) {
  const [root, url] = [parsed(own), parsed(joined)];
  if (!root || !IS_HTTP.test(root.protocol) || HAS_DOTS.test(root.pathname)) return "";
  const isClosed = root.pathname === "/" || isFolder(own);
  const folder = isClosed ? root.pathname : `${root.pathname}/`;
  if (!url || serverOf(url) !== serverOf(root) || url.search !== root.search) return "a key leads elsewhere";
  if (!url.pathname.startsWith(folder)) return "a key leads out of its root";
  return decodeURIComponent(url.pathname.slice(folder.length)) === key ? "" : "a key leads to another key";
}

function judge({ document, own, reference, resolved, key, joined }) {
  const base = parsed(own) && own;
  const objections = [compared(document, undefined, own)];
  if (base && resolved !== null) objections.push(compared(reference, base, resolved));
  if (key !== null) objections.push(comparedKey(own, key, joined));
  const objection = objections.find((each) => each !== "");
  return objection ? `${objection}: ${JSON.stringify({ document, own, reference, resolved, joined })}` : "";
}

for await (const line of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify(judge(JSON.parse(line)))}\n`);
