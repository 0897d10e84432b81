// A process of its own that keeps a server busy over many kept-alive connections, until the server has turned
// each of them away, and then prints the results of all requests as one line of JSON. Arguments: port,
// connections, milliseconds between two requests of one connection (0: as fast as it answers), hosts that
// take turns (0: each request is from a host of its own). Prints `warm` when every connection, and every
// host, has had an answer.
import { connect } from 'node:net'
import { fingerprintOf, keyOf } from './load-hosts.ts'

const [port = 0, connections = 1, everyMs = 0, hosts = 0] = process.argv.slice(2).map(Number)

/** Results of the requests. */
export interface LoadReport {
  /** Requests whose answer came whole. */
  readonly answered: number
  readonly statuses: Readonly<Record<string, number>>
  /** Requests that went out whole on a connection that had already answered, and got no whole answer. */
  readonly lost: number
  /** New connections that were reset before a byte came back: nobody had taken them. */
  readonly untaken: number
  /** Answers that said they were the last of their connection. */
  readonly goodbyes: number
  /** Connections that were closed between two requests, without one being lost. */
  readonly closedIdle: number
  /** Answers a second, from `warm` until the first goodbye. */
  readonly rate: number
  /** Heartbeats that were acknowledged with 200. */
  readonly acknowledged: number
}

let [answered, lost, untaken, goodbyes, closedIdle, acknowledged, cold] = [0, 0, 0, 0, 0, 0, connections]
const statuses: Record<string, number> = {}
let [untilWarm, atWarm] = [0, 0]
let [untilGoodbye, atGoodbye] = [0, 0]
let serial = 0
let open = connections

/**
 * Hosts belong to many licenses, because the rate of one is limited. A server in development accepts any key.
 */
const HEARTBEATS_OF_A_LICENSE = 20

function request(): string {
  serial += 1
  const host = hosts === 0 ? serial : serial % hosts
  const fingerprint = fingerprintOf(host)
  const body = JSON.stringify({ fingerprint, hostname: `host-${host}`, cpu_pct: 1.5 })
  const key = hosts === 0 ? `load-key-${Math.floor(serial / HEARTBEATS_OF_A_LICENSE)}` : keyOf(host)
  return `POST /v1/telemetry/heartbeat HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

/**
 * One kept connection after the other, one request at a time, until the server is gone. `turn`, from 0 to 1,
 * is the client's part of the first pause: without it all would ask at the same moments, and none be idle
 * then.
 */
function client(turn: number, first: boolean): void {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let [text, waiting, heard, isLast] = ['', false, 0, false]
  let timer: NodeJS.Timeout | undefined
  const send = () => {
    waiting = true
    socket.write(request())
  }
  socket.setEncoding('latin1')
  socket.on('connect', send)
  socket.on('data', (chunk: string) => {
    text += chunk
    const answer = wholeAnswer(text)
    if (answer === undefined) return
    text = ''
    waiting = false
    heard += 1
    note(answer)
    if (first && heard === 1) cold -= 1
    if (atWarm === 0 && cold === 0 && answered >= hosts) warmed()
    isLast = /\r\nconnection: close\r\n/i.test(answer)
    if (isLast) {
      goodbyes += 1
      if (goodbyes === 1) [untilGoodbye, atGoodbye] = [answered, performance.now()]
    } else if (everyMs === 0) send()
    else timer = setTimeout(send, first && heard === 1 ? everyMs * turn : everyMs)
  })
  let refused = false
  socket.on('error', (error: NodeJS.ErrnoException) => {
    refused = error.code === 'ECONNREFUSED'
  })
  socket.on('close', () => {
    clearTimeout(timer)
    if (refused) ended()
    else {
      if (waiting && heard > 0) lost += 1
      else if (waiting) untaken += 1
      else if (!isLast) closedIdle += 1
      client(turn, false)
    }
  })
}

/** Returns the head of `text` when `text` holds an answer with its whole body. */
function wholeAnswer(text: string): string | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const head = text.slice(0, end + 2)
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
  return text.length >= end + 4 + length ? head : undefined
}

function note(head: string): void {
  answered += 1
  const status = head.slice(9, 12)
  statuses[status] = (statuses[status] ?? 0) + 1
  if (status === '200') acknowledged += 1
}

function warmed(): void {
  ;[untilWarm, atWarm] = [answered, performance.now()]
  process.stdout.write('warm\n')
}

function ended(): void {
  open -= 1
  if (open > 0) return
  const rate = Math.round((untilGoodbye - untilWarm) / ((atGoodbye - atWarm) / 1000))
  const report: LoadReport = { answered, statuses, lost, untaken, goodbyes, closedIdle, rate, acknowledged }
  process.stdout.write(`${JSON.stringify(report)}\n`)
}

for (let count = 0; count < connections; count += 1) client(count / connections, true)
