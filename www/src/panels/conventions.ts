/** The list of the selected node's conventions, with errors and warnings about its attributes. */

import * as zarr from "zarr-wasm";
import type { DatasetNode } from "../opening/dataset.js";
import { element } from "../page/element.js";
import { fillInParts } from "../page/long_list.js";

/** Hidden until the node has conventions. */
export function conventionsPart(node: DatasetNode): HTMLElement {
  const part = element("section", { class: "conventions", hidden: true });
  fill(part, node).catch((error: unknown) => {
    part.hidden = false;
    part.append(element("p", { class: "warning" }, `Conventions cannot be looked at: ${String(error)}`));
  });
  return part;
}

async function fill(part: HTMLElement, node: DatasetNode): Promise<void> {
  const [conventions, findings] = await Promise.all([zarr.conventions(node), zarr.validate(node)]);
  const general = findings.filter(({ convention }) => convention === undefined);
  if (conventions.length === 0 && general.length === 0) return;
  part.append(element("h3", {}, "Conventions"), ...findingList(general));
  fillInParts(part, conventions, (convention) =>
    element("div", {}, element("p", {}, summary(convention)), ...findingList(convention.findings)),
  );
  part.hidden = false;
}

function summary({ label, version, declared }: zarr.Convention): string {
  const how = declared ? "declared" : "recognised by its attributes";
  return `${label.replace(/:$/, "")}${version ? ` ${version}` : ""}: ${how}`;
}

/** Only errors and warnings are shown, no notes. */
function findingList(findings: readonly zarr.Finding[]): HTMLElement[] {
  const told = findings.filter(({ severity }) => severity !== "info");
  if (told.length === 0) return [];
  const list = element("ul", { class: "findings" });
  fillInParts(list, told, ({ severity, path, message }) =>
    element("li", { class: severity }, path === "" ? message : `${path}: ${message}`),
  );
  return [list];
}
