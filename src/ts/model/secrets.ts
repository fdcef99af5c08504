/**
 * Removes secrets from texts that people see: errors, warnings, and what a page shows of an
 * address. It is the only place that decides what of a URL is secret. Rust removes whole queries
 * when it names a URL (`redact` in `src/store/http/url.rs`); all its texts pass here too.
 */

/** A URL in a text: scheme, user and password, host and path, query, fragment. */
const URLS =
  /\b([a-z][a-z\d+.-]{0,20}:\/\/)(?:[^\s/?#"'<>]*@)?([^\s?#"'<>]*)(\?[^\s#"'<>]*)?(#[^\s"'<>]*)?/gi;

/** The names of a query's values stay, because they tell which are missing or wrong. */
const queryWithoutValues = (query: string): string =>
  query
    .slice(1)
    .split("&")
    .map((part) => {
      const [name = "", value] = part.split(/=(.*)/s);
      return value === undefined ? "…" : `${name}=…`;
    })
    .join("&");

/**
 * A text with its URLs without user names, passwords, query values and fragments. Text without a
 * URL stays as it is.
 */
export function withoutSecrets(text: string): string {
  if (!text.includes("://")) return text;
  return text.replace(URLS, (_url, scheme: string, place: string, query = "", fragment = "") => {
    const values = query === "" ? "" : `?${queryWithoutValues(query)}`;
    return `${scheme}${place}${values}${fragment === "" ? "" : "#…"}`;
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
