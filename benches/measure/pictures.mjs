/**
 * Records when a WebGL page shows a new picture: a frame with only other tiles than before. It runs
 * in the page, before the page's scripts.
 */

/** Fills `window.pictures`: the times of pictures, and of empty frames. */
export function watchPictures() {
  window.pictures = { times: [], blanks: [] };
  const { prototype } = WebGLRenderingContext;
  let [shown, drawn] = [new Set(), new Set()];
  let [isFrame, unit, bound] = [false, 0, undefined];
  const wrap = (name, before) => {
    const call = prototype[name];
    prototype[name] = function (...args) {
      before.apply(this, args);
      return call.apply(this, args);
    };
  };
  const end = () => {
    if (drawn.size === 0) window.pictures.blanks.push(performance.now());
    else if (![...drawn].some((texture) => shown.has(texture))) {
      window.pictures.times.push(performance.now());
      shown = drawn;
    }
    [drawn, isFrame] = [new Set(), false];
  };
  const begin = () => {
    if (!isFrame) queueMicrotask(end);
    isFrame = true;
  };
  wrap("activeTexture", function (name) {
    unit = name - this.TEXTURE0;
  });
  // Tiles are the first texture of a shader program; palettes follow them.
  wrap("bindTexture", (_target, texture) => {
    if (unit === 0) bound = texture;
  });
  wrap("clear", begin);
  wrap("drawElements", () => {
    begin();
    if (bound) drawn.add(bound);
  });
}
