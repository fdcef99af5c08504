/**
 * The program of the engine's worker. The page posts lists of messages to it. It follows the
 * program of decode workers and uses its modules; so does the file for `workerUrl`, which starts
 * workers of both roles. It imports no other module, so that it can start as a classic script.
 */
import type { ToEngine, ToPage } from "../port/protocol.ts";
import { PageLink } from "./page.ts";
import { EngineServer } from "./server.ts";
import { wire } from "./worker_wire.ts";

/** Messages of the engine, collected until the end of the turn. */
let outbox: ToPage[] = [];
let outgoing: ArrayBuffer[] = [];

function flush(): void {
  const [messages, transfer] = [outbox, outgoing];
  [outbox, outgoing] = [[], []];
  // Counters precede the answers whose work they count.
  const status = engine?.changedStatus();
  wire.post(status ? [{ type: "status", status }, ...messages] : messages, transfer);
}

function postSoon(message: ToPage, transfer: ArrayBuffer[] = []): void {
  if (outbox.length === 0) queueMicrotask(flush);
  outbox.push(message);
  outgoing.push(...transfer);
}

let engine: EngineServer | undefined;

wire.listen((messages) => {
  if (!Array.isArray(messages)) return;
  engine ??= new EngineServer(postSoon, new PageLink(postSoon));
  for (const message of messages as ToEngine[]) engine.receive(message);
});
