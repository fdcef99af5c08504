/**
 * Folders and files of this computer that the user chose in a dialog or dropped on the page. They
 * are read in place and not uploaded.
 */

import * as zarr from "zarr-wasm";
import { type AskHosts, allowedHosts } from "./reference_hosts.js";
import { localSource, type Source } from "./source.js";

type FolderPicker = (options: { mode: "read" }) => Promise<FileSystemDirectoryHandle>;

/** Shows the dialog for a folder. Resolves to null if the user closed it. */
export async function chooseFolder(): Promise<Source | null> {
  const { showDirectoryPicker } = window as { showDirectoryPicker?: FolderPicker };
  if (!showDirectoryPicker) return folderOfInput();
  try {
    const folder = await showDirectoryPicker.call(window, { mode: "read" });
    return localSource(folder.name, new zarr.DirectoryStore(folder));
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return null;
    // In a frame of another site the dialog is not allowed, but a file input is.
    return folderOfInput();
  }
}

async function folderOfInput(): Promise<Source | null> {
  const files = await chosenFiles({ webkitdirectory: true });
  const [first] = files;
  if (!first) return null;
  return localSource(first.webkitRelativePath.split("/")[0] ?? "folder", new zarr.FileListStore(files));
}

export async function chooseFile(ask: AskHosts): Promise<Source | null> {
  const [file] = await chosenFiles({ accept: ".zip,.ozx,.json,application/zip,application/json" });
  return file ? sourceOfFile(file, ask) : null;
}

function chosenFiles(settings: { accept?: string; webkitdirectory?: boolean }): Promise<File[]> {
  const input = Object.assign(document.createElement("input"), { type: "file" }, settings);
  return new Promise((resolve) => {
    input.addEventListener("change", () => resolve([...(input.files ?? [])]));
    input.addEventListener("cancel", () => resolve([]));
    input.click();
  });
}

/** The source for an archive or a reference document, whose servers the user must allow. */
async function sourceOfFile(file: File, ask: AskHosts): Promise<Source> {
  if (!/\.json$/i.test(file.name)) return localSource(file.name, zarr.ZipFileStore.fromBlob(file));
  const text = await file.text();
  const allowHosts = await allowedHosts({ name: file.name, text, base: document.baseURI }, ask);
  return localSource(file.name, zarr.ReferenceStore.fromSpec(text, { allowHosts }));
}

/** Call it in the `drop` event itself. Null if no dropped item can be opened. */
export async function sourceOfDrop(transfer: DataTransfer, ask: AskHosts): Promise<Source | null> {
  const [file] = transfer.files;
  const name = file?.name ?? "dropped folder";
  if (file && /\.json$/i.test(name)) return sourceOfFile(file, ask);
  const [store] = await zarr.storesOfDrop(transfer);
  return store ? localSource(name, store) : null;
}

/** A dropped URL, such as a link of another page. */
export function addressOfDrop(transfer: DataTransfer): string {
  const lines = transfer.getData("text/uri-list").split(/[\r\n]+/);
  const link = lines.find((line) => line !== "" && !line.startsWith("#"));
  return link ?? transfer.getData("text/plain");
}
