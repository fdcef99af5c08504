/** Checks whether the browser can draw pictures, which needs WebGL with float textures. */

/** Throws an error for the user if it cannot. */
export function checkWebGl(): void {
  const canvas = document.createElement("canvas");
  const gl = canvas.getContext("webgl");
  const fine = gl?.getExtension("OES_texture_float");
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  if (fine) return;
  throw new Error("This browser cannot draw the picture, because WebGL is switched off or missing here.");
}
