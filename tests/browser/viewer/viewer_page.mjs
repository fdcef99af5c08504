/**
 * The viewer's page under a driver, with real clicks, keys and dialogs, which a page cannot send to
 * itself. It records the page's requests. `../www_frame.mjs` controls the page from another page.
 */

const PATIENCE_MS = 40_000;
/** Longer than a page that has something to load waits between two requests. */
const QUIET_MS = 1000;

export class ViewerPage {
  /** The URLs of all requests, in order. */
  requests = [];
  /** The URLs of failed requests, and the errors in the console. */
  complaints = [];

  constructor(page, viewer) {
    this.page = page;
    this.viewer = viewer;
    page.on("request", (request) => this.requests.push(request.url()));
    page.on("response", (answer) => {
      if (answer.status() >= 400) this.complaints.push(`${answer.status()}: ${answer.url()}`);
    });
    page.on("console", (message) => {
      if (message.type() === "error") this.complaints.push(message.text());
    });
    page.on("pageerror", (error) => this.complaints.push(String(error)));
  }

  /** Opens the page with parameters in its URL. */
  goto(parameters = {}) {
    return this.page.goto(`${this.viewer}?${new URLSearchParams(parameters)}`);
  }

  /** Waits until the picture is complete and has this text in its title. */
  async drawn(title = "") {
    const { page } = this;
    const picture = page.locator('#map:not([hidden])[aria-busy="false"] canvas').first();
    const alert = page.locator('[role="alert"]').first();
    await page.locator("#title", { hasText: title }).or(alert).first().waitFor({ state: "attached" });
    await picture.or(alert).first().waitFor({ state: "attached" });
    if (await alert.count()) throw new Error(`no picture: ${await alert.textContent()}`);
  }

  /**
   * Waits until the page requests nothing more. Playwright's `networkidle` has waited in vain on
   * busy machines.
   */
  async quiet() {
    let before;
    do {
      before = this.requests.length;
      await this.page.waitForTimeout(QUIET_MS);
    } while (this.requests.length > before);
  }

  /** Waits for a text in the page. */
  says(selector, text) {
    return this.page.locator(selector, { hasText: text }).first().waitFor();
  }

  /** Types an address and presses Enter. */
  async type(address) {
    await this.page.click("#address");
    await this.page.fill("#address", address);
    await this.page.keyboard.press("Enter");
  }

  /** Selects an entry of the menu for opening. */
  async choose(entry) {
    await this.page.click("#open-switch");
    await this.page.click(`#open-menu >> text="${entry}"`);
  }

  /** Waits until the page's URL has a parameter. */
  waitForParameter(name, value) {
    return this.page.waitForURL((url) => url.searchParams.get(name) === value);
  }

  /** Waits until the viewer's picture and those beside it are drawn. */
  async allDrawn() {
    await this.drawn();
    await this.page.waitForFunction(() => {
      const maps = [...document.querySelectorAll("#views .map")];
      return maps.length > 1 && maps.every((map) => map.ariaBusy === "false" && map.querySelector("canvas"));
    });
  }

  /**
   * Moves the mouse to a point of a picture, given as shares of its width and height: the centre.
   * Resolves to the displayed indices by axis and the first value.
   */
  async reading([across, down] = [0.5, 0.5], { map = "#map", readout = "#readout" } = {}) {
    const { x, y, width, height } = await this.page.locator(map).boundingBox();
    const deadline = performance.now() + PATIENCE_MS;
    for (let shift = 0; performance.now() < deadline; shift = 1 - shift) {
      await this.page.mouse.move(x + width * across + shift, y + height * down);
      await this.page.waitForTimeout(100);
      const found = await this.page.evaluate(readingOf, readout);
      if (found) return found;
    }
    throw new Error("the page says no value of this place");
  }
}

/** Runs in the page. Null until there is a value. */
function readingOf(selector) {
  const readout = document.querySelector(selector);
  if (readout.hidden || readout.textContent.includes("…")) return null;
  const value = readout.querySelector(".value b")?.textContent;
  if (value === undefined) return null;
  const index = {};
  for (const place of readout.querySelector(".places").children) {
    const digits = place.querySelector(".index")?.textContent ?? "";
    index[place.querySelector(".name").textContent] = Number(digits.replace(/[[\]]/g, ""));
  }
  // Digits are grouped with thin spaces, and followed by a unit.
  return { index, value: Number.parseFloat(value.replace(/[\u2009\u202f]/g, "").replace("−", "-")) };
}
