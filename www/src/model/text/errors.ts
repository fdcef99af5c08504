/**
 * Describes errors for users: what happened, where, the usual cause, and what can be done. It also
 * keeps the package's message.
 *
 * It uses the error's `code`, of which each has a text of its own, and the fields that tell where
 * it happened. The HTTP status is in the message. What has no code is a fault of this page.
 */
import type { ErrorCode } from "zarr-wasm";

export interface Explanation {
  title: string;
  cause: string;
  cure: string;
  /** The package's message, for reports. */
  detail: string;
}

interface Coded {
  code?: unknown;
  message?: unknown;
  cause?: unknown;
  /** Where a `ZarrError` occurred. */
  path?: unknown;
  key?: unknown;
  field?: unknown;
  codec?: unknown;
  expected?: unknown;
  actual?: unknown;
}

export function isAbort(error: unknown): boolean {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return name === "AbortError" || code === "Aborted";
}

/** The text for a warning of the package. */
export function warningText(warning: string): string {
  if (!/ignores byte ranges/.test(warning)) return warning;
  const host = /https?:\/\/[^/\s]+/.exec(warning)?.[0] ?? "This server";
  return `${host} does not send parts of files. Each file is read whole, once, and kept: the first look takes longer.`;
}

/** An error of this page, which says itself what can be done. Its message is the cause. */
export abstract class PageError extends Error {
  abstract readonly title: string;
  abstract readonly cure: string;
}

export function explain(error: unknown, url: URL | null): Explanation {
  const detail = messages(error).join("\n");
  if (error instanceof PageError) {
    const { title, cure } = error;
    return { title, cause: detail, cure, detail: "" };
  }
  const where = url ? `${url.origin}${url.pathname}` : "this folder or file";
  const coded = codedIn(error);
  if (!coded || detail.startsWith(INTERNAL)) return { ...faultOf(where), detail };
  const { code } = coded;
  if (code === "Store") return { ...storeReason(detail, where, url), detail };
  if (code === "NotFound") return { ...absent(detail, where, url), detail };
  const { title, cause, cure } = ADVICE[code];
  return { title, cause: `${cause}${locationIn(coded)}`, cure, detail };
}

type Advice = Omit<Explanation, "detail">;

/** The codes whose texts depend on the code alone. */
type PlainCode = Exclude<ErrorCode, "Store" | "NotFound">;

const ADVICE: Record<PlainCode, Advice> = {
  Format: {
    title: "The data is damaged or not valid Zarr",
    cause: "What was read breaks a rule of the format, so that any picture of it would be made up.",
    cure: "The author of the data can check it with another reader. The message below names the place.",
  },
  Unsupported: {
    title: "This array uses something this page cannot decode",
    cause: "Its metadata names a codec, data type or extension that is not known here.",
    cure: "The message below names it. What could be read of the metadata is shown beside; other arrays may still open.",
  },
  Limit: {
    title: "This would need too much memory",
    cause: "A chunk or the metadata is larger than the limit that keeps the page alive.",
    cure: "Choose a coarser level or a smaller array. The numbers are in the message below.",
  },
  Argument: {
    title: "The parts of this data set do not fit together",
    cause:
      "Its metadata, or the rest of this page's address, asks for something that the array does not have: a level, an axis, an index or a reference system.",
    cure: "Choose another array beside, or open the data set again by its address alone. The message below says what does not fit.",
  },
  Aborted: {
    title: "The reading was stopped",
    cause: "It ended before all of the data was there. Nothing is wrong with the data.",
    cure: "Open the data set again.",
  },
};

/** The start of the message of an internal error of the package. */
const INTERNAL = "internal error of zarr-wasm";

/** A fault of this page's own programs. Opening the same again would meet it again. */
const faultOf = (where: string): Advice => ({
  title: "This page has a fault",
  cause: `Its own program failed at ${where}. That need not mean that the data is damaged.`,
  cure: "Please report the message below, with the address of the data. Other arrays may still open.",
});

const CODES: ReadonlySet<unknown> = new Set<ErrorCode>([
  ...(Object.keys(ADVICE) as PlainCode[]),
  "Store",
  "NotFound",
]);

/** The first error with a code: the error itself, or one of its causes. */
function codedIn(error: unknown): (Coded & { code: ErrorCode }) | undefined {
  return chainOf(error).find((each) => CODES.has(each.code)) as (Coded & { code: ErrorCode }) | undefined;
}

/** The most characters of a value in a sentence. The message below has all of it. */
const MAX_CHARACTERS = 200;

/**
 * Sentences with the location of an error and with the values there, as far as the error has them.
 */
function locationIn({ path, key, field, codec, expected, actual }: Coded): string {
  const shown = (before: string, value: unknown) =>
    typeof value === "string" && value !== "" ? [`${before}${value.slice(0, MAX_CHARACTERS)}`] : [];
  const location = [
    ...shown("at ", key ?? path),
    ...shown("in the field ", field),
    ...shown("in the codec ", codec),
  ];
  const values = [...shown("Expected: ", expected), ...shown("Found: ", actual)];
  const sentences = [...(location.length > 0 ? [`It is ${location.join(", ")}`] : []), ...values];
  return sentences.map((text) => ` ${text}.`).join("");
}

