import { expect, test } from '@jest/globals'
import { ObservedApps } from '../../src/agent/wire/observed-apps.ts'
import type { AppStatus } from '../../src/host-apps/app-status.ts'

type Process = AppStatus['processes'][number]

const processOf = (number: number, fields: Partial<Process> = {}): Process => ({
  ...{ process: 'web', number, up: true, pid: 1, port: 1, restarts: 0 },
  ...fields,
})
const statusOf = (
  app: string,
  processes: readonly Process[],
  fields: Partial<AppStatus> = {},
): AppStatus => ({
  ...{
    app,
    state: 'up',
    address: '',
    sha: 'a'.repeat(40),
    number: 3,
    env: '',
    crons: [],
    processes,
    maintenance: false,
    certificates: [],
  },
  ...fields,
})

/** A host whose applications the test sets, and whose service takes everything or nothing. */
function host() {
  const seen = { apps: [] as AppStatus[] | undefined, minutes: 0, isTaken: true }
  const observed = new ObservedApps(
    async () => seen.apps,
    () => seen.minutes * 60_000,
  )
  const beat = async () => {
    const entries = await observed.next()
    if (seen.isTaken) observed.taken(entries)
    return entries
  }
  return { seen, beat }
}

test('a heartbeat tells of the applications that have changed, until the service has taken it', async () => {
  const { seen, beat } = host()
  const shop = statusOf('shop', [processOf(1), processOf(2)])
  const blog = statusOf('blog', [processOf(1)])
  seen.apps = [shop, blog]
  seen.isTaken = false
  expect(await beat()).toHaveLength(2)
  seen.isTaken = true
  const told = { app: 'shop', state: 'up', sha: 'a'.repeat(40), release: 3, up: 2, of: 2, restarts: 0 }
  expect(await beat()).toEqual([told, expect.objectContaining({ app: 'blog', of: 1 })])
  expect(await beat()).toEqual([])
  seen.apps = [statusOf('shop', [processOf(1), processOf(2, { up: false })]), blog]
  expect(await beat()).toEqual([{ ...told, state: 'degraded', up: 1, missing: ['web.2'] }])
  seen.apps = [statusOf('shop', [processOf(1, { up: false }), processOf(2, { up: false })]), blog]
  expect(await beat()).toEqual([{ ...told, state: 'down', up: 0, missing: ['web.1', 'web.2'] }])
  seen.apps = [statusOf('shop', [], { state: 'stopped' }), blog]
  expect(await beat()).toMatchObject([{ app: 'shop', state: 'stopped', of: 0 }])
  seen.apps = [blog]
  expect(await beat()).toMatchObject([{ app: 'shop', state: 'gone' }])
  expect(await beat()).toEqual([])
})

test('nothing is told while nobody knows, and everything again after an hour', async () => {
  const { seen, beat } = host()
  seen.apps = [statusOf('shop', [processOf(1)])]
  expect(await beat()).toHaveLength(1)
  const { apps } = seen
  seen.apps = undefined
  expect(await beat()).toEqual([])
  seen.apps = apps
  seen.minutes = 60
  expect(await beat()).toEqual([])
  seen.minutes = 61
  expect(await beat()).toHaveLength(1)
  expect(await beat()).toEqual([])
})

test('starts count for ten minutes, and a new release counts from zero', async () => {
  const { seen, beat } = host()
  const restarts = async (count: number, minutes: number) => {
    seen.minutes = minutes
    seen.apps = [statusOf('shop', [processOf(1, { restarts: count })])]
    const [entry] = await beat()
    return entry?.restarts
  }
  expect(await restarts(7, 0)).toBe(0)
  expect(await restarts(9, 1)).toBe(2)
  expect(await restarts(12, 5)).toBe(5)
  expect(await restarts(12, 11)).toBe(3)
  expect(await restarts(12, 16)).toBe(0)
  expect(await restarts(1, 17)).toBe(1)
})

test('entries beyond 24 KiB go with the next heartbeats, and each goes once', async () => {
  const { seen, beat } = host()
  const crons = Array.from({ length: 20 }, (_, index) => ({
    ...{ name: `c${index}`, schedule: '*/5 * * * *', timezone: 'Europe/Berlin', running: false, skipped: 0 },
    ...{ last_at: undefined, seconds: undefined, fault: undefined },
  }))
  seen.apps = Array.from({ length: 50 }, (_, index) => statusOf(`app-${index}`, [processOf(1)], { crons }))
  const names: string[] = []
  for (;;) {
    const entries = await beat()
    expect(Buffer.byteLength(JSON.stringify(entries))).toBeLessThanOrEqual(24_576)
    if (entries.length === 0) break
    names.push(...entries.map(({ app }) => app))
  }
  expect(names.sort()).toEqual(seen.apps.map(({ app }) => app).sort())
})
