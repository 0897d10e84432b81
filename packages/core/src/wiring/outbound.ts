import type { Base } from '../platform/base.ts'
import { systemResolver } from '../platform/net/dns-system.ts'
import { createOutbound, type Outbound } from '../platform/net/outbound.ts'

/** The longest that the settings of webhooks let an endpoint take. */
const LIMITS = { answerMs: 30_000, totalMs: 30_000 }

/** Makes the client of calls to addresses that others chose. */
export const outboundOf = ({ config, log }: Base): Outbound =>
  createOutbound({ resolver: systemResolver(), log, ...config.outbound, limits: LIMITS })
