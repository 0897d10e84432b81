import { setTimeout as pause } from 'node:timers/promises'
import { type ControlPlane, createControlPlane, MemoryRateCounter, readConfig, systemClock } from '@svc/core'
import { migrate, openStorage } from '@svc/core/sql'
import { createApp, listen } from '@svc/http'
import pg from 'pg'
import { Histogram } from '../measure/histogram.ts'
import type { StartPart } from '../part.ts'
import type { Done } from '../scenario.ts'

/** The product's webhooks. */
export interface SvcDeliveriesOptions {
  readonly databaseUrl: string
  readonly receiver: string
  /** Endpoints that answer, ten of each license. */
  readonly endpoints: number
  /** Whether one further endpoint never answers. */
  readonly hangs: boolean
  /** Deliveries that wait when a round begins. */
  readonly ready: number
  /** Deliveries that come in a second while the round runs; 0: those that wait are all. */
  readonly perSecond: number
  /** Whether calls of the run route send, one after the other, instead of a loop in process. */
  readonly byRoute?: boolean
}

const PER_LICENSE = 10
const POLL_MS = 250
const CRON_SECRET = 'bench-'.padEnd(40, 'x')
/** The most that one call of the run route sends. */
const CALL = 200
const BODY = JSON.stringify({
  type: 'job.succeeded',
  timestamp: '2026-01-05T09:00:00.000Z',
  data: { job_id: 'job_1' },
})

const ADD = `with n as (select generate_series(1, $1::int) as n, $2::text as round),
    m as (insert into webhook_messages (id, license_id, type, body, occurred_at)
      select 'msg_' || round || '_' || n, 'bench', 'job.succeeded', $3, clock_timestamp() from n returning id)
  insert into deliveries (id, kind, recipient, payload, state, created_at, due_at, expires_at)
  select 'dlv_' || round || '_' || n, 'endpoint', ($4::text[])[1 + (n - 1) % array_length($4::text[], 1)],
    'msg_' || round || '_' || n, 'due', clock_timestamp(), clock_timestamp(), clock_timestamp() + interval '1 day'
  from n`
// The delay of a delivery is the time from its row to its success.
const SENT = `select (extract(epoch from settled_at - created_at) * 1e6)::float8 as micros from deliveries
  where state = 'sent' and settled_at >= $1`

/** Rate limits would end the calls of a round: twelve are allowed in a minute. */
class Uncounted extends MemoryRateCounter {
  override count(...asked: Parameters<MemoryRateCounter['count']>) {
    return { ...super.count(...asked), count: 1 }
  }
}

/** The run route over HTTP, which is called until nothing waits. */
async function runRoute(plane: ControlPlane) {
  const { url, cut } = await listen(createApp(plane), { host: '127.0.0.1', port: 0 })
  const drain = async (isOver: () => boolean) => {
    for (let claimed = CALL; claimed === CALL && !isOver(); ) {
      const answer = await fetch(`${url}/api/v1/webhooks/run`, {
        method: 'POST',
        headers: { authorization: `Bearer ${CRON_SECRET}`, 'content-type': 'application/json' },
        body: JSON.stringify({ limit: CALL }),
      })
      if (!answer.ok) throw new Error(`the run route answered ${answer.status}: ${await answer.text()}`)
      claimed = ((await answer.json()) as { readonly claimed: number }).claimed
    }
  }
  return { drain, stop: async () => void (await cut()) }
}

/** Sends webhooks in process, as `svc serve` does. */
export const start: StartPart<SvcDeliveriesOptions> = async (options) => {
  const { databaseUrl, receiver, endpoints, hangs, ready, perSecond, byRoute = false } = options
  await migrate(databaseUrl)
  const storage = await openStorage({ url: databaseUrl })
  const config = readConfig({
    NODE_ENV: 'production',
    SERVICE_OUTBOUND_ALLOW: '127.0.0.0/8',
    SERVICE_DATA_KEYS: `bench:${Buffer.alloc(32, 1).toString('base64')}`,
    MONITORS_CRON_SECRET: CRON_SECRET,
  })
  const plane = createControlPlane({ config, storage, rateCounter: new Uncounted(systemClock) })
  const route = byRoute ? await runRoute(plane) : undefined
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const answering: string[] = []
  const add = async (license: string, url: string) => {
    const { endpoint } = await plane.operations.run('webhooks.add', { license, url }, 'bench')
    return (endpoint as { readonly id: string }).id
  }
  for (let made = 0; made < endpoints; ) {
    const { license } = await plane.licenses.issue({ label: `bench ${made}` })
    for (let of = 0; of < PER_LICENSE && made < endpoints; of += 1, made += 1)
      answering.push(await add(license.id, `${receiver}/${made}`))
  }
  const { license } = await plane.licenses.issue({ label: 'hangs' })
  const hanging = hangs ? [await add(license.id, `${receiver}/hang`)] : []
  let rounds = 0
  const insert = async (count: number, to: readonly string[]) => {
    rounds += 1
    await client.query(ADD, [count, String(rounds), BODY, to])
  }
  const run = async ({ seconds }: { seconds: number }): Promise<Done> => {
    const { rows } = await client.query<{ now: Date }>('select clock_timestamp() as now')
    const stop = new AbortController()
    const began = performance.now()
    const isOver = () => performance.now() - began >= seconds * 1000
    const works = new Set<Promise<unknown>>()
    const drain = () => {
      const sending = route?.drain(isOver) ?? plane.webhookDeliveries.drain(stop.signal)
      const work = sending.finally(() => works.delete(work))
      works.add(work)
      return work
    }
    if (perSecond === 0) await Promise.race([drain(), pause(seconds * 1000)])
    else
      while (!isOver()) {
        const due = Math.round((perSecond * POLL_MS) / 1000)
        // First, since the delay of the others counts from their own insert.
        if (hanging.length > 0) await insert(1, hanging)
        await insert(due, answering)
        void drain()
        await pause(POLL_MS)
      }
    const elapsed = (performance.now() - began) / 1000
    stop.abort()
    await Promise.allSettled(works)
    const sent = await client.query<{ micros: number }>(SENT, [rows[0]?.now])
    const latency = new Histogram()
    for (const { micros } of sent.rows) latency.record(Math.max(1, Math.round(micros)))
    return { operations: sent.rows.length, seconds: elapsed, latency: latency.toJSON() }
  }
  return {
    commands: { prepare: () => (ready === 0 ? undefined : insert(ready, answering)), run },
    stop: async () => {
      await route?.stop()
      await client.end()
      await storage[Symbol.asyncDispose]()
    },
  }
}
