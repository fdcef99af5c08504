/**
 * The page's end of errands (line/errands.mjs): asks for one after the other and tells what came of each. A visit leads to
 * another page of this origin, which leaves its result in the session's storage and comes back here.
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

/** For a visited page: goes back with a result, if a desk has sent it. */
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

export async function serveDesk(desk, perform) {
  const url = `/errand/${desk}`;
  const tell = (done) => fetch(url, { method: "POST", body: JSON.stringify(done) });
  const visited = take(VISITED);
  if (visited !== null) await tell({ value: JSON.parse(visited) });
  for (;;) {
    const job = await (await fetch(url, { cache: "no-store" })).json();
    if (job.kind === "visit") return visit(job.url);
    await tell(await answer(perform, job));
  }
}
