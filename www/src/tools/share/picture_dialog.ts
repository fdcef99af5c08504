/** The dialog that saves the view as a PNG of any width, with its legend and scale bar. */

import "./share.css";
import { html, nothing, render } from "lit-html";
import { showDialog } from "../../widgets/page/dialog.js";
import { tickBox } from "../../widgets/page/element.js";
import { fileName, saveFile } from "../../widgets/page/save_file.js";
import { picturesOf, type ViewSnapshot, wholeOf } from "../../widgets/views/view_snapshot.js";
import { widthField, widthsFor } from "./file_width.js";
import { Frames, sizeFor } from "./frames.js";

export function showPictureDialog(snapshot: ViewSnapshot): void {
  const { state } = snapshot;
  const whole = wholeOf(snapshot);
  const hasMarks = picturesOf(snapshot).some(({ marks }) => marks.length > 0);
  let [width, isAnnotated, isMarked, status] = [widthsFor(whole).usual, true, true, ""];
  let frames: Frames | null = null;
  const { body } = showDialog("Save picture", "picture-dialog", () => frames?.close());
  const save = async () => {
    const size = sizeFor(whole, width);
    status = "Drawing…";
    draw();
    frames = new Frames({ snapshot, size, isAnnotated, isMarked });
    try {
      await frames.open();
      await frames.draw(state.at);
      saveFile(fileName([snapshot.source.name, state.scene.title], "png"), await pngOf(frames.canvas));
      status = `Saved: ${size[0]} × ${size[1]} pixels.`;
    } catch (error) {
      status = `It could not be drawn: ${error instanceof Error ? error.message : error}`;
    } finally {
      frames.close();
      frames = null;
      draw();
    }
  };
  const draw = () => {
    const setWidth = (chosen: number) => {
      width = chosen;
      draw();
    };
    const setAnnotated = (isOn: boolean) => {
      isAnnotated = isOn;
    };
    const setMarked = (isOn: boolean) => {
      isMarked = isOn;
    };
    render(
      html`${widthField(whole, width, setWidth)}
        ${tickBox("Legend, scale bar and coordinates", isAnnotated, setAnnotated)}
        ${hasMarks ? tickBox("Marks", isMarked, setMarked) : nothing}
        <p class="note">Finer levels are read if the picture is larger than the view.</p>
        <div class="actions">
          <output>${status}</output>
          <button type="button" class="primary" ?disabled=${frames !== null} @click=${save}>Save PNG</button>
        </div>`,
      body,
    );
  };
  draw();
}

function pngOf(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob((file) => (file ? resolve(file) : reject(new Error("it is too large for this browser"))));
  });
}
