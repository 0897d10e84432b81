import { once } from 'node:events'

// Closing the input is the whole order: the host stops PostgreSQL, removes its folder and exits.
export default async function teardown() {
  const host = globalThis.__svcTestPostgres
  if (!host || host.exitCode !== null) return
  const gone = once(host, 'exit')
  host.ref()
  host.stdin.end()
  await gone
}
