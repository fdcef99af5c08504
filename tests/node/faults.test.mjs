/**
 * The campaign of faulty servers in Node (`tests/support/faults/`). It prints a table of the cases
 * by class.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as zarr from "../../dist/index.js";
import { campaign, cases, drawn } from "../support/faults/campaign.mjs";
import { campaignServer, classes } from "../support/faults/campaign_server.mjs";

/** Every case takes minutes. Of these, each class has some of each array and operation. */
const EVERY = Number(process.env.FAULTS_EVERY ?? 17);

const unhandled = [];
process.on("unhandledRejection", (reason) => unhandled.push(reason));

test("each fault ends in the right elements or in a typed error", async (context) => {
  await zarr.init({ onWarning() {} });
  const server = await campaignServer();
  const { table, failed } = await campaign(zarr, server.url, cases(classes(), EVERY));
  for (const line of drawn(table).split("\n")) context.diagnostic(line);
  await server.close();
  zarr.dispose();
  assert.deepEqual(failed, []);
  assert.deepEqual(unhandled, []);
});
