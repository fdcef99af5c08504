/** nginx: plain, compressing everything, and with HTTP/2. */
import { join } from "node:path";

const TEMPORARY = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];

const configuration = ({ home, folder, port }, { listen = "", more = "" }) => `
  daemon off;
  master_process off;
  pid ${home}/nginx.pid;
  error_log ${home}/error.log;
  events { worker_connections 512; }
  http {
    access_log off;
    types { text/html html; application/json json; application/zip zip; }
    default_type application/octet-stream;
    ${TEMPORARY.map((name) => `${name}_temp_path ${home}/${name};`).join("\n")}
    server { listen 127.0.0.1:${port} ${listen}; root ${folder}; autoindex on; ${more} }
  }`;

const nginx = (name, tools, special, facts = {}) => ({
  name,
  missing: tools.nginx ? undefined : "there is no nginx: apt-get install nginx",
  version: [tools.nginx, ["-v"]],
  lists: true,
  hides: "^[.]",
  note: "lists no names that begin with a dot",
  ...facts,
  start: (place) => ({
    program: tools.nginx,
    args: ["-p", place.home, "-e", join(place.home, "error.log"), "-c", join(place.home, "nginx.conf")],
    files: { "nginx.conf": configuration(place, special(tools)) },
  }),
});

const GZIP = "gzip on; gzip_types *; gzip_min_length 1; gzip_http_version 1.0;";

const tls = ({ tls }) => ({
  listen: "ssl http2",
  more: `ssl_certificate ${tls.certificate}; ssl_certificate_key ${tls.key};`,
});

export const hosts = (tools) => [
  nginx("nginx", tools, () => ({})),
  nginx("nginx with gzip", tools, () => ({ more: GZIP }), { inBrowser: true }),
  nginx("nginx with HTTP/2", tools, tls, {
    secure: true,
    note: "Node uses HTTP/1.1 over TLS; lists no names that begin with a dot",
    inBrowser: true,
    ...(!tools.tls && { missing: "there is no openssl to make a certificate" }),
  }),
];
