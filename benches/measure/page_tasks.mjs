/**
 * Measures the tasks of a page's main thread with Chromium's trace: elapsed time, working time of
 * the thread, and time of waiting for the GPU process. Without a GPU, that process draws on the
 * same processors, and the picture is read back from it. A page with a GPU does not wait for that.
 */
import { once } from "node:events";

const CATEGORIES = ["toplevel", "gpu", "__metadata"];
const TASK = "ThreadControllerImpl::RunTask";
const WAITING = "CommandBufferProxyImpl::WaitForGetOffset";
const MS = 1e-3;

/** The busiest of the threads with this name, because other pages are idle. */
function busiest(events) {
  const mains = events.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain");
  const eventsOf = (main) =>
    events.filter(({ pid, tid, ph }) => ph === "X" && pid === main.pid && tid === main.tid);
  const worked = (list) => list.reduce((sum, { name, tdur }) => sum + (name === TASK ? (tdur ?? 0) : 0), 0);
  return mains.map(eventsOf).reduce((best, list) => (worked(list) > worked(best) ? list : best), []);
}

/** The tasks of the busy page's main thread in an action: `[{took, worked, waited}]` in ms. */
export async function tasksDuring(browser, act) {
  const session = await browser.newBrowserCDPSession();
  const events = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  const traceConfig = { recordMode: "recordAsMuchAsPossible", includedCategories: CATEGORIES };
  await session.send("Tracing.start", { transferMode: "ReportEvents", traceConfig });
  const result = await act();
  const complete = once(session, "Tracing.tracingComplete");
  await session.send("Tracing.end");
  await complete;
  await session.detach();
  const own = busiest(events);
  const waits = own.filter(({ name }) => name === WAITING);
  const waited = ({ ts, dur }) =>
    waits.reduce((sum, wait) => sum + (wait.ts >= ts && wait.ts < ts + dur ? wait.dur : 0), 0);
  const tasks = own
    .filter(({ name }) => name === TASK)
    .map((task) => ({ took: task.dur * MS, worked: (task.tdur ?? 0) * MS, waited: waited(task) * MS }));
  return { result, tasks };
}
