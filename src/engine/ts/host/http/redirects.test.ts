/**
 * Redirects as browsers show them: an answer with status 0, and, when `fetch` has followed, the
 * address of the answer. `tests/node/reach.test.mjs` has those that Node shows.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeOf, RedirectFollower } from "./redirects.ts";

/** A platform whose `fetch` follows to an address, or shows that there is a redirect. */
function following(address: string, { carriesHeaders = false } = {}) {
  const sent: string[] = [];
  const send = async (request: Request) => {
    sent.push(`${request.redirect} ${[...request.headers.keys()].join()}`);
    const isHidden = request.redirect === "manual";
    const answer = new Response("x");
    Object.defineProperty(answer, "status", { value: isHidden ? 0 : 200 });
    if (!isHidden) Object.defineProperty(answer, "redirected", { value: true });
    return Object.defineProperty(answer, "url", { value: isHidden ? "" : address });
  };
  const judge = judgeOf({ hosts: ["a.example", ".b.example"], protocols: [] });
  const travel = { judge, carriesHeaders, isMeantFor: () => true, isOwnFetch: false, tell: () => {} };
  return { sent, follower: new RedirectFollower(send, travel) };
}

const headers = { Authorization: "secret", "X-Token": "secret", Range: "bytes=0-1" };

test("an answer is refused if a redirect led to http, or to a server that is not allowed", async () => {
  for (const redirect of ["follow", "manual"] as const) {
    for (const [address, code] of [
      ["http://a.example/x", "Store"],
      ["https://evil.example/x", "Argument"],
      ["https://b.example/x", "Argument"],
      ["https://a.example:8443/x", "Argument"],
    ] as const) {
      const { follower } = following(address);
      await assert.rejects(
        follower.send(new Request("https://a.example/y", { redirect })),
        { code },
        address,
      );
    }
    for (const address of ["https://a.example/x", "https://x.b.example/x"]) {
      const { follower } = following(address);
      assert.equal((await follower.send(new Request("https://a.example/y", { redirect }))).url, address);
    }
  }
});

test("a hidden redirect is followed with no header of the user but Authorization", async () => {
  const { follower, sent } = following("https://a.example/x", { carriesHeaders: true });
  await follower.send(new Request("https://a.example/y", { redirect: "manual", headers }));
  assert.deepEqual(sent, ["manual authorization,range,x-token", "follow authorization,range"]);
});
