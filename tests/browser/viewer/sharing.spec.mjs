/**
 * Tests of what the viewer hands over: the link, code, pictures and films. They need a driver for
 * the clipboard, downloads and the keyboard. Films are decoded by the browser, not by what made
 * them.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "../fixtures.mjs";

const CELLS = "./samples/cells.ome.zarr";
const CLIMATE = "./samples/climate.zarr";
const FILM_MS = 120_000;
/** Mean difference of a colour channel: lossy codecs, and the smoothing of another size. */
const CLOSE = 6;

async function chooseShare(viewer, entry) {
  await viewer.page.click("#share-switch");
  await viewer.page.click(`#share-menu >> text="${entry}"`);
  await viewer.page.waitForSelector("dialog[open]");
}

/** Presses a button that saves a file. Resolves to its name and its bytes in base64. */
async function saved(viewer, button) {
  const [download] = await Promise.all([
    viewer.page.waitForEvent("download", { timeout: FILM_MS }),
    viewer.page.click(`dialog >> text="${button}"`),
  ]);
  return {
    name: download.suggestedFilename(),
    bytes: readFileSync(await download.path()).toString("base64"),
  };
}

/** Runs in the page: the frames of a file as 32 × 24 pixels, with the size and the times in s. */
async function framesOf({ bytes, type, times }) {
  const blob = await (await fetch(`data:${type};base64,${bytes}`)).blob();
  const canvas = new OffscreenCanvas(32, 24);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const sampled = (frame) => {
    context.drawImage(frame, 0, 0, 32, 24);
    return [...context.getImageData(0, 0, 32, 24).data];
  };
  if (type === "image/gif") {
    const decoder = new ImageDecoder({ data: await blob.arrayBuffer(), type });
    await Promise.all([decoder.completed, decoder.tracks.ready]);
    const { frameCount } = decoder.tracks.selectedTrack;
    const frames = [];
    for (let frameIndex = 0; frameIndex < frameCount; frameIndex += 1)
      frames.push((await decoder.decode({ frameIndex })).image);
    const duration = frames.reduce((sum, frame) => sum + frame.duration / 1e6, 0);
    const [{ displayWidth, displayHeight }] = frames;
    return { size: [displayWidth, displayHeight], duration, frames: frames.map(sampled) };
  }
  if (type === "image/png") {
    const image = await createImageBitmap(blob);
    return { size: [image.width, image.height], frames: [sampled(image)] };
  }
  const video = document.createElement("video");
  video.muted = true;
  video.src = URL.createObjectURL(blob);
  await new Promise((resolve, reject) => {
    video.onloadeddata = resolve;
    video.onerror = () => reject(new Error(video.error.message));
  });
  const frames = [];
  for (const time of times) {
    video.currentTime = time;
    await new Promise((resolve) => {
      video.onseeked = resolve;
    });
    frames.push(sampled(video));
  }
  return { size: [video.videoWidth, video.videoHeight], duration: video.duration, frames };
}

/**
 * Decodes a file in another page, because the viewer's policy forbids addresses of data. `times`
 * are for a video.
 */
async function decoded(viewer, file, { times = [], read = framesOf } = {}) {
  const type = { png: "image/png", gif: "image/gif", mp4: "video/mp4", webm: "video/webm" }[
    file.name.split(".").at(-1)
  ];
  const page = await viewer.page.context().browser().newPage();
  try {
    // The decoder of images is for pages of servers.
    await page.goto(new URL("samples/climate.zarr/zarr.json", viewer.viewer).href);
    return await page.evaluate(read, { bytes: file.bytes, type, times });
  } finally {
    await page.close();
  }
}

const difference = (one, other) =>
  one.reduce((sum, value, at) => sum + Math.abs(value - other[at]), 0) / one.length;

/** Runs in the page: the pixel in the middle of the first frame. */
async function middleOf({ bytes, type }) {
  const image = await createImageBitmap(await (await fetch(`data:${type};base64,${bytes}`)).blob());
  const context = new OffscreenCanvas(1, 1).getContext("2d");
  context.drawImage(image, -Math.floor(image.width / 2), -Math.floor(image.height / 2));
  return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
}

