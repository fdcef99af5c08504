/** The peak of this process's memory. */
import { existsSync, readFileSync } from "node:fs";

const STATUS = "/proc/self/status";

/**
 * The most memory that this process has had, in bytes. On Linux, `resourceUsage().maxRSS` begins
 * with the peak of the process that started this one.
 */
export function peakMemory() {
  if (!existsSync(STATUS)) return process.resourceUsage().maxRSS * 1024;
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(STATUS, "utf8"));
  return Number(kilobytes) * 1024;
}
