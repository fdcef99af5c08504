/** Measures the longest task of the page's thread. Chromium reports tasks above 50 ms. */

const settle = () => new Promise((resolve) => setTimeout(resolve, 60));

/** Resolves to the result of `action` and the longest task in ms; 0 if none was above 50 ms. */
export async function longestTask(action) {
  let longest = 0;
  const observe = (list) => {
    for (const { duration } of list) longest = Math.max(longest, duration);
  };
  await settle(); // earlier tasks do not count
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
