// The service under attack, in a separate process without outgoing connections. It answers `stage` with a
// fresh scene, `rows` with the row count and a digest of each table, `weigh` with its memory, and `strain`
// with the load of its event loop since the last `strain`. After `{ plant }` it does one thing wrong from
// then on.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createControlPlane, MemoryRateCounter, type RateCounter, readConfig } from '@svc/core'
import { ScriptedBrowser, ScriptedDns, ScriptedModel, TEST_ENVIRONMENT } from '@svc/testing'
import Koa from 'koa'
import { controlPlaneMiddleware, createApp, listen } from '../../packages/http/src/index.ts'
import { paymentProvider } from '../../test/support/scripted-billing.ts'
import { openDatabase } from './database.ts'
import { HeardLog } from './heard-log.ts'
import { OPEN_SETTINGS } from './open-settings.ts'
import { Planted } from './planted.ts'
import { stage } from './scene.ts'
import { LoopStrain } from './strain.ts'

const database = await openDatabase(process.argv[2])
const counted = new MemoryRateCounter({ now: () => new Date(), statementTime: () => undefined })
// Rate limits would refuse nearly all requests with 429. One limit stays, because each try that it counts can
// cost a second of a core.
const rateCounter: RateCounter = {
  backend: 'memory',
  count: async (limit, subject) =>
    limit.name === 'login-per-account' ? counted.count(limit, subject) : { count: 1, windowLeftMs: 60_000 },
}
const outbound = {
  request: () => Promise.reject(new TypeError('nothing is called from here')),
  [Symbol.asyncDispose]: async () => {},
}
// The agent of pages has reached its goal at once.
const agentModel = new ScriptedModel(['{"type":"done","answer":"done"}'])
const log = new HeardLog()
const plane = createControlPlane({
  config: readConfig({ ...TEST_ENVIRONMENT, ...OPEN_SETTINGS }),
  storage: database.storage,
  rateCounter,
  outbound,
  paymentProvider,
  browserEngine: () => new ScriptedBrowser(),
  // A public address for every name: the browser calls none.
  resolver: { resolve: async () => ['192.88.98.1'] },
  agentModel,
  log,
  dns: new ScriptedDns(),
})
// Sets a first password now: the modules and data loaded for it must not look like a leak.
const password = 'seven lanterns over Quarrel-Bay'
await plane.users.add({ email: 'first@example.com', role: 'viewer', tenantId: undefined, password })
const strain = new LoopStrain()
const wrong = new Planted(plane, database.storage)
const app = createApp(plane)
const straight = app.callback()
const amended = new Koa()
  .use(wrong.middleware)
  .use(controlPlaneMiddleware(plane))
  .on('error', () => {})
const throughAmended = (amended as Koa).callback()
app.callback = () => async (request, response) => {
  strain.note(request as IncomingMessage, response as ServerResponse)
  await (wrong.isPlanted ? throughAmended : straight)(request, response)
}
const server = await listen(app, { host: '127.0.0.1', port: 0, health: plane.health })

const KIB = 1024
const GC_ROUNDS = 5
const GC_PAUSE_MS = 100

/**
 * Returns the memory after a full garbage collection. An ordinary collection keeps heap pages for later use,
 * 200 MB after heavy load. Another thread returns freed pages a moment later, so each round pauses.
 */
async function weigh() {
  for (let round = 0; round < GC_ROUNDS; round += 1) {
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    await new Promise((resolve) => setTimeout(resolve, GC_PAUSE_MS))
  }
  const { rss, heapUsed, external } = process.memoryUsage()
  return { rss, held: heapUsed + external, peak: process.resourceUsage().maxRSS * KIB }
}

async function answer(message: string | { readonly plant: string }): Promise<object> {
  if (typeof message === 'object') return wrong.plant(message.plant)
  if (message === 'rows') return database.rows()
  if (message === 'strain') return { ...strain.told(), log: log.told() }
  if (message === 'weigh') return weigh()
  // Requests still running after a found fault could deadlock with the deletion of all rows.
  await strain.idle()
  await database.empty()
  return { port: server.port, ...(await stage(plane)) }
}

process.on('message', (message: string) => void answer(message).then((told) => process.send?.(told)))
process.once('disconnect', () => process.exit(0))
process.send?.('ready')
