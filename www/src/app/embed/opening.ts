/**
 * Opens the data set of a `<zarr-view>`: that of its address, or of a store of the page. It asks no
 * questions, because a page of another author cannot.
 */

import type { Readable } from "zarr-wasm";
import { openDataset } from "../../model/opening/dataset.js";
import { sourceOf } from "../../model/opening/source.js";
import { PageError } from "../../model/text/errors.js";
import type { Questions } from "../../tools/linked/linked_views.js";
import type { ContentView, DatasetOf } from "../../widgets/views/content_view.js";

/** References to other servers, about which a page of another author cannot ask. */
class OtherServersError extends PageError {
  readonly title = "Not opened: its data is on other servers";
  readonly cure = "Open its address in the viewer, which asks first, or give the element a store.";
}

/** A STAC document with several data sets, about which it cannot ask either. */
class SeveralDataSetsError extends PageError {
  readonly title = "Not opened: it is a list of data sets";
  readonly cure = "Give the address of one of the data sets.";
}

/** The answers instead of a user's. */
export const refusals: Questions = {
  hosts: async (_document, hosts) => {
    throw new OtherServersError(`The document of references names ${hosts.join(", ")}.`);
  },
  asset: async (document, assets) => {
    throw new SeveralDataSetsError(`“${document}” is a STAC document that names ${assets.length} data sets.`);
  },
};

/** The data set of an address; `store` replaces it. An open one is kept for its other nodes. */
export const datasetOf =
  (view: ContentView, key: string, store: Readable | null): DatasetOf =>
  async (own, signal) => {
    const before = own?.source;
    if (own && before && (store ? before.store === store : before.key === key)) return own;
    const given = store && { key: "", name: "data", url: null, store };
    const source = given ?? (await sourceOf(key, { base: document.baseURI, ask: refusals.hosts, signal }));
    view.url = source.url;
    return openDataset(source, signal);
  };
