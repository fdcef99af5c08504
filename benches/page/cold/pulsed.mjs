/** Stands inline at the head of a cold page: takes the page's pulse from its first line until the first tile is there. */
import { Pulse } from "../../measure/pulse.mjs";
import { goBack } from "../errands.mjs";

async function takePulse() {
  const pulse = new Pulse();
  while (window.finished === undefined) await pulse.next();
  window.pulsed = { ms: window.finished, ...(await pulse.stop()) };
  goBack(window.pulsed);
}

takePulse();
