/** The list of the selected node's conventions, with errors and warnings about its attributes. */

import { html, nothing } from "lit-html";
import { until } from "lit-html/directives/until.js";
import * as zarr from "zarr-wasm";
import type { DatasetNode } from "../opening/dataset.js";
import { shown } from "../page/element.js";
import { inParts } from "../page/long_list.js";

/** Nothing until the node is known to have conventions. */
export const conventionsPart = (node: DatasetNode): unknown =>
  until(
    contents(node)
      .catch((error: unknown) => {
        return html`<p class="warning">${shown(`Conventions cannot be looked at: ${String(error)}`)}</p>`;
      })
      .then((part) => part && html`<section class="conventions">${part}</section>`),
    nothing,
  );

async function contents(node: DatasetNode) {
  const [conventions, findings] = await Promise.all([zarr.conventions(node), zarr.validate(node)]);
  const general = findings.filter(({ convention }) => convention === undefined);
  if (conventions.length === 0 && general.length === 0) return null;
  return html`<h3>Conventions</h3>
    ${findingList(general)}
    ${inParts(conventions, (convention) => {
      return html`<div><p>${shown(summary(convention))}</p>${findingList(convention.findings)}</div>`;
    })}`;
}

function summary({ label, version, declared }: zarr.Convention): string {
  const how = declared ? "declared" : "recognised by its attributes";
  return `${label.replace(/:$/, "")}${version ? ` ${version}` : ""}: ${how}`;
}

/** Only errors and warnings are shown, no notes. */
function findingList(findings: readonly zarr.Finding[]): unknown {
  const told = findings.filter(({ severity }) => severity !== "info");
  const item = ({ severity, path, message }: zarr.Finding) =>
    html`<li class=${severity}>${shown(path === "" ? message : `${path}: ${message}`)}</li>`;
  return told.length === 0 ? nothing : html`<ul class="findings">${inParts(told, item)}</ul>`;
}
