import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { newDataKey } from '@svc/core'
import { migratedDatabase, type TestDatabase } from '@svc/testing'
import pg from 'pg'
import { Webhook } from 'standardwebhooks'
import { type LoopbackDns, loopbackDns } from '../../../../test/support/dns-server.ts'
import { type FarSide, farSide, type Seen } from '../../../../test/support/far-side.ts'
import { jsonHere } from '../support/svc-here.ts'
import { SvcProcess } from '../support/svc-process.ts'

const POSTGRES = process.env.SVC_TEST_POSTGRES ?? ''
const PATIENCE_MS = 180_000
/** A test that waits in vain ends by itself before its time is over, and takes its processes with it. */
const WAIT_MS = 150_000
const LOOK_MS = 100
/** Ticks of each process that must change nothing more. */
const QUIET_TICKS = 4

/** Seals the secret of the webhook for all replicas. */
const DATA_KEY = newDataKey('k1')

let cwd: string
let database: TestDatabase
let dns: LoopbackDns
let receiver: FarSide
let waitsEndAt: number

beforeEach(async () => {
  waitsEndAt = performance.now() + WAIT_MS
  cwd = await mkdtemp(join(tmpdir(), 'svc-cli-'))
  database = await migratedDatabase(POSTGRES)
  dns = await loopbackDns()
  receiver = await farSide((_request, response) => response.writeHead(204).end())
})
afterEach(async () => {
  await receiver[Symbol.asyncDispose]()
  await dns[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
  await rm(cwd, { recursive: true, force: true })
})

const parts = () => ({
  cwd,
  env: {
    DATABASE_URL: database.url,
    SERVICE_DATA_KEYS: DATA_KEY,
    MONITOR_DNS_SERVERS: dns.server,
    SERVICE_OUTBOUND_ALLOW: '127.0.0.0/8',
    // At this level the log tells of ticks that found nothing to do.
    SERVICE_LOG_LEVEL: 'debug',
  },
})

async function sql<Row>(text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    return (await client.query(text)).rows as Row[]
  } finally {
    await client.end()
  }
}

/**
 * Looks until `isSo` returns true.
 * @throws Error when that takes too long
 */
async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) {
    if (performance.now() > waitsEndAt) throw new Error(`waited in vain until ${what}`)
    await pause(LOOK_MS)
  }
}

interface Ticked {
  readonly ran: number
  readonly changed: number
  readonly alerted: number
}

const linesOf = ({ err }: SvcProcess, message: string): Record<string, unknown>[] =>
  err.text
    .split('\n')
    .filter((line) => line.includes(`"msg":"${message}"`))
    .map((line) => JSON.parse(line))
const ticksOf = (svc: SvcProcess) => linesOf(svc, 'ticked') as unknown as Ticked[]

/** Waits until each process has ticked on. */
async function ticksPass(processes: readonly SvcProcess[]): Promise<void> {
  const wanted = processes.map((each) => ticksOf(each).length + QUIET_TICKS)
  await until('each process has ticked on', () =>
    processes.every((each, index) => ticksOf(each).length >= (wanted[index] ?? 0)),
  )
}

const totalOf = (processes: readonly SvcProcess[]): Ticked => {
  const ticks = processes.flatMap(ticksOf)
  const sum = (of: (tick: Ticked) => number) => ticks.reduce((total, tick) => total + of(tick), 0)
  return {
    ran: sum(({ ran }) => ran),
    changed: sum(({ changed }) => changed),
    alerted: sum((t) => t.alerted),
  }
}

interface Told {
  readonly data: { readonly alerts: readonly { readonly transition: string; readonly alert: object }[] }
}

/** Returns the content of a request that the official verifier accepts; throws when it does not accept it. */
const verified = ({ body, headers }: Seen, secret: string): Told =>
  new Webhook(secret).verify(body, headers as Record<string, string>) as Told

const zoneSays = (address: string) => dns.zone.set('web.example.com', { A: [{ address }] })
const makeDue = () => sql(`update monitors set next_run_at = now() - interval '1 second'`)
const alertRows = () =>
  sql<{ id: string; kind: string; open: boolean }>(
    'select id, kind, resolved_at is null as open from alerts order by id',
  )

test(
  'Two replicas that tick find a drift once, announce it once, signed, and its end once',
  async () => {
    await jsonHere(['tenants', 'add', 'acme'], parts())
    const hook = `http://127.0.0.1:${receiver.port}/alerts`
    const { secret } = await jsonHere<{ secret: string }>(
      ['alerts', 'webhook-set', hook, '--tenant', 'acme'],
      parts(),
    )
    zoneSays('192.0.2.1')
    const watched = ['--name', 'web', '--host', 'web.example.com', '--type', 'A', '--tenant', 'acme']
    await jsonHere(['monitors', 'add', ...watched, '--interval', '86400'], parts())

    const serve = ['serve', '--port', '0', '--tick', '1']
    await using first = new SvcProcess(serve, parts())
    await using second = new SvcProcess(serve, parts())
    const both = [first, second]
    await Promise.all(both.map((each) => each.serving()))
    await until(
      'the baseline is known',
      async () => (await sql('select 1 from monitors where confirmed = $$["192.0.2.1"]$$')).length === 1,
    )
    await ticksPass(both)
    expect(await alertRows()).toEqual([])

    zoneSays('192.0.2.66')
    await makeDue()
    await until('the drift is told', () => receiver.seen.length > 0)
    await ticksPass(both)
    const [firing, ...more] = receiver.seen
    if (firing === undefined) throw new Error('nothing was told')
    expect(more).toEqual([])
    const [row] = await alertRows()
    expect(await alertRows()).toEqual([{ id: expect.any(String), kind: 'monitor_drift', open: true }])
    const found = { expected: ['192.0.2.1'], found: ['192.0.2.66'] }
    expect(verified(firing, secret)).toMatchObject({
      type: 'alerts.digest',
      data: {
        total: 1,
        alerts: [{ transition: 'firing', alert: { id: row?.id, status: 'firing', details: found } }],
      },
    })
    expect(() => verified({ ...firing, body: `${firing.body} ` }, secret)).toThrow()

    zoneSays('192.0.2.1')
    await makeDue()
    await until('its end is told', () => receiver.seen.length > 1)
    await ticksPass(both)
    const told = receiver.seen.map((each) => verified(each, secret).data.alerts)
    expect(told).toMatchObject([
      [{ transition: 'firing', alert: { id: row?.id } }],
      [{ transition: 'resolved', alert: { id: row?.id, status: 'resolved' } }],
    ])
    expect(new Set(receiver.seen.map(({ headers }) => headers['webhook-id'])).size).toBe(2)
    expect(await alertRows()).toEqual([{ id: row?.id, kind: 'monitor_drift', open: false }])

    // Among all ticks of both processes, one ran the monitor each time it was due. The log, too, tells of
    // each transition once.
    expect(totalOf(both)).toEqual({ ran: 3, changed: 2, alerted: 1 })
    const logged = both.flatMap((each) => linesOf(each, 'alerts'))
    expect(logged.map(({ alerts }) => alerts)).toMatchObject([
      [{ transition: expect.stringMatching(/^(firing|resolved)$/) }],
      [{ transition: expect.stringMatching(/^(firing|resolved)$/) }],
    ])
    expect(new Set(logged.map(({ alerts }) => JSON.stringify(alerts))).size).toBe(2)
    for (const each of both) {
      each.kill('SIGTERM')
      expect(await each.end()).toBe(0)
    }
  },
  PATIENCE_MS,
)
