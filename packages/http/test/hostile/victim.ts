// The service under attack, in a process of its own: over the embedded database, with limits that never bite, and with
// nothing that reaches out. It answers `stage` with a fresh scene, `count` with its rows and `weigh` with its memory.
import { createControlPlane, type RateCounter, readConfig, type Timers } from '@svc/core'
import { ScriptedDns, TEST_ENVIRONMENT } from '@svc/testing'
import { migrateDriver } from '../../../core/src/storage/migrator.ts'
import { pgliteDriver } from '../../../core/src/storage/orm.ts'
import { ENTITIES, sqlStorage } from '../../../core/src/storage/sql-storage.ts'
import { createApp, listen } from '../../src/index.ts'
import { stage } from './scene.ts'

const WAITED_SHARE = 0.01

const driver = await pgliteDriver({}, ENTITIES)
await migrateDriver(driver)
const rateCounter: RateCounter = {
  backend: 'memory',
  count: async () => ({ count: 1, windowLeftMs: 60_000 }),
}
const timers: Timers = {
  elapsedMs: () => performance.now(),
  pause: (ms, signal) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms * WAITED_SHARE)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
    return signal?.aborted ? Promise.resolve() : promise
  },
}
const outbound = {
  request: () => Promise.reject(new TypeError('nothing is called from here')),
  [Symbol.asyncDispose]: async () => {},
}
const plane = createControlPlane({
  config: readConfig({ ...TEST_ENVIRONMENT, SERVICE_PUBLIC_URL: 'https://svc.example' }),
  storage: sqlStorage('pglite-memory', driver),
  rateCounter,
  timers,
  outbound,
  dns: new ScriptedDns(),
})
const server = await listen(createApp(plane), { host: '127.0.0.1', port: 0, health: plane.health })

const query = <Row>(text: string) => driver.rows<Row>({ name: 'victim', text }, [])
const TABLES = `select table_name as name from information_schema.tables
  where table_schema = 'public' and table_name not like '%migration%' order by 1`
const names = (await query<{ name: string }>(TABLES)).map(({ name }) => name)

/** Rows by table; `audit_log` records refusals on purpose. */
async function rows(): Promise<Record<string, number>> {
  const counted = names.filter((name) => name !== 'audit_log')
  const counts = counted.map((name) => `select '${name}' as name, count(*)::int as count from ${name}`)
  const found = await query<{ name: string; count: number }>(counts.join(' union all '))
  return Object.fromEntries(found.map(({ name, count }) => [name, count]))
}

async function answer(message: unknown): Promise<object> {
  if (message === 'stage') {
    await query(`truncate ${names.join(', ')}`)
    return { port: server.port, ...(await stage(plane)) }
  }
  if (message === 'count') return rows()
  globalThis.gc?.()
  return { rss: process.memoryUsage().rss }
}

process.on('message', (message) => void answer(message).then((told) => process.send?.(told)))
process.once('disconnect', () => process.exit(0))
process.send?.('ready')
