/**
 * Starts Firefox and WebKitGTK without a driver at a URL, each time with a new profile. The Debian
 * packages are firefox-esr, webkit2gtk-driver (which has MiniBrowser), and xvfb for the display
 * that MiniBrowser needs.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask, has } from "../../scripts/run_command.mjs";

/** Preferences without first-run pages, other requests and rounded timers. */
const FIREFOX_PREFERENCES = {
  "app.normandy.enabled": false,
  "app.update.enabled": false,
  "browser.aboutwelcome.enabled": false,
  "browser.safebrowsing.malware.enabled": false,
  "browser.safebrowsing.phishing.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "network.proxy.type": 0,
  "privacy.reduceTimerPrecision": false,
  "toolkit.telemetry.reportingpolicy.firstRun": false,
};

const LIBRARIES = "/usr/lib";

const miniBrowser = () =>
  readdirSync(LIBRARIES)
    .flatMap((triple) =>
      ["4.1", "4.0"].map((api) => join(LIBRARIES, triple, `webkit2gtk-${api}/MiniBrowser`)),
    )
    .find(existsSync);

/** A process and the folder of its profile. Its children end with it. */
class Started {
  #child;
  #home;

  constructor(program, args, env, home) {
    this.#home = home;
    this.#child = spawn(program, args, {
      env: { ...process.env, HOME: home, ...env },
      stdio: ["ignore", "ignore", "ignore", "pipe"],
      detached: true,
    });
    this.#child.on("error", () => {}); // no page loads, which is reported
    process.on("exit", this.#kill); // also if the benchmark is interrupted
  }

  /** The first line that the process writes to its fourth stream. */
  line() {
    return new Promise((resolve) => {
      this.#child.stdio[3].setEncoding("utf8").once("data", (text) => resolve(text.trim()));
    });
  }

  get #isRunning() {
    const { pid, exitCode, signalCode } = this.#child;
    return pid !== undefined && exitCode === null && signalCode === null;
  }

  /** Ends the process group, because browsers have several processes. */
  #kill = () => {
    if (this.#isRunning) process.kill(-this.#child.pid, "SIGKILL");
  };

  async close() {
    process.off("exit", this.#kill);
    if (this.#isRunning) {
      const ended = once(this.#child, "exit");
      this.#kill();
      await ended;
    }
    rmSync(this.#home, { recursive: true, force: true, maxRetries: 5 });
  }
}

const newHome = () => mkdtempSync(join(tmpdir(), "zarr-bench-"));

/** `display` shows a window there. Firefox has WebGL only in a window. */
function openFirefox(url, display) {
  const home = newHome();
  const wanted = { ...FIREFOX_PREFERENCES, ...(display && { "webgl.force-enabled": true }) };
  const preferences = Object.entries(wanted).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${value});`,
  );
  writeFileSync(join(home, "user.js"), preferences.join("\n"));
  const args = [...(display ? [] : ["--headless"]), "--no-remote", "--profile", home, url];
  return new Started("firefox-esr", args, display ? { DISPLAY: display.name } : {}, home);
}

/** The display of all windows. */
async function openDisplay() {
  const display = new Started("Xvfb", ["-displayfd", "3", "-screen", "0", "1280x1024x24"], {}, newHome());
  return { name: `:${await display.line()}`, close: () => display.close() };
}

const FIREFOX = {
  name: "firefox",
  missing: () => (has("firefox-esr") ? undefined : "firefox-esr is not installed"),
  version: () => ask("firefox-esr", ["--version"]),
  start: async ({ webgl = false } = {}) => {
    const display = webgl ? await openDisplay() : undefined;
    return { open: (url) => openFirefox(url, display), close: () => display?.close() };
  },
};

const WEBKIT = {
  name: "webkitgtk",
  missing: () => {
    if (miniBrowser() === undefined) return "webkit2gtk-driver is not installed";
    return has("Xvfb", ["-help"]) ? undefined : "xvfb is not installed";
  },
  version: () => ask("dpkg-query", ["--show", "webkit2gtk-driver"]),
  start: async () => {
    const display = await openDisplay();
    const env = { DISPLAY: display.name, NO_AT_BRIDGE: "1", GDK_BACKEND: "x11" };
    return { open: (url) => new Started(miniBrowser(), [url], env, newHome()), close: display.close };
  },
};

/** `start({ webgl })` resolves to `{open(url), close()}`. `missing()` names missing programs. */
export const BROWSERS = [FIREFOX, WEBKIT];
