/** What the picture needs of the browser. */

/** Throws an error for the user if the browser has no WebGL with float textures. */
export function checkWebGl(): void {
  const gl = document.createElement("canvas").getContext("webgl");
  const fine = gl?.getExtension("OES_texture_float");
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  if (fine) return;
  throw new Error("This browser cannot draw the picture, because WebGL is switched off or missing here.");
}
