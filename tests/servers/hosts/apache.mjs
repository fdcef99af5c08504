/** Apache httpd: plain, and with mod_deflate for everything. */
import { join } from "node:path";

const MODULES = ["mpm_event", "authz_core", "dir", "mime", "autoindex", "filter", "deflate"];

const configuration = ({ home, folder, port }, { apacheModules }, more) => `
ServerName localhost
Listen 127.0.0.1:${port}
PidFile ${home}/apache.pid
ErrorLog ${home}/error.log
Mutex posixsem
${MODULES.map((name) => `LoadModule ${name}_module ${apacheModules}/mod_${name}.so`).join("\n")}
TypesConfig /dev/null
AddType text/html .html
AddType application/json .json
DocumentRoot ${folder}
${more}
<Directory ${folder}>
  Options Indexes
  Require all granted
</Directory>
`;

const apache = (name, tools, more, facts = {}) => ({
  name,
  missing:
    tools.apache && tools.apacheModules ? undefined : "there is no Apache: apt-get install apache2-bin",
  version: [tools.apache, ["-v"]],
  lists: true,
  ...facts,
  start: (place) => ({
    program: tools.apache,
    args: ["-X", "-d", place.home, "-f", join(place.home, "apache.conf")],
    files: { "apache.conf": configuration(place, tools, more) },
  }),
});

export const hosts = (tools) => [
  apache("Apache", tools, ""),
  apache("Apache with mod_deflate", tools, "SetOutputFilter DEFLATE", { inBrowser: true }),
];
