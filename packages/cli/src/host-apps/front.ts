import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { WEB_PROCESS } from '@svc/core/adapters'
import { createProxyServer } from 'httpxy'
import { ChildSlot } from './child-slot.ts'
import type { Instance } from './instance.ts'
import type { RunningApp } from './running-app.ts'
import type { Slot } from './slot.ts'

/** The first port that the front of a new host tries. */
export const FRONT_PORT = 8_081
const TRIES = 50
const LOOPBACK = '127.0.0.1'
const DOMAIN = '.localhost'
/** Kept connections outlive the ones of browsers and load balancers, which then end them first. */
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

/** An application, and the process of it that answers. */
interface Wanted {
  readonly app: RunningApp
  readonly process: string
}

/**
 * Finds what a request is for by its `Host`: `APP.localhost` is the process `web` of an application, and
 * `PROCESS.APP.localhost` another one of it. Undefined for a name that is none.
 */
function wantedOf({ headers }: IncomingMessage, find: FindApp): Wanted | undefined {
  const host = (headers.host ?? '').toLowerCase().replace(/:\d{1,5}$/, '')
  if (!host.endsWith(DOMAIN)) return undefined
  const name = host.slice(0, -DOMAIN.length)
  const dot = name.indexOf('.')
  const app = find(name)
  if (app !== undefined || dot < 0) return app && { app, process: WEB_PROCESS }
  const other = find(name.slice(dot + 1))
  return other && { app: other, process: name.slice(0, dot) }
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

/** The instance of these for the next visitor: the one with the fewest, in turn. */
function pick(slots: readonly Slot[]): Instance | undefined {
  const up = slots.flatMap((slot) => (slot instanceof ChildSlot && slot.up !== undefined ? [slot.up] : []))
  const fewest = Math.min(...up.map(({ open }) => open))
  const free = up.filter(({ open }) => open === fewest)
  turn += 1
  return free[turn % free.length]
}

/** The instance that answers a request, or the status of its refusal. */
function instanceFor(wanted: Wanted | undefined): Instance | Refused {
  if (wanted === undefined) return 404
  const { visited } = wanted.app
  if (visited === undefined) return 503
  const slots = visited.visitedBy(wanted.process)
  return slots === undefined ? 404 : (pick(slots) ?? 503)
}

/** The files that answer a request, of an application that has some. */
const siteOf = (wanted: Wanted | undefined) =>
  wanted?.process === WEB_PROCESS ? wanted.app.visited?.site : undefined

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
    const wanted = wantedOf(request, find)
    const site = siteOf(wanted)
    if (site !== undefined) return site(request, response)
    const instance = instanceFor(wanted)
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
    const wanted = wantedOf(request, find)
    const instance = siteOf(wanted) === undefined ? instanceFor(wanted) : 404
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
