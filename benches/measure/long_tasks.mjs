/** The longest task of the main thread while something runs; in the page alone. Chromium reports those above 50 ms. */

const settle = () => new Promise((resolve) => setTimeout(resolve, 60));

/** Resolves to what `action` does and the longest task in ms, 0 when none was above 50. */
export async function longestTask(action) {
  let longest = 0;
  const observe = (list) => {
    for (const { duration } of list) longest = Math.max(longest, duration);
  };
  await settle(); // what came before is no part of it
  const observer = new PerformanceObserver((list) => observe(list.getEntries()));
  observer.observe({ type: "longtask" });
  try {
    const value = await action();
    await settle();
    observe(observer.takeRecords());
    return { value, longest };
  } finally {
    observer.disconnect();
  }
}
