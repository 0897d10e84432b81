import { readFileSync } from 'node:fs'

/** A socket of TCP, as the kernel lists it. */
interface Socket {
  readonly port: number
  readonly state: number
  readonly uid: number
}

const ESTABLISHED = 1
const LISTENING = 10

// sl, local address, remote address, state, queues, timer, retransmissions, uid: see the kernel's page
// networking/proc_net_tcp.
const LINE = /^ *\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:[0-9A-F]{4} ([0-9A-F]{2}) \S+ \S+ \S+ +(\d+)/

/** Reads a list of `/proc/net`; nothing where the kernel has none of this family. */
function socketsIn(path: string): readonly Socket[] {
  let text: string
  try {
    text = readFileSync(path, 'latin1')
  } catch {
    return []
  }
  return text.split('\n').flatMap((line) => {
    const [, port = '', state = '', uid = ''] = LINE.exec(line) ?? []
    return port === ''
      ? []
      : [{ port: Number.parseInt(port, 16), state: Number.parseInt(state, 16), uid: Number(uid) }]
  })
}

/** A table of this age, in milliseconds, is as good as a new one. */
const RECENT_MS = 50

/**
 * The sockets of TCP of this host at one moment. To read them takes the kernel some ten milliseconds: with
 * the memory of a host grows the table that it walks through, with its visitors the list.
 */
export class SocketTable {
  static #last: { readonly table: SocketTable; readonly at: number } | undefined
  readonly #sockets: readonly Socket[]

  /** The sockets of now, or of a moment before: callers of one moment share one reading. */
  static recent(): SocketTable {
    const last = SocketTable.#last
    if (last !== undefined && performance.now() - last.at < RECENT_MS) return last.table
    const at = performance.now()
    const table = new SocketTable()
    SocketTable.#last = { table, at }
    return table
  }

  constructor(folder = '/proc/net') {
    this.#sockets = [...socketsIn(`${folder}/tcp`), ...socketsIn(`${folder}/tcp6`)]
  }

  /** Whether processes of this user listen at a port, and nobody else. */
  isHeldBy(port: number, uid: number): boolean {
    const listeners = this.#sockets.filter((socket) => socket.port === port && socket.state === LISTENING)
    return listeners.length > 0 && listeners.every((socket) => socket.uid === uid)
  }

  /** Whether anybody listens at a port. */
  isListened(port: number): boolean {
    return this.#sockets.some((socket) => socket.port === port && socket.state === LISTENING)
  }

  /** The connections that are open to a port of this host. */
  connectionsTo(port: number): number {
    return this.#sockets.filter((socket) => socket.port === port && socket.state === ESTABLISHED).length
  }
}

/** Whether a child of this process listens at a port, in the network of that child. */
export function listensInside(pid: number, port: number): boolean {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ')
    return children.some((child) => child !== '' && new SocketTable(`/proc/${child}/net`).isListened(port))
  } catch {
    return false
  }
}
