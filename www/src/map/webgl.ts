/** What the picture needs of the browser. */
import { PageError } from "../model/text/errors.js";

/** The browser draws no pictures. */
class NoWebGlError extends PageError {
  readonly title = "This browser cannot draw the picture";
  readonly cure =
    "Switch WebGL or hardware acceleration on in the browser's settings, or use another browser.";
}

/** Throws an error for the user if the browser has no WebGL with float textures. */
export function checkWebGl(): void {
  const gl = document.createElement("canvas").getContext("webgl");
  const fine = gl?.getExtension("OES_texture_float");
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  if (fine) return;
  throw new NoWebGlError("WebGL is switched off or missing here.");
}
