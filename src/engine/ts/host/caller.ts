/**
 * Runs the engine on the caller's thread: the same server, behind a channel that passes messages by
 * reference.
 */

import type { Channel, ToEngine, ToPage } from "../port/protocol.ts";
import { NOBODY, type WorkerListener } from "../port/worker_start.ts";
import { PageLink } from "./page.ts";
import { EngineServer } from "./server.ts";

/** The waiting times of this engine, which is a published file of its own. Tests shorten them. */
export { TIMEOUTS } from "../port/timeouts.ts";

const ignore = () => {};

/** Opens a channel to an engine on this thread. */
export async function openCaller(startup: Extract<ToEngine, { type: "start" }>): Promise<Channel> {
  let listener: WorkerListener<ToPage[]> = NOBODY;
  const channel: Channel = {
    kind: "caller",
    isLocal: true,
    post: (messages) => {
      for (const message of messages) server.receive(message);
    },
    hold: ignore,
    close: () => server.close(),
    listen: (to) => {
      listener = to;
    },
    status: () => server.status(),
    oncall: () => undefined,
  };
  const post = (message: ToPage) => listener.heard([message]);
  const page = new PageLink(post, (target, args) => channel.oncall?.(target, args));
  const server = new EngineServer(post, page);
  server.receive(startup);
  return channel;
}
