#!/usr/bin/env bash
# Node.js 24.21.0: a program that imports a name of `node:process` makes `cat` beside it fail.
#
# `import { pid } from 'node:process'` looks like a way to say `process.pid` without the global. One would expect it to
# load nothing, as `require('node:process')` does. The names of a module of Node.js are taken from it when it is first
# imported, all of them, and `process.stdin` is a getter that opens a stream on its first use. When stdin is a pipe,
# its open file becomes non-blocking, for every process that shares it: `cat`, which reads the same pipe after the
# program has begun, gets EAGAIN and ends with 1. Three programs that wait for a second and never mention stdin, each
# beside a `cat`: one with the global, one with `require`, one with the import.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --no-audit --no-fund node@24.21.0 >>npm.log 2>&1
PATH=$folder/node_modules/.bin:$PATH
node --version
wait='setTimeout(() => {}, 2000)'
echo "$wait" >global.cjs
echo "require('node:process').pid; $wait" >require.cjs
echo "import { pid } from 'node:process'; $wait" >import.mjs

beside() {
  echo "beside $1:"
  (sleep 1.5; echo 'a line') | { node "$1" <&0 & sleep 0.8; LC_ALL=C cat 2>&1 || true; wait; }
}
said=$(beside global.cjs; beside require.cjs; beside import.mjs)
echo "$said"
expected=$(cat <<'OUT'
beside global.cjs:
a line
beside require.cjs:
a line
beside import.mjs:
cat: -: Resource temporarily unavailable
OUT
)
[ "$said" = "$expected" ] && echo 'as described above' || { echo 'this has changed'; exit 1; }
