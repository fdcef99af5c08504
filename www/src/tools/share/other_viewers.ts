/**
 * Links that open the data set in other viewers. Each viewer requests the data itself, so a data
 * set of this computer has no link. An address with a query, a user or a password has none either:
 * the link would give keys in them to another site.
 */

import { plainPath } from "../../model/text/paths.js";
import { type StoreLocation, storeLocationOf } from "../../widgets/views/view_reads.js";
import type { ViewSnapshot } from "../../widgets/views/view_snapshot.js";

export interface OtherViewer {
  name: string;
  about: string;
  url: string;
}

/** Makes the link of a viewer. Null if the viewer does not open such data. */
type Link = (location: StoreLocation, node: OpenNode) => string | null;

interface OpenNode {
  path: string;
  isOme: boolean;
  name: string;
}

const VIEWERS: readonly { name: string; about: string; link: Link }[] = [
  {
    name: "Open in neuroglancer",
    about: "Sections in three planes, of arrays and OME-Zarr",
    link: neuroglancer,
  },
  {
    name: "Open in vizarr",
    about: "Images and plates of OME-Zarr",
    link: byQuery("https://hms-dbmi.github.io/vizarr/"),
  },
  {
    name: "Open in the OME-NGFF validator",
    about: "Checks the metadata of OME-Zarr",
    link: byQuery("https://ome.github.io/ome-ngff-validator/"),
  },
];

export function otherViewers({ source, state: { scene } }: ViewSnapshot): OtherViewer[] {
  const { url } = source;
  const isPlain = url !== null && `${url.search}${url.username}${url.password}` === "";
  if (!isPlain) return [];
  const location = storeLocationOf(source);
  const node = openNode(scene);
  return VIEWERS.flatMap(({ name, about, link }) => {
    const to = link(location, node);
    return to === null ? [] : [{ name, about, url: to }];
  });
}

/** The group of an OME image, which has all its levels, or else the array. */
function openNode({ pyramid, array, title }: ViewSnapshot["state"]["scene"]): OpenNode {
  const isOme = pyramid.convention === "ome";
  const group = pyramid.series[pyramid.image]?.path ?? "";
  return { path: plainPath(isOme ? group : array.path), isOme, name: title };
}

/** https://neuroglancer-docs.web.app/datasource: an address, its adapters, and the format. */
function neuroglancer({ kind, address }: StoreLocation, { path, name }: OpenNode): string | null {
  if (kind !== "folder" && kind !== "zip") return null;
  const root = address.replace(/\/$/, "");
  const inside = path === "" ? "" : `${path}/`;
  const source = kind === "zip" ? `${root}|zip:${inside}|zarr:` : `${root}/${inside}|zarr:`;
  const state = { layers: [{ type: "auto", source, name }], layout: "xy" };
  return `https://neuroglancer-demo.appspot.com/#!${encodeURIComponent(JSON.stringify(state))}`;
}

/** A viewer of OME-Zarr in folders, which takes the URL of the image as `source`. */
function byQuery(viewer: string): Link {
  return ({ kind, address }, { path, isOme }) => {
    if (kind !== "folder" || !isOme) return null;
    const image = `${address.replace(/\/$/, "")}${path === "" ? "" : `/${path}`}`;
    return `${viewer}?source=${encodeURIComponent(image)}`;
  };
}
