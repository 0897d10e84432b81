#!/usr/bin/env bash
# nock 15.0.2: a wrong path at a host with interceptors is answered with status 501, a wrong host is an error.
#
# One would expect one outcome for what no interceptor matches after `nock.disableNetConnect()`: an error. A host that
# no interceptor names gets it (ENETUNREACH, "Disallowed net connect"). A host that has interceptors answers a path
# which none of them has with status 501 and a JSON body that holds ERR_NOCK_NO_MATCH, to `http.get`, to `fetch` and to
# undici alike. Code that takes 5xx for trouble of the provider and tries again later passes its tests with a wrong
# path. A suite must count what did not match, and look at `isDone()`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --no-audit --no-fund nock@15.0.2 undici@7.16.0 node@24.21.0 >>npm.log 2>&1
PATH=$folder/node_modules/.bin:$PATH
node -e 'for (const name of ["nock", "undici"]) console.log(name, require(`./node_modules/${name}/package.json`).version)'
node --version
cat >look.mjs <<'JS'
import { get } from 'node:http'
import nock from 'nock'
import { fetch as undiciFetch, request } from 'undici'

nock.disableNetConnect()
nock('http://pay.example').get('/v1/charges').reply(200, 'ok').persist()

const other = 'http://pay.example/v1/chargs'
const elsewhere = 'http://pays.example/v1/charges'
const outcome = (work) => work().then((status) => `status ${status}`, (error) => error.cause?.code ?? error.code)
const viaHttp = () =>
  new Promise((resolve, reject) => get(other, ({ statusCode }) => resolve(statusCode)).on('error', reject))

console.log('node:http', await outcome(viaHttp))
console.log('fetch', await outcome(async () => (await fetch(other)).status))
console.log('undici.request', await outcome(async () => (await request(other)).statusCode))
console.log('undici.fetch', await outcome(async () => (await undiciFetch(other)).status))
console.log('another host, fetch', await outcome(async () => (await fetch(elsewhere)).status))
console.log('body', JSON.parse(await (await fetch(other)).text()).code)
JS
node look.mjs | tee seen
diff seen - <<'SEEN'
node:http status 501
fetch status 501
undici.request status 501
undici.fetch status 501
another host, fetch ENETUNREACH
body ERR_NOCK_NO_MATCH
SEEN