/** The view as the page shows it, without what is above it, as a file. */
async function screen(viewer) {
  const hidden = ".title, .zoom, .corner, .scale-bar, .loading { visibility: hidden !important; }";
  const style = await viewer.page.addStyleTag({ content: hidden });
  const png = await viewer.page.locator("#main-view").screenshot();
  await style.evaluate((element) => element.remove());
  return decoded(viewer, { name: "screen.png", bytes: png.toString("base64") });
}

async function setSteps(viewer, first, last) {
  const fields = viewer.page.locator('.film-fields input[type="number"]');
  await fields.nth(0).fill(String(first));
  await fields.nth(1).fill(String(last));
  await fields.nth(1).press("Tab");
}

/** Makes a film of three months, and compares each frame with the view at that step. */
async function checkFilm(viewer, format) {
  await viewer.goto({ source: CLIMATE, at: "time:0", layers: "" });
  await viewer.drawn();
  const views = [];
  for (const step of [0, 6, 7]) {
    await viewer.page.fill('[aria-label="Index of time"]', String(step));
    await viewer.waitForParameter("at", `time:${step}`);
    await viewer.drawn();
    views.push((await screen(viewer)).frames[0]);
  }
  await chooseShare(viewer, "Save film…");
  await viewer.page.locator(`option[value="${format}"]`).waitFor({ state: "attached" });
  await viewer.page.selectOption('[aria-label="Format"]', format);
  await viewer.page.selectOption('[aria-label="Speed"]', "2");
  await setSteps(viewer, 6, 7);
  const file = await saved(viewer, "Make film");
  expect(file.name).toBe(`climate.zarr-2-metre-temperature-time.${format}`);
  const { duration, frames, size } = await decoded(viewer, file, { times: [0.25, 0.75] });
  expect(Math.abs(duration - 1), `two frames at two a second last ${duration} s`).toBeLessThan(0.05);
  expect(frames.length).toBe(2);
  expect(
    size.every((length) => length % 2 === 0 && length > 400),
    `size ${size}`,
  ).toBeTruthy();
  const away = frames.map((frame) => views.map((view) => difference(frame, view)));
  expect(away[0][1] < CLOSE && away[1][2] < CLOSE, `the frames are July and August: ${away}`).toBeTruthy();
  expect(away[0][1] < away[0][0] && away[1][2] < away[1][0], `and not January: ${away}`).toBeTruthy();
  expect(new URL(viewer.page.url()).searchParams.get("at"), "the view stays").toBe("time:7");
}

/** The data sets that the links of the menu name, by the text of the link. */
async function otherViewers(viewer, source) {
  await viewer.goto({ source });
  await viewer.drawn();
  await viewer.page.click("#share-switch");
  await viewer.says("#share-menu", "Copy as code");
  const links = await viewer.page
    .locator("#share-menu a")
    .evaluateAll((all) => all.map(({ href, rel, target, title }) => ({ href, rel, target, title })));
  const named = links.map(({ href, rel, target, title }) => {
    expect([rel, target]).toEqual(["noreferrer", "_blank"]);
    const address = new URL(href);
    if (address.hash === "") return [title, address.searchParams.get("source")];
    const state = JSON.parse(decodeURIComponent(address.hash.replace("#!", "")));
    return [title, state.layers[0].source];
  });
  return Object.fromEntries(named);
}

