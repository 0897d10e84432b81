import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { WEB_PROCESS } from '@svc/core/adapters'
import { createProxyServer } from 'httpxy'
import { ChildSlot } from './child-slot.ts'
import type { Generation } from './generation.ts'
import type { Instance } from './instance.ts'
import type { RunningApp } from './running-app.ts'

/** The first port that the front of a new host tries. */
export const FRONT_PORT = 8_081
const TRIES = 50
const LOOPBACK = '127.0.0.1'
const DOMAIN = '.localhost'
/** Kept connections live longer than those of browsers and load balancers, which then end them first. */
const KEEP_ALIVE_MS = 75_000

/** The session of svc's own console: an application on the same machine must not see it. */
const OWN_COOKIE = /^(?:__Host-)?svc_session=/

/** Finds an application by its name. */
export type FindApp = (name: string) => RunningApp | undefined

/** The front of all applications of a host: one port of loopback, which sends `APP.localhost` to its app. */
export class Front implements AsyncDisposable {
  readonly port: number
  readonly #server: Server
  readonly #sockets = new Set<Duplex>()

  private constructor(server: Server, port: number) {
    this.#server = server
    this.port = port
    server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
  }

  /** Listens at a port, or at the next free one; port 0 takes any. */
  static async open(first: number, find: FindApp): Promise<Front> {
    const tries = first === 0 ? 1 : TRIES
    for (let port = first; port < first + tries; port += 1) {
      const server = serverOf(find)
      try {
        server.listen(port, LOOPBACK)
        await once(server, 'listening')
      } catch (error) {
        if (isTaken(error)) continue
        throw error
      }
      const address = server.address()
      return new Front(server, typeof address === 'object' && address !== null ? address.port : port)
    }
    throw new Error(`no port of ${first} to ${first + tries - 1} is free`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }
}

const isTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'

/** The application that a request is for, by its `Host`; undefined for a name that is none. */
function nameOf({ headers }: IncomingMessage): string | undefined {
  const host = (headers.host ?? '').toLowerCase().replace(/:\d{1,5}$/, '')
  return host.endsWith(DOMAIN) ? host.slice(0, -DOMAIN.length) : undefined
}

/** Takes out claims of strangers about the way of a request, and the console's cookie. */
function clean({ headers }: IncomingMessage): void {
  for (const name of Object.keys(headers))
    if (name === 'forwarded' || name.startsWith('x-forwarded-')) delete headers[name]
  const cookies = headers.cookie?.split(';').filter((cookie) => !OWN_COOKIE.test(cookie.trim()))
  if (cookies === undefined) return
  if (cookies.length === 0) delete headers.cookie
  else headers.cookie = cookies.join(';').trim()
}

const PAGES = {
  404: 'There is no such application here.',
  502: 'The application broke the connection off.',
  503: 'The application takes no visitors at the moment.',
} as const

type Refused = keyof typeof PAGES

const HEADERS = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }

function refuse(response: ServerResponse, status: Refused): void {
  if (response.headersSent) response.destroy()
  else response.writeHead(status, HEADERS).end(`${PAGES[status]}\n`)
}

function refuseUpgrade(socket: Duplex, status: Refused): void {
  socket.end(`HTTP/1.1 ${status} Refused\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
}

let turn = 0

/** The instance for the next visitor: the one with the fewest, in turn. */
function pick({ slots }: Generation): Instance | undefined {
  const up = slots.flatMap((slot) =>
    slot instanceof ChildSlot && slot.parts.process === WEB_PROCESS && slot.up !== undefined ? [slot.up] : [],
  )
  const fewest = Math.min(...up.map(({ open }) => open))
  const free = up.filter(({ open }) => open === fewest)
  turn += 1
  return free[turn % free.length]
}

/** The instance that answers a request, or the status of its refusal. */
function instanceFor(app: RunningApp | undefined): Instance | Refused {
  if (app === undefined) return 404
  const { visited } = app
  if (visited === undefined) return 503
  return visited.isVisited ? (pick(visited) ?? 503) : 404
}

const targetOf = ({ host, port = 0 }: Instance) => ({ protocol: 'http:', host, port })

function serverOf(find: FindApp): Server {
  // Connections to instances are not kept: a request would take one whose instance is just ending.
  const proxy = createProxyServer({ agent: false, xfwd: true })
  proxy.on('proxyRes', (answer) => {
    // These speak of the connection to the instance; the visitor's is another.
    delete answer.headers.connection
    delete answer.headers['keep-alive']
  })
  proxy.on('error', (_, __, answer) => {
    if (answer !== undefined && 'writeHead' in answer) refuse(answer, 502)
    else answer?.destroy()
  })
  // Uploads take as long as they take.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    const app = find(nameOf(request) ?? '')
    const site = app?.visited?.site
    if (site !== undefined) return site(request, response)
    const instance = instanceFor(app)
    if (typeof instance === 'number') return refuse(response, instance)
    clean(request)
    instance.open += 1
    response.once('close', () => {
      instance.open -= 1
    })
    proxy.web(request, response, { target: targetOf(instance) }).catch(() => refuse(response, 502))
  })
  server.on('upgrade', (request, socket, head) => {
    if (!(socket instanceof Socket)) return
    socket.on('error', () => socket.destroy())
    const app = find(nameOf(request) ?? '')
    const instance = app?.visited?.site === undefined ? instanceFor(app) : 404
    if (typeof instance === 'number') return refuseUpgrade(socket, instance)
    clean(request)
    instance.open += 1
    socket.once('close', () => {
      instance.open -= 1
    })
    proxy.ws(request, socket, { target: targetOf(instance) }, head).catch(() => socket.destroy())
  })
  return server
}
