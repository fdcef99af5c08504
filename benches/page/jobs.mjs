/**
 * Performs the jobs of a page without a driver (line/page_jobs.mjs): requests one after the other
 * and sends their results. A job may visit another page of this origin, which leaves its result in
 * the session storage and returns here.
 */

const BACK = "back";
const VISITED = "visited";

function take(name) {
  const value = sessionStorage.getItem(name);
  sessionStorage.removeItem(name);
  return value;
}

function visit(url) {
  sessionStorage.setItem(BACK, location.href);
  location.replace(url);
}

/** Called by a visited page: returns with a result if a job caused the visit. */
export function goBack(value) {
  const back = take(BACK);
  if (back === null) return;
  sessionStorage.setItem(VISITED, JSON.stringify(value));
  location.replace(back);
}

const answer = async (perform, job) => {
  try {
    return { value: await perform(job) };
  } catch (error) {
    return { error: `${error}\n${error?.stack}` };
  }
};

export async function serveJobs(page, perform) {
  const url = `/job/${page}`;
  const tell = (done) => fetch(url, { method: "POST", body: JSON.stringify(done) });
  const visited = take(VISITED);
  if (visited !== null) await tell({ value: JSON.parse(visited) });
  for (;;) {
    const job = await (await fetch(url, { cache: "no-store" })).json();
    if (job.kind === "visit") return visit(job.url);
    await tell(await answer(perform, job));
  }
}
