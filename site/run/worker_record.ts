/** Records the work of a worker of a frame. `worker.ts` imports it before the package's program. */
import { recordWork } from "./recorder.ts";

/** The engine's worker starts the decode workers. They start none. */
let isEngine = false;
const Original = self.Worker;
if (Original)
  self.Worker = class extends Original {
    constructor(...args: ConstructorParameters<typeof Worker>) {
      super(...args);
      isEngine = true;
    }
  };

recordWork(() => (isEngine ? "engine" : "decoder"));
