import type { Bench } from '../bench.ts'
import type { Served } from '../http-variant.ts'
import { loopVariant } from '../loop-variant.ts'
import type { Scenario } from '../scenario.ts'

/** The attempts that the product makes at the same time. */
const CONNECTIONS = 5
const READY = 1500

const BARE = 'nodemailer, signed, five connections that stay'
const SVC = 'svc: queued, sealed, signed, recorded'
const SLOW = 'svc, to a relay that greets after 100 ms'
const GREETING_MS = 100

async function beside(bench: Bench, module: string, options: object, greetingMs = 0): Promise<Served> {
  const relay = await bench.part('mail-receiver', { greetingMs })
  const databaseUrl = await bench.database()
  return { part: await bench.part(module, { databaseUrl, relay: relay.url, ...options }), beside: relay }
}

/** A message beside the least that it can cost. */
export const mail: Scenario = {
  name: 'mail',
  question:
    'A message from the queue to a relay on loopback, in process, beside a bare loop that signs and sends',
  variants: [
    loopVariant({
      name: BARE,
      request: { workers: CONNECTIONS },
      start: (bench) => beside(bench, 'mail-bare', { connections: CONNECTIONS }),
    }),
    loopVariant({
      name: SVC,
      isPrepared: true,
      request: {},
      start: (bench) => beside(bench, 'mail-svc', { ready: READY }),
    }),
    loopVariant({
      name: SLOW,
      isPrepared: true,
      request: {},
      start: (bench) => beside(bench, 'mail-svc', { ready: READY }, GREETING_MS),
    }),
  ],
  baseline: BARE,
  gates: [],
}
