import type { Scenario } from '../scenario.ts'
import { bare, contract, json, product, withoutDatabase } from './heartbeat-parts.ts'

const BARE = 'bare node:http, one prepared upsert a request'
const PRODUCT = 'svc over HTTP'
const MEMORY = 'svc over HTTP, no database'
const CONTRACT = 'bare node:http, what the contract asks, in batches'
const CONTRACT_ONLY = 'bare node:http, what the contract asks, no database'
const JSON_ONLY = 'bare node:http, no database'
const way = { connections: 64, signed: false }

/**
 * Without signatures the rest is seen better: the cost of durability, and of the product's HTTP layer.
 */
export const heartbeatUnsigned: Scenario = {
  name: 'heartbeat-unsigned',
  question:
    'A durable heartbeat without signature, 64 connections: against one statement a request, and no database',
  variants: [
    bare({ name: BARE, ...way }),
    product({ name: PRODUCT, ...way }),
    withoutDatabase({ name: MEMORY, ...way }),
    contract(CONTRACT, way.connections, 'kept'),
    contract(CONTRACT_ONLY, way.connections, 'not kept'),
    json(JSON_ONLY, way.connections),
  ],
  baseline: BARE,
  gates: [
    { goal: 'unsigned', figure: 'perSecond', of: PRODUCT, over: BARE, pieces: CONTRACT, atLeast: 2.4 },
    { goal: 'share-of-no-database-64', figure: 'perSecond', of: PRODUCT, over: MEMORY, atLeast: 0.5 },
    {
      goal: 'http-overhead',
      figure: 'nodeMicros',
      of: MEMORY,
      over: JSON_ONLY,
      pieces: CONTRACT_ONLY,
      atMost: 1.35,
    },
  ],
  isQuick: true,
}
