/**
 * Finds or installs the servers that the lane `servers` reads from. Debian packages bring nginx,
 * Apache and Caddy. PyPI brings moto and npm the others, with the versions of requirements.txt and
 * npm/package-lock.json, once, into `target/servers/`.
 */
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask, ROOT, run } from "../../scripts/run_command.mjs";

const HERE = import.meta.dirname;
const FOLDER = join(ROOT, "target/servers");

/** Runs `install` unless it has run for these bytes of `lock`. */
async function once(folder, lock, install) {
  const mark = join(folder, "installed");
  const wanted = createHash("sha256").update(readFileSync(lock)).digest("hex");
  if (existsSync(mark) && readFileSync(mark, "utf8") === wanted) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await install();
  writeFileSync(mark, wanted);
}

/** Resolves to the folder of npm's programs. */
async function installFromNpm() {
  const folder = join(FOLDER, "npm");
  const lock = join(HERE, "npm/package-lock.json");
  await once(folder, lock, () => {
    for (const file of ["package.json", "package-lock.json"])
      copyFileSync(join(HERE, "npm", file), join(folder, file));
    const options = ["--no-audit", "--no-fund", "--ignore-scripts"];
    return run("npm: sirv, serve, http-server, s3rver", "npm", ["ci", ...options], { cwd: folder });
  });
  return join(folder, "node_modules");
}

/** Resolves to the path of moto's server. */
async function installMoto() {
  const folder = join(FOLDER, "moto");
  const lock = join(HERE, "requirements.txt");
  const python = join(folder, "bin/python");
  await once(folder, lock, async () => {
    await run("python: an environment for moto", "python3", ["-m", "venv", folder]);
    const options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--requirement", lock];
    await run("pip: moto", python, ["-m", "pip", "install", ...options]);
  });
  return join(folder, "bin/moto_server");
}

const firstOf = (...paths) => paths.find((path) => path && existsSync(path));

/**
 * Makes a certificate for 127.0.0.1, unless Node already trusts it. Resolves to `{key,
 * certificate}`; undefined without openssl.
 */
async function makeCertificate() {
  const [key, certificate] = ["key.pem", "certificate.pem"].map((name) => join(FOLDER, name));
  if (process.env.NODE_EXTRA_CA_CERTS === certificate) return { key, certificate };
  if (!ask("openssl", ["version"])) return undefined;
  mkdirSync(FOLDER, { recursive: true });
  const kind = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30"];
  const who = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  await run("openssl: a certificate", "openssl", [...kind, ...who, "-keyout", key, "-out", certificate]);
  return { key, certificate };
}

/** Resolves to undefined if an installation fails; `run` has printed why. */
const orUndefined = (installing) => installing.catch(() => undefined);

/** Resolves to the paths of the servers. One that cannot be had is undefined. */
export async function installServers() {
  return {
    nginx: firstOf(process.env.NGINX, "/usr/sbin/nginx", "/usr/bin/nginx"),
    apache: firstOf("/usr/sbin/apache2", "/usr/sbin/httpd"),
    apacheModules: firstOf("/usr/lib/apache2/modules", "/usr/lib64/httpd/modules"),
    caddy: firstOf("/usr/bin/caddy", "/usr/local/bin/caddy"),
    python: ask("python3", ["--version"]) && "python3",
    npm: await orUndefined(installFromNpm()),
    moto: await orUndefined(installMoto()),
    tls: await orUndefined(makeCertificate()),
  };
}
