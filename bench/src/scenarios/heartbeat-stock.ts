import type { Scenario } from '../scenario.ts'
import { product, stock, withoutDatabase } from './heartbeat-parts.ts'

const STOCK = 'Koa, router, koa-body, superstruct, em.upsert, sign'
const PRODUCT = 'svc over HTTP'
const MEMORY = 'svc over HTTP, no database'
const way = { connections: 64, signed: true }

/** The same libraries, used as their manuals show them. */
export const heartbeatStock: Scenario = {
  name: 'heartbeat-stock',
  question: 'A signed heartbeat against the stock stack, and as a share of signing alone',
  variants: [
    stock(STOCK, way.connections),
    product({ name: PRODUCT, ...way }),
    withoutDatabase({ name: MEMORY, ...way }),
  ],
  baseline: STOCK,
  gates: [
    { goal: 'stock-stack', figure: 'perSecond', of: PRODUCT, over: STOCK, pieces: MEMORY, atLeast: 4.5 },
    { goal: 'stock-stack-cpu', figure: 'cpuMicros', of: PRODUCT, over: STOCK, pieces: MEMORY, atMost: 1 / 6 },
    { goal: 'share-of-signing', figure: 'perSecond', of: PRODUCT, over: MEMORY, atLeast: 0.8 },
  ],
  isQuick: true,
}
