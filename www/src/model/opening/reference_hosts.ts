/**
 * Lists the servers that a document of references names, so that the page can ask before it sends
 * requests to them. It does not judge requests: the store gets the list as `allowHosts` and refuses
 * every other server, also one that this list has missed.
 */

import * as zarr from "zarr-wasm";
import { isObject, type Json } from "../scene/ome.js";
import { PageError } from "../text/errors.js";

/** Asks the user whether requests may be sent to these hosts. Rejects if the answer is no. */
export type AskHosts = (document: string, hosts: readonly string[], signal?: AbortSignal) => Promise<void>;

/** The user has not allowed the servers of a document. */
export class HostsRefusedError extends PageError {
  readonly title = "Not opened: its data is on other servers";
  readonly cure = "Open it again and choose Allow, if you trust it and the servers.";
}

/** Maximum number of hosts to ask about. A longer list would not be read. */
const MAX_HOSTS = 50;

/** The members of a document that may name a server. */
function* addressesOf(document: Json): Generator<unknown> {
  const refs = isObject(document.refs) ? document.refs : document;
  for (const reference of Object.values(refs)) if (Array.isArray(reference)) yield reference[0];
  for (const made of Array.isArray(document.gen) ? document.gen : []) if (isObject(made)) yield made.url;
  if (isObject(document.templates)) yield* Object.values(document.templates);
}

/** Inserts the texts of `templates` for names such as `{{u}}`. */
function inserted(address: string, templates: Json): string {
  return address.replace(/\{\{\s*([\w.-]+)\s*\}\}/g, (whole, name: string) => {
    const text = Object.hasOwn(templates, name) ? templates[name] : undefined;
    return typeof text === "string" ? text : whole;
  });
}

/** The scheme and the server of an absolute address. */
const START = /^\s*(?:[a-z][a-z\d+.-]*:)?[/\\]{2}[^/\\?#]*/i;

/** The host of such a start, with a port that is not usual; null if it has none. */
function hostOf(start: string, base: string): string | null {
  const url = zarr.ReferenceStore.resolveUri(start.trim());
  if (!URL.canParse(url, base)) return null;
  const { host, protocol } = new URL(url, base);
  return /^https?:$/.test(protocol) && /^[\w.:[\]-]+$/.test(host) ? host : null;
}

/** The hosts that a document names, without that of `base`. None for other texts. */
export function hostsNamed(text: string, base: string): string[] {
  const document = parsed(text);
  const templates = isObject(document.templates) ? document.templates : {};
  const starts = new Set<string>();
  for (const address of addressesOf(document)) {
    // Ten thousand references have few servers, so most of them end here.
    const start = typeof address === "string" ? START.exec(inserted(address, templates))?.[0] : undefined;
    if (start !== undefined) starts.add(start);
  }
  const hosts = new Set([...starts].flatMap((start) => hostOf(start, base) ?? []));
  hosts.delete(new URL(base).host);
  return [...hosts].sort();
}

function parsed(text: string): Json {
  try {
    const document: unknown = JSON.parse(text);
    return isObject(document) ? document : {};
  } catch {
    return {}; // the store reports what is wrong with it
  }
}

/** The hosts that the user has allowed for a document. Rejects if the user has not. */
export async function allowedHosts(
  { name, text, base }: { name: string; text: string; base: string },
  ask: AskHosts,
  signal?: AbortSignal,
): Promise<string[]> {
  const hosts = hostsNamed(text, base);
  if (hosts.length > MAX_HOSTS)
    throw new HostsRefusedError(
      `${name} names ${hosts.length} servers. This page asks for ${MAX_HOSTS} at most.`,
    );
  if (hosts.length > 0) await ask(name, hosts, signal);
  return hosts;
}
