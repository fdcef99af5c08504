/**
 * Gives jobs to pages in browsers without a driver. The page requests its next job (GET
 * /job/<page>, answered when there is one) and posts its result (`{value}` or `{error}` as JSON).
 */
import { text } from "node:stream/consumers";

/** A job that takes longer has failed: the browser has ended or hangs. */
const LIMIT_MS = 180_000;

/** The job of one page, and the page's open request. */
class JobQueue {
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

export class PageJobs {
  #queues = new Map();

  /** Resolves to the result of a job. A page can have one job at a time. */
  give(page, job) {
    return this.#queue(page).give(job);
  }

  async answer(request, response, page) {
    if (request.method === "GET") return this.#queue(page).ask(response);
    const done = JSON.parse(await text(request));
    response.end();
    this.#queue(page).told(done);
  }

  #queue(name) {
    if (!this.#queues.has(name)) this.#queues.set(name, new JobQueue());
    return this.#queues.get(name);
  }
}
