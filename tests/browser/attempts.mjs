/**
 * Attempts at a test that drives a page. Such a test depends on the speed of a machine that other
 * tests share, so one that fails runs again on a new page. The report shows the first failure in
 * both cases, and a test that fails twice has failed.
 */
const outcomeOf = (run) => run().then(() => undefined, textOf);

/** The stack of an error with its words, which engines other than Chromium leave out. */
export function textOf(error) {
  const [words, stack] = [String(error), String(error?.stack ?? "")];
  return stack.includes(words) ? stack : `${words}\n${stack}`;
}

/** Resolves to `{error, earlier}`: the last attempt's failure, and that of an attempt before it. */
export async function attempt(run) {
  const earlier = await outcomeOf(run);
  if (earlier === undefined) return {};
  return { earlier, error: await outcomeOf(run) };
}
