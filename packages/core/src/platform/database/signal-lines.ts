import { SIGNAL_CHANNEL } from '../signals/signal.ts'
import type { clientOf } from './database-server.ts'

const CONNECT_MS = 5000

/** Connections of a driver that hear signals. Each is one connection of its own, apart from the pools. */
export interface SignalLines {
  /** Hears signals until it is disposed; `lost` is called when the connection breaks by itself. */
  open(heard: (text: string) => void, lost: () => void): Promise<AsyncDisposable>
  /** Closes all that are open; they are not reported as lost. */
  close(): Promise<void>
}

/** Opens connections of this class. */
export function signalLines(Client: ReturnType<typeof clientOf>): SignalLines {
  const open = new Set<() => Promise<void>>()
  return {
    open: async (heard, lost) => {
      const client = new Client({
        connectionTimeoutMillis: CONNECT_MS,
        application_name: 'svc signals',
        keepAlive: true,
      })
      const close = async () => {
        if (open.delete(close)) await client.end()
      }
      // An error comes before the end, which alone says that the connection is over.
      client.on('error', () => {})
      client.on('end', () => {
        if (open.delete(close)) lost()
      })
      client.on('notification', ({ payload }) => heard(payload ?? ''))
      await client.connect()
      open.add(close)
      await client.query(`listen ${SIGNAL_CHANNEL}`)
      return { [Symbol.asyncDispose]: close }
    },
    close: async () => void (await Promise.all([...open].map((close) => close()))),
  }
}
