/**
 * Removes secrets from texts that people see: errors, warnings, and what a page shows of an
 * address. It is the only place that decides what of a URL is secret. Rust removes whole queries
 * when it names a URL (`redact` in `src/engine/store/http/url.rs`); all its texts pass here too.
 */

/**
 * What an address begins with. Browsers take fewer slashes, and backslashes, after the schemes that
 * the second form lists.
 */
const BEGINNINGS =
  /\b[a-z][a-z\d+.-]{0,20}:[\\/]{2,}|\b(?:https?|wss?|ftp|s3|gs|gcs):[\\/]*|(?<![\w:\\/])[\\/]{2,}/gi;

/** Host, port and user of an address end at one of these. */
const AUTHORITY_END = /[\s\\/?#]/g;

/** `name:` before what is no number: a user and a password that has a character of a path. */
const IS_USER = /^[^:@[\]]*:(?!\d*$)/;

/** Query and fragment. A quote or a bracket at the end is taken for that of the text around. */
const ENDINGS = /(?:(\?[^\s#]+?)|(?<=\S)(?=#))(#\S*?)?(["'>)\]]?[.,;:]?(?:\s|$))/g;

const indexFrom = (text: string, pattern: RegExp, start: number): number => {
  pattern.lastIndex = start;
  return pattern.exec(text)?.index ?? text.length;
};

/** The place after user name and password of the address that begins at `start`. */
function hostStart(text: string, start: number, end: number): number {
  const authority = text.slice(start, end);
  const at = authority.lastIndexOf("@");
  if (at >= 0) return start + at + 1;
  if (!IS_USER.test(authority)) return start;
  const later = text.indexOf("@", end);
  if (later < 0) return start;
  return later + text.slice(later, indexFrom(text, /\s/g, later)).lastIndexOf("@") + 1;
}

/** A text without the user names and passwords of its addresses. */
function withoutUsers(text: string): string {
  const kept: string[] = [];
  let done = 0;
  let authorityEnd = 0;
  const lastAt = text.lastIndexOf("@");
  for (const { index, 0: beginning } of text.matchAll(BEGINNINGS)) {
    const start = index + beginning.length;
    // An address within the host of another one, such as `https:https:…`.
    if (start < authorityEnd) continue;
    authorityEnd = indexFrom(text, AUTHORITY_END, start);
    const host = start > lastAt ? start : hostStart(text, start, authorityEnd);
    kept.push(text.slice(done, start));
    done = host;
    authorityEnd = Math.max(host, authorityEnd);
  }
  return kept.join("") + text.slice(done);
}

/** The names of a query's values stay, because they tell which are missing or wrong. */
const queryWithoutValues = (query: string): string =>
  query
    .slice(1)
    .split("&")
    .map((part) => {
      const [name = "", value] = part.split(/=(.*)/s);
      return value === undefined || /[:@]/.test(name) ? "…" : `${name}=…`;
    })
    .join("&");

/**
 * A text without user names, passwords, query values and fragments of its URLs. A URL ends at white
 * space; quotes and brackets may be part of it. Text without a URL stays as it is.
 */
export function withoutSecrets(text: string): string {
  if (text.search(BEGINNINGS) < 0) return text;
  // A path may have white space. So what looks like a query is one, wherever it stands.
  return withoutUsers(text).replace(ENDINGS, (_all, query = "", fragment = "", after = "") => {
    const values = query === "" ? "" : `?${queryWithoutValues(query)}`;
    return `${values}${fragment === "" ? "" : "#…"}${after}`;
  });
}

/**
 * The cause of an error. Browsers and Node write the whole address into errors about addresses;
 * such an error is replaced by one without secrets. All other values stay the same objects.
 */
export function causeWithoutSecrets(cause: unknown): unknown {
  if (!(cause instanceof TypeError)) return cause;
  const message = withoutSecrets(cause.message);
  const isSafe = message === cause.message && !isOfAddress(cause) && !isOfAddress(cause.cause);
  return isSafe ? cause : new TypeError(message);
}

/** Whether this is Node's error about an address, which has it as `input`. */
const isOfAddress = (cause: unknown) => typeof (cause as { input?: unknown } | null)?.input === "string";
