/** An inline script of a cold page. Measures the pulse from the start to the first tile. */
import { Pulse } from "../../measure/pulse.mjs";
import { goBack } from "../jobs.mjs";

async function takePulse() {
  const pulse = new Pulse();
  while (window.finished === undefined) await pulse.next();
  window.pulsed = { ms: window.finished, ...(await pulse.stop()) };
  goBack(window.pulsed);
}

takePulse();
