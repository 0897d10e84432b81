import type { Bench } from '../bench.ts'
import type { Served } from '../http-variant.ts'
import { loopVariant } from '../loop-variant.ts'
import type { SvcDeliveriesOptions } from '../parts/deliveries-svc.ts'
import type { Scenario, Variant } from '../scenario.ts'

const WORKERS = 20
const READY = 20_000
const PER_SECOND = 40

const BARE = 'undici, a row before and after'
const SVC = 'svc, 100 endpoints'
const ROUTE = 'svc, 100 endpoints, through the run route'
const ALL_ANSWER = '1,000 endpoints that answer'
const ONE_HANGS = 'one more that never does'

/** Starts a part beside a receiver in a process of its own. */
async function beside(bench: Bench, module: string, options: object): Promise<Served> {
  const receiver = await bench.part('receiver', null)
  const databaseUrl = await bench.database()
  const part = await bench.part(module, { databaseUrl, receiver: receiver.url, ...options })
  return { part, beside: receiver }
}

const svc = (name: string, options: Omit<SvcDeliveriesOptions, 'databaseUrl' | 'receiver'>): Variant =>
  loopVariant({
    name,
    isPrepared: true,
    request: {},
    start: (bench) => beside(bench, 'deliveries-svc', options),
  })

/** A delivery beside the least that it can cost. */
export const deliveries: Scenario = {
  name: 'deliveries',
  question:
    'A webhook to a receiver on loopback, in process and through the run route, beside a bare loop that writes a row before and after',
  variants: [
    loopVariant({
      name: BARE,
      request: { workers: WORKERS },
      start: (bench) => beside(bench, 'deliveries-bare', { connections: WORKERS }),
    }),
    svc(SVC, { endpoints: 100, hangs: false, ready: READY, perSecond: 0 }),
    svc(ROUTE, { endpoints: 100, hangs: false, ready: READY, perSecond: 0, byRoute: true }),
  ],
  baseline: BARE,
  gates: [{ goal: 'deliveries', figure: 'perSecond', of: SVC, over: BARE, atLeast: 0.2 }],
}

/** An endpoint that takes its whole time out, and the others beside it. */
export const deliveriesHang: Scenario = {
  name: 'deliveries-hang',
  question:
    'The time from a row to its delivery, 40 a second to 1,000 endpoints, when one more never answers',
  variants: [
    svc(ALL_ANSWER, { endpoints: 1000, hangs: false, ready: 0, perSecond: PER_SECOND }),
    svc(ONE_HANGS, { endpoints: 1000, hangs: true, ready: 0, perSecond: PER_SECOND }),
  ],
  baseline: ALL_ANSWER,
  gates: [{ goal: 'deliveries-hang', figure: 'p99', of: ONE_HANGS, over: ALL_ANSWER, atMost: 2 }],
  // 1,200 deliveries a round: of fewer, the p99 is a pause or two of the machine.
  seconds: 30,
}