test.describe("sharing", () => {
  test("the link opens the same view", async ({ viewer }) => {
    await viewer.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await viewer.goto({ source: CLIMATE, at: "time:3", colours: "magma,reversed", limits: "240,300" });
    await viewer.drawn();
    await viewer.page.keyboard.press("Escape");
    await viewer.page.fill('[aria-label="Index of time"]', "9");
    await viewer.page.click("#share-switch");
    await viewer.page.click('#share-menu >> text="Copy link"');
    await viewer.says(".note-box", "The link is copied.");
    const link = await viewer.page.evaluate(() => navigator.clipboard.readText());
    const parameters = new URL(link).searchParams;
    expect(parameters.get("at"), "the change of a moment ago is in it").toBe("time:9");
    expect(parameters.get("colours")).toBe("magma,reversed");
    await viewer.page.goto(link);
    await viewer.drawn();
    expect(await viewer.page.inputValue('[aria-label="Index of time"]')).toBe("9");
  });

  test("other viewers get the image, or the array of a field, and no address with a query", async ({
    viewer,
    url,
  }) => {
    const samples = `${url}/viewer/samples`;
    expect(await otherViewers(viewer, CELLS)).toEqual({
      "Open in neuroglancer": `${samples}/cells.ome.zarr/|zarr:`,
      "Open in vizarr": `${samples}/cells.ome.zarr`,
      "Open in the OME-NGFF validator": `${samples}/cells.ome.zarr`,
    });
    expect(await otherViewers(viewer, CLIMATE)).toEqual({
      "Open in neuroglancer": `${samples}/climate.zarr/air_temperature/|zarr:`,
    });
    expect(await otherViewers(viewer, `${CELLS}?key=secret`)).toEqual({});
  });

  test("the code has tabs that the keyboard moves between, and is copied", async ({ viewer }) => {
    await viewer.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await viewer.goto({ source: CELLS });
    await viewer.drawn();
    await viewer.page.focus("#share-switch");
    await viewer.page.keyboard.press("Enter");
    await viewer.page.keyboard.press("Tab");
    await viewer.page.keyboard.press("Tab");
    await viewer.page.keyboard.press("Enter");
    await viewer.page.waitForSelector(".code-dialog");
    await viewer.page.focus('[role="tab"][aria-selected="true"]');
    for (const language of ["zarrita", "xarray", "zarr-python", "zarr-wasm", "zarrita"]) {
      await viewer.page.keyboard.press("ArrowRight");
      const focused = await viewer.page.evaluate(() => document.activeElement.textContent);
      expect(focused).toBe(language);
      expect((await viewer.page.textContent(".code")).includes(`install`), language).toBeTruthy();
    }
    await viewer.page.click('.code-dialog >> text="Copy"');
    await viewer.says(".code-dialog output", "Copied.");
    const copied = await viewer.page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe(await viewer.page.textContent(".code"));
    expect(copied).toMatch(/from "zarrita"/);
    await viewer.page.keyboard.press("Escape");
    await viewer.page.locator("dialog").waitFor({ state: "detached" });
  });

  test("a picture of twice the size shows the view, its legend and scale bar", async ({ viewer }) => {
    await viewer.goto({ source: CELLS });
    await viewer.drawn();
    const shown = await screen(viewer);
    await chooseShare(viewer, "Save picture…");
    await viewer.page.click('.file-width >> text="2 ×"');
    const annotated = await decoded(viewer, await saved(viewer, "Save PNG"));
    await viewer.page.click('.picture-dialog >> text="Legend, scale bar and coordinates"');
    const plain = await decoded(viewer, await saved(viewer, "Save PNG"));
    expect(Math.abs(plain.size[0] - 2 * shown.size[0]), `${plain.size} of ${shown.size}`).toBeLessThanOrEqual(
      2,
    );
    expect(Math.abs(plain.size[1] - 2 * shown.size[1]), `${plain.size} of ${shown.size}`).toBeLessThanOrEqual(
      2,
    );
    const away = difference(plain.frames[0], shown.frames[0]);
    expect(away, `the picture differs by ${away}`).toBeLessThan(CLOSE);
    const most = Math.max(...plain.frames[0].map((value, at) => Math.abs(value - annotated.frames[0][at])));
    expect(most, `the legend and the scale bar are drawn: ${most}`).toBeGreaterThan(10);
  });

  test("pictures and films have the marks of the screen in their colours, unless they are left out", async ({
    viewer,
  }) => {
    // The pin of a point in the middle has a radius of 7 pixels.
    await viewer.goto({ source: CLIMATE, view: "10,20,0.5", marks: "point:1:10:20", layers: "" });
    await viewer.drawn();
    const isMarked = ([red, green, blue], tolerance) =>
      Math.max(Math.abs(red - 0xd5), Math.abs(green - 0x5e), Math.abs(blue)) <= tolerance;
    await chooseShare(viewer, "Save picture…");
    const middle = async (button) => decoded(viewer, await saved(viewer, button), { read: middleOf });
    const marked = await middle("Save PNG");
    expect(isMarked(marked, 0), `the pin: ${marked}`).toBeTruthy();
    await viewer.page.click('.picture-dialog >> text="Marks"');
    const plain = await middle("Save PNG");
    expect(isMarked(plain, 40), `no pin: ${plain}`).toBeFalsy();
    await viewer.page.keyboard.press("Escape");
    await viewer.page.locator("dialog").waitFor({ state: "detached" });
    await chooseShare(viewer, "Save film…");
    await viewer.page.locator('option[value="gif"]').waitFor({ state: "attached" });
    await viewer.page.selectOption('[aria-label="Format"]', "gif");
    await setSteps(viewer, 6, 7);
    const filmed = await middle("Make film");
    expect(isMarked(filmed, 24), `the pin in a film of 256 colours: ${filmed}`).toBeTruthy();
  });

  test("a map has its coast lines in the file, too", async ({ viewer }) => {
    await viewer.goto({ source: CLIMATE });
    await viewer.drawn();
    await viewer.quiet(); // the coast lines are there
    const shown = await screen(viewer);
    await chooseShare(viewer, "Save picture…");
    await viewer.page.click('.picture-dialog >> text="Legend, scale bar and coordinates"');
    const file = await decoded(viewer, await saved(viewer, "Save PNG"));
    const away = difference(file.frames[0], shown.frames[0]);
    expect(away, `the picture differs by ${away}`).toBeLessThan(1.5);
  });

  test("a film as WebM has the steps of a play", ({ viewer }) => checkFilm(viewer, "webm"));

  test("a film as GIF has the steps of a play", ({ viewer }) => checkFilm(viewer, "gif"));

  test("without codecs a film is a GIF", async ({ viewer }) => {
    await viewer.page.addInitScript(() => delete globalThis.VideoEncoder);
    await viewer.goto({ source: CELLS });
    await viewer.drawn();
    await chooseShare(viewer, "Save film…");
    await viewer.page.waitForSelector('dialog >> text="Make film"');
    const formats = await viewer.page.locator('[aria-label="Format"] option').allTextContents();
    expect(formats).toEqual(["GIF"]);
  });

  test("a film can be stopped, and leaves no file", async ({ viewer }) => {
    let downloads = 0;
    viewer.page.on("download", () => {
      downloads += 1;
    });
    await viewer.goto({ source: CLIMATE });
    await viewer.drawn();
    await chooseShare(viewer, "Save film…");
    await viewer.page.click('dialog >> text="Make film"');
    await viewer.says(".film-progress", /Frame ([2-9]|\d\d) of 24/);
    await viewer.page.click('dialog >> text="Stop"');
    await viewer.says(".film-dialog output", "Stopped.");
    expect(downloads).toBe(0);
    await setSteps(viewer, 0, 1);
    expect((await saved(viewer, "Make film")).bytes.length, "another film can be made").toBeGreaterThan(1000);
  });

  test("what sharing needs is loaded when it is used", async ({ viewer }) => {
    await viewer.goto({ source: CELLS });
    await viewer.drawn();
    const scripts = () => viewer.requests.filter((url) => url.endsWith(".js")).length;
    const before = scripts();
    await chooseShare(viewer, "Save film…");
    await viewer.page.waitForSelector('dialog >> text="Make film"');
    expect(scripts(), "the dialog and the encoders are scripts of their own").toBeGreaterThan(before);
  });
});
