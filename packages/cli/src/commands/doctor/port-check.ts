import { createServer } from 'node:net'
import type { Config } from '@svc/core'
import type { Finding, NamedCheck } from '@svc/core/adapters'
import { askPlane } from '../../connect/plane-request.ts'

/** Checks whether the service could listen on the address of its settings, or does already. */
export const portCheck = ({ host, port }: Config['http']): NamedCheck => ({
  name: 'port',
  run: async () => {
    const code = await triedToListen(host, port)
    if (code === undefined) return { status: 'ok' }
    if (code !== 'EADDRINUSE') return { status: 'fail', detail: 'not-allowed' }
    return whoListens(host, port)
  },
})

/** The code of the refusal; undefined when it worked. Nobody is served meanwhile. */
function triedToListen(host: string, port: number): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const server = createServer((socket) => socket.destroy())
  server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'))
  server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  return promise
}

const EVERYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

async function whoListens(host: string, port: number): Promise<Finding> {
  const near = EVERYWHERE[host] ?? host
  const url = `http://${near.includes(':') ? `[${near}]` : near}:${port}`
  const reply = await askPlane({ url }, { method: 'GET', path: '/healthz' }).catch(() => undefined)
  const isOurs = typeof reply?.body?.ok === 'boolean' && typeof reply.body.checks === 'object'
  return isOurs ? { status: 'ok', detail: 'served' } : { status: 'fail', detail: 'in-use' }
}
