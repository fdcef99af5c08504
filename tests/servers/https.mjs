/**
 * A server over https for tests. Its certificate signs itself, and its key is public: a test that
 * uses it tells its process to accept it. It proves nothing about certificates.
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";

const pem = (name) => readFileSync(join(import.meta.dirname, `../fixtures/tls/${name}.pem`));

export const httpsServer = (answer) => createServer({ key: pem("key"), cert: pem("certificate") }, answer);
