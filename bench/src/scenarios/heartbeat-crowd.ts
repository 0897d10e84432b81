import type { Scenario } from '../scenario.ts'
import { contract, product, withoutDatabase } from './heartbeat-parts.ts'

const PRODUCT = 'svc over HTTP'
const MEMORY = 'svc over HTTP, no database'
const CONTRACT = 'bare node:http, what the contract asks, in batches'
const CONTRACT_ONLY = 'bare node:http, what the contract asks, no database'
const way = { connections: 256, signed: false }

/** The more hosts call at once, the more travel in one statement. */
export const heartbeatCrowd: Scenario = {
  name: 'heartbeat-crowd',
  question:
    'A durable heartbeat without signature, 256 connections, as a share of the same without a database',
  variants: [
    withoutDatabase({ name: MEMORY, ...way }),
    product({ name: PRODUCT, ...way }),
    contract(CONTRACT_ONLY, way.connections, 'not kept'),
    contract(CONTRACT, way.connections, 'kept'),
  ],
  baseline: MEMORY,
  gates: [
    {
      goal: 'share-of-no-database-256',
      figure: 'perSecond',
      of: PRODUCT,
      over: MEMORY,
      pieces: CONTRACT,
      atLeast: 0.7,
    },
  ],
}
