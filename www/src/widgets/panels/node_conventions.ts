/**
 * The conventions of a node with links to their texts, and what `validate` finds in its attributes.
 */

import { html, nothing, type TemplateResult } from "lit-html";
import { until } from "lit-html/directives/until.js";
import * as zarr from "zarr-wasm";
import type { DatasetNode } from "../../model/opening/dataset.js";
import { shortened } from "../page/element.js";
import { inParts } from "../page/long_list.js";

const NGFF = "https://ngff.openmicroscopy.org/";
const GITHUB = "https://github.com/zarr-conventions";

/** The texts of conventions that a node need not declare with an address. */
const TEXTS: Partial<Record<zarr.KnownConvention, string>> = {
  CF: "https://cfconventions.org/cf-conventions/cf-conventions.html",
  multiscales: `${GITHUB}/multiscales`,
  proj: `${GITHUB}/proj`,
  spatial: `${GITHUB}/spatial`,
  stac: `${GITHUB}/stac`,
  dggs: `${GITHUB}/dggs`,
};

/**
 * The conventions of a node, with errors and warnings about its attributes. Nothing until they are
 * known.
 */
export const conventionsPart = (node: DatasetNode): unknown =>
  until(
    conventionsOf(node)
      .catch((error: unknown) => {
        return html`<p class="warning">${shortened(`Conventions cannot be looked at: ${String(error)}`)}</p>`;
      })
      .then((part) => part && html`<section class="conventions">${part}</section>`),
    nothing,
  );

async function conventionsOf(node: DatasetNode) {
  const [conventions, findings] = await Promise.all([zarr.conventions(node), zarr.validate(node)]);
  const general = findings.filter(({ convention }) => convention === undefined);
  if (conventions.length === 0 && general.length === 0) return null;
  return html`<h3>Conventions</h3>
    ${findingList(general)}
    ${inParts(conventions, (convention) => {
      return html`<div><p>${summary(convention)}</p>${findingList(convention.findings)}</div>`;
    })}`;
}

function summary(convention: zarr.Convention): TemplateResult {
  const { label, version, declared } = convention;
  const how = declared ? "declared" : "recognised by its attributes";
  const [name, text] = [`${label.replace(/:$/, "")}${version ? ` ${version}` : ""}`, textOf(convention)];
  const link = html`<a href=${text} target="_blank" rel="noreferrer">${shortened(name)}</a>`;
  return html`${text ? link : shortened(name)}: ${how}`;
}

/** The text of a convention. An address of the metadata may be anything. */
function textOf({ specUrl = "", known, version = "" }: zarr.Convention): string {
  if (/^https?:\/\//i.test(specUrl)) return specUrl;
  if (known === "ome") return `${NGFF}${/^0\.[1-5]$/.test(version) ? `${version}/` : ""}`;
  return (known && TEXTS[known]) ?? "";
}

/** Only errors and warnings are shown, no notes. */
function findingList(findings: readonly zarr.Finding[]): unknown {
  const shown = findings.filter(({ severity }) => severity !== "info");
  const item = ({ severity, path, message }: zarr.Finding) =>
    html`<li class=${severity}>${shortened(path === "" ? message : `${path}: ${message}`)}</li>`;
  return shown.length === 0 ? nothing : html`<ul class="findings">${inParts(shown, item)}</ul>`;
}
