#!/usr/bin/env bash
# Makes the pages of this folder: the listings of a folder with difficult names by several servers.
# Uses nginx, apache2, lighttpd, caddy, python3 and npm's http-server. Servers that are not
# installed are skipped. s3.py does the same for object stores.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT

cd "$work"
python3 - <<'PY'
import os
names = ["zarr.json", "a/zarr.json", "b c/zarr.json", "d&e/zarr.json", "f#g/zarr.json", "h%20i/zarr.json", "été/zarr.json",
         "j'k\"l/zarr.json", "m;n=o,p+q/zarr.json", ".zgroup", "x?y",
         "long-name-that-servers-cut-in-the-text-of-the-link-but-not-in-the-link-itself-0123456789/zarr.json"]
for name in names:
    path = os.path.join("served/data.zarr", name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    open(path, "w").write("{}")
PY
chmod -R a+rX "$work"

# page <port> <name>: keeps what the server on a port makes of the folder.
page() {
  for _ in $(seq 50); do curl -sf -o /dev/null "http://127.0.0.1:$1/data.zarr/" && break; sleep 0.1; done
  curl -s "http://127.0.0.1:$1/data.zarr/" >"$here/$2"
}
has() { command -v "$1" >/dev/null || [ -x "/usr/sbin/$1" ]; }
PATH=$PATH:/usr/sbin

if has nginx; then
  for format in html json; do
    cat >nginx.conf <<CONF
daemon off; pid $work/nginx.pid; error_log stderr;
events {}
http { access_log off; server { listen 127.0.0.1:8141; root $work/served; autoindex on; autoindex_format $format; } }
CONF
    nginx -c "$work/nginx.conf" & pid=$!
    page 8141 "nginx.$format"
    kill $pid; wait $pid || true
  done
fi
if has apache2; then
  cat >apache.conf <<CONF
ServerName localhost
Listen 127.0.0.1:8142
PidFile $work/apache.pid
ErrorLog $work/apache.log
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule dir_module /usr/lib/apache2/modules/mod_dir.so
LoadModule autoindex_module /usr/lib/apache2/modules/mod_autoindex.so
DocumentRoot $work/served
<Directory $work/served>
  Options Indexes
  IndexOptions OPTIONS
  Require all granted
</Directory>
CONF
  for options in "None:apache.html" "FancyIndexing HTMLTable:apache-table.html"; do
    sed "s/IndexOptions OPTIONS/IndexOptions ${options%%:*}/" apache.conf >apache-one.conf
    apache2 -X -f "$work/apache-one.conf" & pid=$!
    page 8142 "${options##*:}"
    kill $pid; wait $pid || true
  done
fi
if has lighttpd; then
  printf 'server.modules=("mod_dirlisting")\nserver.document-root="%s"\nserver.port=8143\nserver.bind="127.0.0.1"\ndir-listing.activate="enable"\n' "$work/served" >lighttpd.conf
  lighttpd -D -f lighttpd.conf & pid=$!
  page 8143 lighttpd.html
  kill $pid; wait $pid || true
fi
if has caddy; then
  caddy file-server --browse --root served --listen 127.0.0.1:8144 2>/dev/null & pid=$!
  page 8144 caddy.html
  kill $pid; wait $pid || true
fi
(cd served && exec python3 -m http.server --bind 127.0.0.1 8145 2>/dev/null) & pid=$!
page 8145 python.html
kill $pid; wait $pid || true
if has npx; then
  npx --yes http-server@14.1.1 served -a 127.0.0.1 -p 8146 -s >/dev/null 2>&1 & page 8146 http-server.html

fi
echo done
