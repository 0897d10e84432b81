// An application for visitors of every kind, as its authors would write it: asked to end, it finishes
// answers, tells streams and sockets, and leaves when the last connection has ended.
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { WebSocketServer } from '/srv/ws/wrapper.mjs'

const { PORT, SVC_RELEASE, SVC_PROCESS } = process.env
const TICK_MS = 200
const own = `${SVC_RELEASE}/${SVC_PROCESS}`
const farewells = new Set()
let isLeaving = false

const server = createServer((request, response) => {
  response.setHeader('x-instance', own)
  if (isLeaving) response.setHeader('connection', 'close')
  if (request.method === 'POST') return take(request, response)
  if (request.url === '/stream') return tell(response)
  response.end(own)
})

/** Answers an upload with its size and digest. */
function take(request, response) {
  const hash = createHash('sha256')
  let bytes = 0
  request.on('data', (part) => {
    bytes += part.length
    hash.update(part)
  })
  request.on('end', () => response.end(`${bytes} ${hash.digest('hex')}`))
}

/** Sends events until it ends. */
function tell(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const timer = setInterval(() => response.write('data: tick\n\n'), TICK_MS)
  const end = () => response.end('data: bye\n\n')
  farewells.add(end)
  response.once('close', () => {
    clearInterval(timer)
    farewells.delete(end)
  })
}

new WebSocketServer({ server }).on('connection', (socket) => {
  socket.send(own)
  socket.on('message', (word) => socket.send(String(word)))
  const end = () => socket.close(1001)
  farewells.add(end)
  socket.once('close', () => farewells.delete(end))
})

process.once('SIGTERM', () => {
  isLeaving = true
  for (const end of farewells) end()
  setInterval(() => server.getConnections((_, count) => count === 0 && process.exit(0)), 20)
})
server.listen(PORT)
