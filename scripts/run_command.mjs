/**
 * Runs other programs and reports progress: a line when a step begins, one every few seconds, and
 * one when it ends. The output of a program is shown only if it fails. This file uses only Node's
 * own modules, because it runs before anything is installed.
 */
import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("..", import.meta.url)).replace(/[\\/]$/, "");

const HEARTBEAT_MS = 10_000;
const TAIL_LINES = 120;

/** A step failed, and its reason has been printed. No stack trace is needed. */
export class StepFailed extends Error {}

export function say(line) {
  process.stdout.write(`${line}\n`);
}

export function seconds(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

/** Whether the program can be started at all. */
export function has(program, args = ["--version"]) {
  return spawnSync(program, args, { stdio: "ignore" }).status === 0;
}

/** Runs a program without output. Returns what it printed, or undefined if it failed. */
export function ask(program, args) {
  const { status, stdout } = spawnSync(program, args, { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

/** The last line of the output, shortened for a terminal. */
function lastLine(output) {
  const lines = output.trimEnd().split("\n");
  return (lines.at(-1) ?? "").trim().slice(0, 90);
}

/**
 * What to do if cargo was asked to leave a lock file as it is, and it does not fit its Cargo.toml.
 * All calls of cargo ask so, because an update that no one looks at may bring any version.
 */
export function lockAdvice(output) {
  if (!/--locked was passed/.test(output)) return "";
  const [, folder] = /lock file (?:at )?[`']?(\/.*?)[\\/]Cargo\.lock/.exec(output) ?? [];
  const where = folder === undefined || folder === ROOT ? "" : ` --manifest-path ${folder}/Cargo.toml`;
  return `. Cargo.lock does not fit Cargo.toml: run \`cargo update --workspace${where}\`, look at the changes of Cargo.lock, and commit it`;
}

/**
 * Runs a program as a step with a title. Resolves to its output. If it fails, prints the end of the
 * output and rejects with `StepFailed`. `options.env` is added to the environment.
 * If it prints nothing for `options.silentMs`, it and its children are ended.
 * `options.name` is said in each line, where another step runs beside this one.
 */
export function run(title, program, args, options = {}) {
  const started = performance.now();
  const named = options.name ? `${options.name}: ` : "";
  say(`· ${title}`);
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: options.cwd ?? ROOT,
      env: { ...process.env, ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true, // a process group of its own, so that a timeout ends its children too
    });
    let output = "";
    let isSilent = false;
    let deadline;
    const collect = (text) => {
      output += text;
      deadline?.refresh();
      if (options.verbose) process.stdout.write(text);
    };
    child.stdout.setEncoding("utf8").on("data", collect);
    child.stderr.setEncoding("utf8").on("data", collect);
    const tell = () => say(`  … ${named}${seconds(started)}: ${lastLine(output)}`);
    const heartbeat = options.verbose ? undefined : setInterval(tell, HEARTBEAT_MS);
    const endGroup = () => {
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {} // already gone
    };
    if (options.silentMs) {
      deadline = setTimeout(() => {
        isSilent = true;
        endGroup();
      }, options.silentMs);
    }
    const finish = () => {
      clearInterval(heartbeat);
      clearTimeout(deadline);
      process.removeListener("exit", endGroup);
    };
    process.once("exit", endGroup);
    child.once("error", (error) => {
      finish();
      reject(new StepFailed(`${title}: cannot start ${program}: ${error.message}`));
    });
    child.once("close", (code, signal) => {
      finish();
      if (code === 0) {
        say(`  ${named}done in ${seconds(started)}`);
        resolve(output);
        return;
      }
      if (!options.verbose) say(output.trimEnd().split("\n").slice(-TAIL_LINES).join("\n"));
      const how = isSilent
        ? "was silent for too long, and was stopped"
        : `failed (${signal ?? `exit status ${code}`})`;
      const failure = new StepFailed(`${title}: ${how} after ${seconds(started)}${lockAdvice(output)}`);
      failure.output = output;
      reject(failure);
    });
  });
}

/** Runs the `main` of a command, prints a `StepFailed` in one line, and sets the exit status. */
export async function command(main) {
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));
  try {
    await main(process.argv.slice(2));
  } catch (error) {
    process.exitCode = 1;
    say(error instanceof StepFailed ? `\n✗ ${error.message}` : `\n✗ ${error?.stack ?? error}`);
  }
}
