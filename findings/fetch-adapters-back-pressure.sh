#!/usr/bin/env bash
# srvx 1.0.8 and fetch-to-node 2.1.0: a Node handler behind them is never told to wait for its reader.
#
# Both turn a handler of Node's `(request, response)` into a web-standard one, whose body is a stream. Such a stream has
# back-pressure, and so has Node's response: `write` returns false, and `drain` comes when there is room. One would
# expect that the one becomes the other, as it is with a socket in between. The handler here heeds `write` and sends
# 64 MiB; its reader takes one piece and then nothing. Over node:http it waits. Behind both adapters `write` goes on
# saying true, and all 64 MiB lie in the queue of the stream. A server of large files or of events without an end has to
# make its `Response` itself.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --no-audit --no-fund srvx@1.0.8 fetch-to-node@2.1.0 node@24.21.0 >>npm.log 2>&1
PATH=$folder/node_modules/.bin:$PATH
node --version
cat >look.mjs <<'JS'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { toFetchResponse, toReqRes } from 'fetch-to-node'
import { toFetchHandler } from 'srvx/node'

const MIB = 1024 * 1024
const piece = Buffer.alloc(64 * 1024)

function writer() {
  const seen = { written: 0, isOver: false }
  const write = async (response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream' })
    for (let sent = 0; sent < 64 * MIB; sent += piece.length) {
      seen.written += piece.length
      if (!response.write(piece)) await once(response, 'drain')
    }
    seen.isOver = true
    response.end()
  }
  const handle = (_request, response) => void write(response).catch(() => {})
  return { seen, handle }
}

async function look(name, { seen, handle }, answerOf) {
  const reader = (await answerOf(handle)).body.getReader()
  await reader.read()
  await new Promise((resolve) => setTimeout(resolve, 500))
  console.log(`${name}: ${seen.isOver ? `${seen.written / MIB} MiB written, nobody waits` : 'waits for its reader'}`)
  await reader.cancel().catch(() => {})
}

const server = createServer()
await look('node:http', writer(), async (handle) => {
  server.on('request', handle)
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return fetch(`http://127.0.0.1:${server.address().port}`)
})
server.closeAllConnections()
server.close()
await look('srvx', writer(), (handle) => toFetchHandler(handle)(new Request('http://here/')))
await look('fetch-to-node', writer(), async (handle) => {
  const { req, res } = toReqRes(new Request('http://here/'))
  handle(req, res)
  return toFetchResponse(res)
})
process.exit(0)
JS
node look.mjs | tee seen
diff seen - <<'SEEN'
node:http: waits for its reader
srvx: 64 MiB written, nobody waits
fetch-to-node: 64 MiB written, nobody waits
SEEN
