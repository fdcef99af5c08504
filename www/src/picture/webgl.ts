/** Whether the browser can draw pictures: WebGL with textures of numbers. */

/** Throws an error in plain words where it cannot. */
export function checkWebGl(): void {
  const canvas = document.createElement("canvas");
  const gl = canvas.getContext("webgl");
  const fine = gl?.getExtension("OES_texture_float");
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  if (fine) return;
  throw new Error("This browser cannot draw the picture, because WebGL is switched off or missing here.");
}
