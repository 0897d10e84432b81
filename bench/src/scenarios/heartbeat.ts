import type { Scenario } from '../scenario.ts'
import { bare, product, signing } from './heartbeat-parts.ts'

const BARE = 'bare node:http, one prepared upsert a request'
const CEILING = 'bare node:http, signed, no database'
const PRODUCT = 'svc over HTTP'
const way = { connections: 64, signed: true }

/**
 * The first goal of the hot paths: the whole product against a server written for this one request, and the
 * ratio that a database which costs nothing would give: on this machine no server can have more.
 */
export const heartbeat: Scenario = {
  name: 'heartbeat',
  question: 'A heartbeat with a signed refresh through the whole product, 64 connections, 20,000 hosts',
  variants: [
    bare({ name: BARE, ...way }),
    product({ name: PRODUCT, ...way }),
    signing(CEILING, way.connections),
  ],
  baseline: BARE,
  gates: [{ goal: 'heartbeat', figure: 'perSecond', of: PRODUCT, over: BARE, pieces: CEILING, atLeast: 2.5 }],
  isQuick: true,
}
