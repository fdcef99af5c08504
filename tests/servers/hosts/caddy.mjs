/** Caddy: with pages of folders, and with gzip and zstd for what it takes for text. */
import { join } from "node:path";

const configuration = ({ folder, port }, more) => `
{
  admin off
  auto_https off
}
http://127.0.0.1:${port} {
  root * ${folder}
  ${more}
  file_server browse
}
`;

const caddy = (name, tools, more) => ({
  name,
  missing: tools.caddy ? undefined : "there is no Caddy: apt-get install caddy",
  version: [tools.caddy, ["version"]],
  lists: true,
  start: (place) => ({
    program: tools.caddy,
    args: ["run", "--adapter", "caddyfile", "--config", join(place.home, "Caddyfile")],
    files: { Caddyfile: configuration(place, more) },
    env: { XDG_DATA_HOME: place.home, XDG_CONFIG_HOME: place.home },
  }),
});

export const hosts = (tools) => [
  caddy("Caddy", tools, ""),
  caddy("Caddy with encode", tools, "encode zstd gzip"),
];
