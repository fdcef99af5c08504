/**
 * Errands for pages in browsers that are started without a driver: the page asks for the next one (GET /errand/<desk>, answered
 * when there is one) and tells what came of it (POST, `{value}` or `{error}` as JSON).
 */
import { text } from "node:stream/consumers";

/** An errand that takes longer has failed: the browser has ended or hangs. */
const LIMIT_MS = 180_000;

class Desk {
  #job;
  #waiting;
  #settle;

  give(job) {
    this.#job = job;
    this.#hand();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no answer to ${JSON.stringify(job)}`)), LIMIT_MS);
      this.#settle = ({ value, error }) => {
        clearTimeout(timer);
        if (error === undefined) resolve(value);
        else reject(new Error(error));
      };
    });
  }

  ask(response) {
    this.#waiting = response;
    this.#hand();
  }

  told(done) {
    this.#settle?.(done);
  }

  #hand() {
    if (this.#job === undefined || this.#waiting === undefined) return;
    this.#waiting.end(JSON.stringify(this.#job));
    this.#job = undefined;
    this.#waiting = undefined;
  }
}

export class Errands {
  #desks = new Map();

  /** Resolves to what the page made of it. One at a time a desk. */
  give(desk, job) {
    return this.#desk(desk).give(job);
  }

  async answer(request, response, desk) {
    if (request.method === "GET") return this.#desk(desk).ask(response);
    const done = JSON.parse(await text(request));
    response.end();
    this.#desk(desk).told(done);
  }

  #desk(name) {
    if (!this.#desks.has(name)) this.#desks.set(name, new Desk());
    return this.#desks.get(name);
  }
}
