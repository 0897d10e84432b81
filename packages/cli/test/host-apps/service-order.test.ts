import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import type { AppRelease, AppService } from '@svc/core/adapters'
import type { Generation } from '../../src/host-apps/generation.ts'
import { withKept } from '../../src/host-apps/kept-processes.ts'
import { databaseSockets, databaseVariables } from '../../src/host-apps/linked-databases.ts'
import type { Slot } from '../../src/host-apps/slot.ts'
import { startInOrder } from '../../src/host-apps/start-order.ts'

const IMAGE = `sha256:${'0'.repeat(64)}`
const STOP = { signal: 'SIGTERM', grace_s: 10 } as const
const service = (more: Partial<AppService> = {}): AppService => ({
  names: [],
  ports: [],
  env: {},
  volumes: {},
  stop: STOP,
  ...more,
})

function release(
  services: Readonly<Record<string, Partial<AppService>>>,
  more: Partial<AppRelease> = {},
): AppRelease {
  const each = Object.entries(services)
  return {
    sha: 'a'.repeat(40),
    number: 5,
    stop: STOP,
    env: {},
    processes: Object.fromEntries(each.map(([name]) => [name, { count: 1 }])),
    containers: Object.fromEntries(
      each.map(([name, given]) => [name, { image: IMAGE, service: service(given) }]),
    ),
    ...more,
  }
}

const slotOf = (process: string, isUp = true) => ({ isUp, parts: { process } }) as unknown as Slot

/** Starts services, and returns what happened in its order. */
async function started(given: AppRelease, faults: Readonly<Record<string, string>> = {}) {
  const seen: string[] = []
  const work = async (word: string, process: string) => {
    seen.push(`${word} ${process}`)
    await pause(5)
    seen.push(`done ${process}`)
    return faults[process]
  }
  const isOnce = (name: string) => given.containers?.[name]?.service?.once
  const names = Object.keys(given.processes ?? {}).filter((name) => !isOnce(name))
  const result = await startInOrder({
    release: given,
    slots: names.map((name) => slotOf(name)),
    begin: ({ parts }) => work('begin', parts.process),
    complete: (process) => work('run', process),
  })
  return { seen, result: result.filter((fault) => fault !== undefined) }
}

const CHAIN = {
  web: { after: { migrate: 'completed', cache: 'started' } },
  cache: {},
  migrate: { once: true, after: { db: 'healthy' } },
  db: {},
} as const

test('A service begins after those that come before it, and what comes to its end runs once', async () => {
  const { seen, result } = await started(release(CHAIN))
  expect(result).toEqual([])
  expect(seen.slice(-2)).toEqual(['begin web', 'done web'])
  expect(seen.indexOf('run migrate')).toBeGreaterThan(seen.indexOf('done db'))
  expect(seen.filter((line) => line === 'run migrate')).toHaveLength(1)
})

test('What waits for a service that failed does not begin', async () => {
  const { seen, result } = await started(release(CHAIN), { migrate: 'it failed' })
  expect(result).toContain('it failed')
  expect(seen).not.toContain('begin web')
})

test('A service is given the addresses of the databases that it names, and their sockets with them', () => {
  const linked = {
    variables: () => ({ DATABASE_URL: 'postgresql://x', REDIS_URL: 'unix://y' }),
    socketsOf: () => ['/run/svc-db-postgres'],
  }
  const given = (wants?: string[]) => {
    const one = service(wants === undefined ? {} : { wants })
    return [Object.keys(databaseVariables(linked, 'shop', one)), databaseSockets(linked, 'shop', one)]
  }
  expect(given()).toEqual([[], []])
  expect(given(['DATABASE_URL', 'OTHER'])).toEqual([['DATABASE_URL'], ['/run/svc-db-postgres']])
  expect(given(['*'])).toEqual([['DATABASE_URL', 'REDIS_URL'], ['/run/svc-db-postgres']])
  expect(databaseSockets(linked, 'shop', undefined)).toEqual(['/run/svc-db-postgres'])
  expect(databaseVariables(undefined, 'shop', undefined)).toEqual({})
})

const live = (given: AppRelease, slots: readonly Slot[]) =>
  ({
    release: given,
    slots,
    numberOf: (process: string) => given.kept?.[process] ?? given.number,
  }) as unknown as Generation

test('A service is left running when nothing of it changed, also in another order of names', () => {
  const before = release({ db: { env: { A: 'a', B: 'b' }, names: ['db'] }, web: {} }, { kept: { db: 2 } })
  const next = release({ web: { env: { A: 'new' } }, db: { names: ['db', 'sql'], env: { B: 'b', A: 'a' } } })
  const running = live(before, [slotOf('db'), slotOf('web')])
  expect(withKept(running, next).kept).toEqual({ db: 2 })
  expect(withKept(running, next, true).kept).toBeUndefined()
  expect(withKept(undefined, { ...next, kept: { db: 2 } }).kept).toBeUndefined()
})

test.each<[string, Partial<AppService>]>([
  ['variables', { env: { A: 'other' } }],
  ['volumes', { volumes: { data: '/data' } }],
  ['command', { command: ['x'] }],
  ['files', { files: { '/etc/x': 'b'.repeat(64) } }],
  ['stop', { stop: { ...STOP, grace_s: 11 } }],
])('A service whose %s changed is not left running', (_, changed) => {
  const running = live(release({ db: {} }), [slotOf('db')])
  expect(withKept(running, release({ db: {} })).kept).toEqual({ db: 5 })
  expect(withKept(running, release({ db: changed })).kept).toBeUndefined()
})

test('A service with another image or limit, or one that is down, is not left running', () => {
  const next = release({ db: {} })
  const running = live(next, [slotOf('db')])
  const other = { db: { image: `sha256:${'1'.repeat(64)}`, service: service() } }
  expect(withKept(running, { ...next, containers: other }).kept).toBeUndefined()
  expect(withKept(running, { ...next, processes: { db: { count: 1, memory: '1G' } } }).kept).toBeUndefined()
  expect(withKept(live(next, [slotOf('db', false)]), next).kept).toBeUndefined()
  expect(withKept(live(next, []), next).kept).toBeUndefined()
})
