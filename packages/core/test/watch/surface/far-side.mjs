// The machines that scans look at, in a network namespace: web servers of several kinds and other services.
// It counts connections by address and port. `node far-side.mjs <folder of certificates>`
import { readFileSync } from 'node:fs'
import { createServer as web } from 'node:http'
import { createServer as secureWeb } from 'node:https'
import { createServer } from 'node:net'
import { createSecureContext } from 'node:tls'

const folder = process.argv[2]
const counts = new Map()
const count = (socket) => {
  const place = `${socket.localAddress}:${socket.localPort}`
  counts.set(place, (counts.get(place) ?? 0) + 1)
  socket.on('error', () => {})
}
/** Files by host and path, and other behaviour of hosts. */
const files = new Map()
const agents = new Set()
const methods = new Set()
const held = new Set()

const page = (title) =>
  `<!doctype html><html><head><title>${title}</title></head><body>${title}</body></html>`
const MANNERS = {
  /** Answers every path with the same page. */
  spa: (_, response) => response.end(page('One page')),
  /** The index page again, with a part that changes. */
  'spa-changing': (request, response) =>
    response.end(`${page('One page')}<!-- ${'words of the page that stay '.repeat(20)} ${request.url} -->`),
  big: (_, response) => {
    response.writeHead(200, { 'content-length': 10_000_000_000 })
    const chunk = Buffer.alloc(65_536, 'x')
    const more = () => {
      while (response.write(chunk));
    }
    response.on('drain', more)
    response.on('error', () => {})
    more()
  },
  bomb: (_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/html' })
    response.end(readFileSync(`${folder}/bomb.gz`))
  },
  slow: (_, response) => {
    held.add(response)
    response.socket.write('HTTP/1.1 200 OK\r\nX-One: ')
    const timer = setInterval(() => response.socket.write('x'), 200)
    response.socket.on('close', () => clearInterval(timer))
  },
  'to-loopback': (_, response) => response.writeHead(302, { location: 'http://127.0.0.1/' }).end(),
  'to-other': (_, response) => response.writeHead(302, { location: 'http://victim.example/' }).end(),
  'to-own': (_, response) => response.writeHead(301, { location: 'http://www.shop.example/landing' }).end(),
  echo: (request, response) => response.end(`svc-site-verification=${request.url}\n${request.url}`),
}
const manners = new Map()

function answer(request, response) {
  agents.add(request.headers['user-agent'])
  methods.add(request.method)
  response.on('error', () => {})
  const host = request.headers.host?.split(':')[0] ?? ''
  const file = files.get(`${host}${request.url}`) ?? files.get(host)?.[request.url]
  if (file?.hangs) {
    held.add(response)
    return
  }
  if (file !== undefined) {
    response.writeHead(file.status ?? 200, { server: 'nginx/1.25.3', ...file.headers })
    response.end(Buffer.from(file.body ?? '', file.encoding ?? 'utf8'))
    return
  }
  const manner = MANNERS[manners.get(host)]
  if (manner !== undefined) manner(request, response)
  else response.writeHead(404, { server: 'nginx/1.25.3' }).end('nothing here')
}

const certificate = (name) => ({
  cert: readFileSync(`${folder}/${name}.pem`),
  key: readFileSync(`${folder}/${name}.key`),
})
const SNI = { 'shop.example': 'self', 'old.example': 'expired' }

const listening = []
const listen = (server, port, address) =>
  listening.push(new Promise((resolve) => server.on('connection', count).listen(port, address, resolve)))

for (const address of ['11.22.33.44', '11.22.33.45', '11.22.33.46', '104.16.33.44']) {
  listen(web(answer), 80, address)
  listen(
    createServer((socket) => {
      socket.on('data', (data) => socket.write(`${data}`.startsWith('PING') ? '+PONG\r\n' : '-ERR\r\n'))
    }),
    6379,
    address,
  )
}
const secure = secureWeb(
  {
    ...certificate('self'),
    SNICallback: (name, done) => done(null, createSecureContext(certificate(SNI[name] ?? 'other'))),
  },
  answer,
)
secure.on('tlsClientError', () => {})
listen(secure, 443, '11.22.33.44')
listen(
  createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.2p1\r\n')),
  22,
  '11.22.33.44',
)
listen(
  createServer((socket) => {
    socket.once('data', () =>
      socket.end('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{"ApiVersion":"1.43"}'),
    )
  }),
  2375,
  '11.22.33.44',
)
await Promise.all(listening)

const does = {
  file: ({ host, path, ...file }) => void files.set(`${host}${path}`, file),
  remove: ({ host, path }) => void files.delete(`${host}${path}`),
  manner: ({ host, manner }) => void manners.set(host, manner),
  /** Connections since the last question, by address and port. */
  counts: () => {
    const said = Object.fromEntries(counts)
    counts.clear()
    return said
  },
  seen: () => ({ agents: [...agents], methods: [...methods] }),
}
process.on('message', ({ id, what, given }) => process.send({ id, said: does[what](given) }))
process.on('disconnect', () => process.exit())
process.send({ id: 0 })
