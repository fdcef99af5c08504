/**
 * Removes secrets from texts that people see: errors, warnings, and what a page shows of an
 * address. It alone decides what of a URL is secret. Rust removes whole queries
 * when it names a URL (`redact` in `src/http/url.rs`); all its texts pass here
 * too.
 */

/**
 * Matches the beginning of an address, in three forms:
 *
 * 1. The end of any scheme: a colon and at least two slashes.
 * 2. A well-known scheme. Browsers accept a single slash, no slash, or backslashes after these, and
 *    people sometimes omit the colon.
 * 3. Two slashes without a scheme.
 */
const BEGINNINGS =
  /(?<=[a-z\d+.-]):[\\/]{2,}|\b(?:https?|wss?|ftp|s3|gs|gcs)(?::[\\/]*|[\\/]{2,})|(?<![\w:\\/])[\\/]{2,}/gi;

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

/**
 * What is shown before the rest of the address that begins at `start`, and where the rest begins.
 * What follows a colon and is no number is a password, also if its `@` was cut off.
 */
function hostStart(text: string, start: number, end: number, lastAt: number): [shown: string, rest: number] {
  const authority = text.slice(start, end);
  const at = authority.lastIndexOf("@");
  if (at >= 0) return ["", start + at + 1];
  if (!IS_USER.test(authority)) return ["", start];
  const later = end > lastAt ? -1 : text.indexOf("@", end);
  if (later < 0) return [authority.replace(/:.*/s, ":…"), end];
  return ["", later + text.slice(later, indexFrom(text, /\s/g, later)).lastIndexOf("@") + 1];
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
    const [shown, rest] = hostStart(text, start, authorityEnd, lastAt);
    kept.push(text.slice(done, start), shown);
    done = rest;
    authorityEnd = Math.max(rest, authorityEnd);
  }
  return kept.join("") + text.slice(done);
}

/**
 * A word without the user name and password of an address that lacks its scheme, or has it
 * mistyped. A drive of Windows is no user.
 */
function wordWithoutUser(word: string): string {
  const at = word.lastIndexOf("@");
  if (at < 0 || word.search(BEGINNINGS) >= 0) return word;
  const start = word.search(/[^"'`(<[{]/);
  const isUser = /:(?![\\/])./.test(word.slice(start, at));
  return isUser ? word.slice(0, start) + word.slice(at + 1) : word;
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
 * space; quotes and brackets may be part of it. Text without what may be a URL stays as it is.
 */
export function withoutSecrets(text: string): string {
  const worded = text.includes("@") ? text.replace(/\S+/g, wordWithoutUser) : text;
  if (worded.search(BEGINNINGS) < 0) return worded;
  // A path may have white space. So what looks like a query is one, wherever it stands.
  return withoutUsers(worded).replace(ENDINGS, (_all, query = "", fragment = "", after = "") => {
    const values = query === "" ? "" : `?${queryWithoutValues(query)}`;
    return `${values}${fragment === "" ? "" : "#…"}${after}`;
  });
}

/**
 * What is shown of a text that is not a valid address: its scheme, and what lies between the last
 * `@` and a query or white space.
 */
export function shownAddress(text: string): string {
  const [scheme = ""] = /^\s*(?:[a-z][\w+.-]*:)?[\\/]+/i.exec(text) ?? [];
  const rest = text.slice(Math.max(scheme.length, text.lastIndexOf("@") + 1)).trim();
  return withoutSecrets(scheme.trim() + rest.replace(/[?#\s].*/s, "…"));
}

/**
 * What browsers and Node say of a URL, which may have white space or lack its scheme: without what
 * is before its last `@`, and without what follows a query.
 */
function ofUrl(message: string): string {
  if (!/\bURL\b/.test(message)) return message;
  const start = message.search(/[\\/]{2}/) + 2;
  const at = message.lastIndexOf("@") + 1;
  const text = start > 1 && at > start ? message.slice(0, start) + message.slice(at) : message;
  const query = text.indexOf("?", start);
  const whole = query < 0 ? text : text.slice(0, query) + text.slice(query).replace(/\s.*/s, "");
  return whole.replace(/\S+/g, (word) => (word.search(BEGINNINGS) < 0 ? word.replace(/^.*@/, "") : word));
}

/**
 * The cause of an error. Browsers and Node write the whole address into errors about addresses;
 * such an error is replaced by one without secrets. All other values stay the same objects.
 */
export function causeWithoutSecrets(cause: unknown): unknown {
  try {
    if (!(cause instanceof TypeError)) return cause;
    const message = withoutSecrets(ofUrl(cause.message));
    const isSafe = message === cause.message && !isOfAddress(cause) && !isOfAddress(cause.cause);
    return isSafe ? cause : new TypeError(message);
  } catch {
    // It is the user's, and its getters throw.
    return cause;
  }
}

/** Whether this is Node's error about an address, which has it as `input`. */
const isOfAddress = (cause: unknown) => typeof (cause as { input?: unknown } | null)?.input === "string";
