/**
 * Writes what the examples of the documentation read to a folder: the samples of the viewer, and
 * small containers of other kinds. The site publishes the folder, and the tests serve it.
 */
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { unpackArchive, unpackFixtures } from "../fixture_archives.mjs";

const ROOT = join(import.meta.dirname, "../../..");
const FIXTURES = join(ROOT, "tests/fixtures");

/** kerchunk's references to the times of the climate sample. */
const REFERENCES = {
  version: 1,
  refs: {
    ".zgroup": '{"zarr_format": 2}',
    "series/.zarray": JSON.stringify({
      zarr_format: 2,
      shape: [3],
      chunks: [3],
      dtype: "<i2",
      compressor: null,
      filters: null,
      fill_value: 0,
      order: "C",
    }),
    "series/.zattrs": '{"_ARRAY_DIMENSIONS": ["time"]}',
    "series/0": "base64:AQACAAMA",
  },
};

/** A STAC item with a node of the climate sample. */
const ITEM = {
  type: "Feature",
  stac_version: "1.1.0",
  id: "climate",
  assets: {
    air: {
      href: "../climate.zarr/air_temperature",
      type: "application/vnd.zarr; version=3",
      roles: ["data"],
    },
  },
  links: [{ rel: "store", href: "../climate.zarr", type: "application/vnd.zarr; version=3" }],
};

/** Documents in JSON, by path. */
const DOCUMENTS = { "references.json": REFERENCES, "items/climate.json": ITEM };

/** Writes all samples to a folder. */
export function writeSamples(folder) {
  const at = (path) => join(folder, path);
  const unpacked = unpackFixtures();
  cpSync(join(ROOT, "www/samples"), folder, { recursive: true });
  cpSync(join(FIXTURES, "containers/deflated.zip"), at("deflated.zip"));
  cpSync(join(unpacked, "viewer-plates/converted"), at("slides.zarr"), { recursive: true });
  cpSync(join(unpacked, "kerchunk/virtualizarr"), at("model.parq"), { recursive: true });
  unpackArchive(join(FIXTURES, "icechunk/v2.tar.gz"), at("repository"));
  for (const [path, document] of Object.entries(DOCUMENTS)) {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), JSON.stringify(document));
  }
}
