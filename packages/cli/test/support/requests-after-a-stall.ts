// node requests-after-a-stall.ts [young]: serves requests that a database keeps waiting at first and prints
// how many full collections it took to serve the same requests afterwards, as JSON.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { keepRequestsYoung } from '../../src/commands/serve/young-requests.ts'

const CONNECTIONS = 64
const STALL_MS = 1500
const WAIT_MS = 300
const MEASURED_REQUESTS = 100_000
const REQUEST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}'

if (process.argv[2] === 'young') keepRequestsYoung()

let answered = 0
let fullCollections = 0
const isStalled = () => performance.now() < STALL_MS

async function answer(response: ServerResponse): Promise<void> {
  if (isStalled()) {
    await delay(WAIT_MS)
    // Stands for the other work of a server meanwhile, so that waiting requests live through collections.
    for (let times = 0; times < 3; times += 1) Array.from({ length: 20_000 }, (_, n) => ({ n }))
  }
  answered += 1
  response.writeHead(200, { 'Content-Length': 2 }).end('{}')
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => void answer(response))
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
for (let n = 0; n < CONNECTIONS; n += 1) {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('data', () => socket.write(REQUEST))
  socket.write(REQUEST)
}
while (isStalled()) await delay(100)
await delay(1000)
const observer = new PerformanceObserver((list) => {
  for (const entry of list.getEntries() as (PerformanceEntry & { detail: { kind: number } })[]) {
    if (entry.detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) fullCollections += 1
  }
})
observer.observe({ entryTypes: ['gc'] })
const before = answered
while (answered - before < MEASURED_REQUESTS) await delay(20)
process.stdout.write(`${JSON.stringify({ fullCollections })}\n`)
process.exit(0)
