#!/usr/bin/env bash
# Builds the dashboard unless nothing that it is built from has changed.
set -euo pipefail
cd "$(dirname "$0")/../frontend"
want=$( (find src public index.html vite.config.ts package-lock.json -type f 2>/dev/null | LC_ALL=C sort | xargs cat) | sha256sum | cut -d' ' -f1)
[ -f dist/.stamp ] && [ "$(cat dist/.stamp)" = "$want" ] && exit 0
echo "frontend: building"
npm run --silent build
echo "$want" >dist/.stamp