/** There is no node, and perhaps a web page. */
function absent(detail: string, where: string, url: URL | null): Advice {
  const page = between(detail, "where the server sends ", " in place of metadata");
  if (page) {
    return {
      title: "This is a page, not the data",
      cause: `At ${where} the server sends ${page.endsWith(",") ? page.slice(0, -1) : page}.`,
      cure: `Look there for the address of the data itself, which often ends in .zarr.${sentence(between(detail, "about them; ", " ("))}`,
    };
  }
  return {
    title: "No Zarr data here",
    cause: url
      ? `The server answered, but there is no zarr.json, .zarray or .zgroup at ${where}.`
      : "There is no zarr.json, .zarray or .zgroup in it.",
    cure: url
      ? "Check the spelling. The address must be that of the array or group itself, which often ends in .zarr, not of a page about it."
      : "Choose the folder of the array or group itself, which often ends in .zarr, not the one around it.",
  };
}

/** What is between two texts: up to the end of the line if the second is missing. */
function between(text: string, before: string, after: string): string | undefined {
  const [, rest] = text.split(before);
  return rest?.split("\n")[0]?.split(after)[0];
}

/** A remark of the package as a sentence, after another one. */
const sentence = (text: string | undefined) => (text ? ` ${text[0]?.toUpperCase()}${text.slice(1)}.` : "");

function storeReason(detail: string, where: string, url: URL | null): Advice {
  const hidden = between(detail, "): ", " sends no Access-Control-Allow-Origin");
  if (hidden && detail.startsWith("CORS: ")) {
    return {
      title: "The server lets no other site read this",
      cause: `${hidden.replace(/^the /, "The ")} answers, but without the header Access-Control-Allow-Origin (CORS), so the browser hides the answer from this page.`,
      cure: `Ask its owner to send Access-Control-Allow-Origin: * with every answer, also with 404, or use a mirror that does.${sentence(between(detail, "outside of a browser; ", " ("))}`,
    };
  }
  if (/the bucket is requester pays, so/.test(detail)) {
    return {
      title: "Readers of this bucket pay",
      cause: `${where} is in a requester-pays bucket, which sends nothing to visitors without an account.`,
      cure: "Look for a public copy of the data. A program can sign its requests and pay; this page does not.",
    };
  }
  const status = /\b(4\d\d|5\d\d)\b/.exec(detail)?.[1];
  if (status === "401" || status === "403") {
    return {
      title: `The server refuses access (${status})`,
      cause: `${where} needs a login, a signed address that has not run out, or does not exist in a bucket that hides that.`,
      cure: "Use a public address, or one with a fresh signature in its query.",
    };
  }
  if (status === "429" || status?.startsWith("5")) {
    return {
      title: `The server cannot answer now (${status})`,
      cause: "It is overloaded or broken; several attempts were made.",
      cure: "Wait a little, then open the data set again.",
    };
  }
  const title = `The server answered ${status}`;
  if (status) return { title, cause: `It would not give ${where}.`, cure: "Check the address." };
  return unreachable(where, url, detail.startsWith("network: "));
}

/** The browser hides why a request failed, so the text lists causes, the most likely first. */
function unreachable(where: string, url: URL | null, isSilent: boolean): Advice {
  const title = "The browser could not read this address";
  if (!navigator.onLine) {
    const cure = "Connect it to the network and open the address again.";
    return { title, cause: "This computer is offline.", cure };
  }
  if (url?.protocol === "http:" && location.protocol === "https:") {
    return {
      title,
      cause: "This page came over https, and browsers do not let such a page read plain http.",
      cure: "Try the same address with https.",
    };
  }
  if (url && isSilent) {
    return {
      title,
      cause: `There is no server at ${url.host}, it does not answer, or this browser forbids the request.`,
      cure: "Check the host's name, and try the address in a tab of its own.",
    };
  }
  const foreign = url !== null && url.origin !== location.origin;
  return {
    title,
    cause: foreign
      ? `Either there is no such server, or ${url.host} does not let pages of other sites read it (CORS).`
      : `The server of ${where} did not answer.`,
    cure: foreign
      ? "Check the host's name. Its owner can allow reading by sending the header Access-Control-Allow-Origin: * with every answer, also with 404."
      : "Check that the server is running.",
  };
}

/** An error and its causes, the outermost first. */
function chainOf(error: unknown): Coded[] {
  const chain: Coded[] = [];
  for (let at = error; at && chain.length < 5; at = (at as Coded).cause) chain.push(at as Coded);
  return chain;
}

/** The messages of an error and of its causes, without repetitions. */
function messages(error: unknown): string[] {
  const found: string[] = [];
  for (const each of chainOf(error)) {
    const text = typeof each.message === "string" ? each.message : String(each);
    if (text && !found.some((known) => known.includes(text))) found.push(text);
  }
  return found;
}
