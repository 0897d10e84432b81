import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { dirname } from 'node:path'

// Closing the input is the whole order: the host stops PostgreSQL, removes its folder and exits.
export default async function teardown() {
  const packed = process.env.SVC_TEST_PACKED
  if (packed) rmSync(dirname(packed), { recursive: true, force: true })
  const host = globalThis.__svcTestPostgres
  if (!host || host.exitCode !== null) return
  const gone = once(host, 'exit')
  host.ref()
  host.stdin.end()
  await gone
}
