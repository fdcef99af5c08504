/**
 * Runs a driver on a list of arrays. A driver that ends or falls silent at an array is started
 * again with the arrays behind it: some readers end their whole process.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const SILENCE_MS = 90_000;

/** Kills a process that prints no line for a while. */
function watched(child) {
  let timer;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => child.kill("SIGKILL"), SILENCE_MS);
  };
  wait();
  child.on("close", () => clearTimeout(timer));
  return wait;
}

/** Lines as far as the driver gets, and how it ended. */
async function linesOf([program, ...args], environment, list) {
  const child = spawn(program, [...args, list], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...environment },
  });
  const ended = new Promise((done) => child.on("close", (status, signal) => done(signal ?? status)));
  const spoken = watched(child);
  let complaints = "";
  child.stderr.on("data", (text) => {
    complaints = (complaints + text).slice(-2000);
  });
  const lines = [];
  for await (const text of createInterface({ input: child.stdout })) {
    spoken();
    if (text.startsWith('{"')) lines.push(JSON.parse(text));
  }
  return { lines, end: await ended, complaints };
}

/** One line an array, in order. `command`: a program and its arguments. */
export async function drive({ command, environment = {} }, requests) {
  const folder = mkdtempSync(join(tmpdir(), "readers-"));
  const list = join(folder, "arrays.json");
  const lines = [];
  try {
    while (lines.length < requests.length) {
      writeFileSync(list, JSON.stringify(requests.slice(lines.length)));
      const run = await linesOf(command, environment, list);
      if (lines.length === 0 && run.lines.length === 0)
        throw new Error(`${command.join(" ")} ended with ${run.end}: ${run.complaints}`);
      lines.push(...run.lines);
      if (lines.length < requests.length)
        lines.push({ id: requests[lines.length].id, error: `its process ended (${run.end})` });
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return lines;
}
