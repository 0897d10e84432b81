import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'

/** Replies of a relay to a command, after which it may hang up, or which come late. `''` says nothing. */
export type Said =
  | string
  | { readonly say: string; readonly ends: true }
  | { readonly say: string; readonly afterMs: number }

/** A relay that follows a test's script exactly. */
export interface ScriptedSmtp extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** The commands of each connection, in order. */
  readonly sessions: string[][]
  /** Messages as they came, with the dots of SMTP taken off. */
  readonly messages: Buffer[]
  /** Replies to commands by their beginning; the first that fits counts. The greeting is `''`. */
  script: readonly (readonly [begins: string, said: Said])[]
}

const USUAL: readonly (readonly [string, Said])[] = [
  ['QUIT', { say: '221 bye', ends: true }],
  ['DATA', '354 go on'],
  ['', '250 ok'],
]

/** Runs a relay on loopback. `PIPELINING` in its answer to EHLO lets commands come at once. */
export async function scriptedSmtp(): Promise<ScriptedSmtp> {
  const sockets = new Set<Socket>()
  const relay = {
    sessions: [] as string[][],
    messages: [] as Buffer[],
    script: [] as ScriptedSmtp['script'],
  }
  const server = createServer((socket) => {
    const session: string[] = []
    relay.sessions.push(session)
    sockets.add(socket)
    let rest = Buffer.alloc(0)
    let isData = false
    const answer = (command: string, fallback?: Said) => {
      const [, said = ''] =
        relay.script.find(([begins]) => (begins === '' ? command === '' : command.startsWith(begins))) ??
        (fallback === undefined ? USUAL.find(([begins]) => command.startsWith(begins)) : ['', fallback]) ??
        []
      const text = typeof said === 'string' ? said : said.say
      if (typeof said !== 'string' && 'afterMs' in said) {
        const late = setTimeout(() => socket.write(`${text}\r\n`), said.afterMs)
        socket.once('close', () => clearTimeout(late))
        return text
      }
      if (text !== '') socket.write(`${text}\r\n`)
      if (typeof said !== 'string') socket.end()
      return text
    }
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk])
      for (;;) {
        const end = rest.indexOf(isData ? '\r\n.\r\n' : '\r\n')
        if (end < 0 || socket.writableEnded) return
        const line = rest.subarray(0, end)
        rest = rest.subarray(end + (isData ? 5 : 2))
        if (isData) {
          isData = false
          relay.messages.push(
            Buffer.from(`${line.toString('latin1').replaceAll('\r\n.', '\r\n')}\r\n`, 'latin1'),
          )
          answer('.', '250 taken')
          continue
        }
        session.push(line.toString('latin1'))
        isData = answer(line.toString('latin1')).startsWith('354')
      }
    })
    answer('', '220 here')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return Object.assign(relay, {
    url: `smtp://127.0.0.1:${port}`,
    port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  })
}
