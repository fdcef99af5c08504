/**
 * Requests from a running `npm start` what a browser would: the page, the scripts that it names,
 * and a byte range of a sample.
 *
 *   node scripts/probe.mjs http://127.0.0.1:8080
 */
import { readdirSync } from "node:fs";
import { join, sep } from "node:path";
import { command, ROOT, StepFailed, say } from "./run_command.mjs";

const SAMPLES = join(ROOT, "www/samples");

async function expectStatus(url, status, headers = {}) {
  const response = await fetch(url, { headers });
  if (response.status !== status)
    throw new StepFailed(`${url} answered ${response.status} instead of ${status}`);
  return response;
}

await command(async ([address]) => {
  const page = await (await expectStatus(`${address}/`, 200)).text();
  const scripts = [...page.matchAll(/<script[^>]* src="?([^"\s>]+)/g)].map(([, source]) => source);
  if (scripts.length === 0) throw new StepFailed("the page names no script");
  for (const source of scripts) await expectStatus(new URL(source, `${address}/`), 200);
  const file = readdirSync(SAMPLES, { recursive: true }).find((name) => /zarr\.json$|\.zarray$/.test(name));
  if (!file) throw new StepFailed(`${SAMPLES} holds no array`);
  const path = file.split(sep).map(encodeURIComponent).join("/");
  const part = await expectStatus(`${address}/samples/${path}`, 206, { Range: "bytes=0-0" });
  if ((await part.text()).length !== 1) throw new StepFailed("a range of one byte has another length");
  say(`✓ ${address} serves the viewer (${scripts.length} scripts) and byte ranges of ${path}`);
});
