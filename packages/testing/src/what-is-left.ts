import { readdir } from 'node:fs/promises'
import { isHeld, type Job } from '@svc/core'
import type { EmailMessage } from '@svc/core/ports'
import { tablesOf } from './memory-storage.ts'
import type { MemoryTables } from './memory-tables.ts'
import type { TestPlane } from './test-plane.ts'

type Row = Readonly<Record<string, unknown>>

/** Fields that name the holder of a row while somebody works on it, or until when he may. */
const HOLDERS = ['claimToken', 'lease', 'leaseToken', 'leaseUntil', 'spentAt'] as const
/** States of a row that somebody is working on. */
const BETWEEN: Readonly<Record<string, string>> = {
  accessSessions: 'connected',
  emailMessages: 'sending',
  surfaceScans: 'running',
}
const UNFINISHED = ['pending', 'claimed', 'running'] as const
/** Gauges of work under way in a process. */
const UNDER_WAY = /^(svc_(?:relay_sessions|access_waiters|surface_scans_running)(?:\{.*\})?) (?!0$)(.+)$/gm
/** Names of files that are written aside before they get their place. */
const ASIDE = /^(?:\.incoming-|copy-)|\.(?:tmp|new|draft|part)$/

/** Other places of leftovers. */
export interface LeftAlso {
  /** Folders beneath which nothing may lie aside. */
  readonly folders?: readonly string[]
  /** Whether the hosts of the suite do not renew the leases of their jobs, which may run out. */
  readonly hostsAreGone?: true
}

type Asked = Pick<TestPlane, 'storage' | 'clock'> & Partial<Pick<TestPlane, 'plane'>>

/** Fails for remains of a trouble. @throws Error that names all of it */
export async function nothingLeft(test: Asked, also: LeftAlso = {}): Promise<void> {
  const left = await whatIsLeft(test, also)
  if (left.length > 0) throw new Error(`left behind: ${left.join(', ')}`)
}

/**
 * Names the remains of a trouble, once nothing is under way any more: leases that nobody holds, rows in
 * states of work, gauges that count missing things, and files that were written aside. Empty when there is
 * nothing. For planes over the fake storage, whose rows it reads.
 */
export async function whatIsLeft(
  { plane, storage, clock }: Asked,
  { folders = [], hostsAreGone }: LeftAlso = {},
): Promise<readonly string[]> {
  const tables = tablesOf(storage)
  if (tables === undefined) throw new Error('what is left is read from the tables of the fake storage')
  const now = clock.now()
  const counts = await storage.jobs.counts(now)
  const exposition = (await plane?.metrics.exposition()) ?? ''
  return [
    ...heldRows(tables),
    ...betweenRows(tables),
    ...(hostsAreGone ? [] : jobsWithoutHost(tables, now)),
    ...UNFINISHED.filter((state) => counts.byState[state] !== jobsIn(tables, state)).map(
      (state) => `${counts.byState[state]} jobs counted as ${state}, of ${jobsIn(tables, state)}`,
    ),
    ...[...exposition.matchAll(UNDER_WAY)].map(([, gauge, value]) => `${gauge} at ${value}`),
    ...(await Promise.all(folders.map(aside))).flat(),
  ]
}

function* heldRows(tables: MemoryTables): Generator<string> {
  const named = Object.entries(tables.named).map(([name, table]) => [name, table.all()] as const)
  for (const [name, rows] of [...named, ['deliveries', tables.deliveries.all()] as const])
    for (const row of rows as readonly Row[])
      for (const field of HOLDERS)
        if (row[field] !== undefined) yield `${name} ${String(row.id)}: ${field} is still there`
  for (const { kind, recipient, breaker } of tables.recipients.all())
    if (breaker === 'half_open') yield `recipients ${kind} ${recipient}: a probe that nobody makes`
}

function* betweenRows(tables: MemoryTables): Generator<string> {
  for (const [name, between] of Object.entries(BETWEEN))
    for (const { id, state } of tables.of<Row>(name).all() as readonly Row[])
      if (state === between) yield `${name} ${String(id)}: still ${between}`
  for (const row of tables.of<Row>('accessSessions').all())
    if (row.state === 'claimed' && (row.agentAt ?? row.operatorAt) !== undefined)
      yield `accessSessions ${String(row.id)}: still pairing`
  const waits = new Set(tables.deliveries.all().flatMap((each) => (each.state === 'due' ? each.payload : [])))
  for (const { id, state, dataStartedAt } of tables.of<EmailMessage>('emailMessages').all()) {
    if (state === 'queued' && !waits.has(id)) yield `emailMessages ${id}: queued, and nobody delivers it`
    if (state !== 'sending' && dataStartedAt !== undefined) yield `emailMessages ${id}: its bytes still leave`
  }
}

function* jobsWithoutHost(tables: MemoryTables, now: Date): Generator<string> {
  for (const { job } of tables.jobs.all())
    if (isHeld(job.state) && (job.availableAt ?? now) <= now)
      yield `jobs ${job.id}: ${job.state} without a lease`
}

const jobsIn = (tables: MemoryTables, state: Job['state']): number =>
  tables.jobs.all().filter(({ job }) => job.state === state).length

async function aside(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true })
  return names
    .filter((name) => ASIDE.test(name.slice(name.lastIndexOf('/') + 1)))
    .map((name) => `file ${name}`)
}
