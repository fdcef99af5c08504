/**
 * The program of a decode worker. The engine posts single messages to it. A list of messages is for
 * the engine, whose program follows this one in the engine's worker. It imports no module, so that
 * it can start as a classic script.
 */
import { wire } from "../worker_wire.ts";
import { DecodeServer } from "./decode_server.ts";
import type { ToDecoder } from "./messages.ts";

let decoder: DecodeServer | undefined;

wire.listen((message) => {
  if (Array.isArray(message)) return;
  decoder ??= new DecodeServer(wire.post);
  void decoder.handle(message as ToDecoder);
});
