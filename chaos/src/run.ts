import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Random } from '../../packages/testing/src/simulator/random.ts'
import { plantedBug } from './bugs/plant.ts'
import { Cast } from './cast/cast.ts'
import type { ChaosDatabase } from './cast/database.ts'
import { folderDatabase } from './cast/folder-database.ts'
import { postgresDatabase } from './cast/postgres-database.ts'
import { Injurer } from './faults/injurer.ts'
import { type Injury, plan } from './faults/schedule.ts'
import type { Breach } from './journal.ts'
import { PROFILE, type ProfileName } from './profile.ts'
import { examine, type Findings, type LastFault } from './witness/examination.ts'

/** The databases that a run can use. */
export const STORAGES = ['postgresql', 'folder'] as const

/** Inputs of a run. */
export interface RunOptions {
  readonly profile: ProfileName
  readonly storage: (typeof STORAGES)[number]
  readonly seconds: number
  readonly seed: number
  readonly bug: string | undefined
  /**
   * The longest recovery after the last fault. Default: the lease and five seconds, and two starts of the
   * replicas on this machine, since the process that was killed last may be killed again while it starts.
   */
  readonly recoveryLimitSeconds: number | undefined
  /** The least kills and faults. Until then faults go on for up to twice `seconds`; fewer are a breach. */
  readonly least: { readonly kills: number; readonly faults: number }
  /** Called with each line of progress. */
  readonly say: (line: string) => void
  /** Ends the run early: its processes are ended, and no promise is checked. */
  readonly over: AbortSignal
}

/** The report of a run. */
export interface RunReport extends Findings {
  /** The broken promises, of `breaches`: a slow machine makes a recovery late, and breaks none of them. */
  readonly broken: readonly Breach[]
  readonly profile: ProfileName
  readonly seconds: number
  readonly requests: number
  readonly kills: { readonly servers: number; readonly agents: number; readonly postgres: number }
  readonly faults: Readonly<Record<string, number>>
  readonly drainSeconds: number
  /** The longest recovery after the last fault. */
  readonly recoveryLimitSeconds: number
}

const LEASE_SECONDS = 2
const RECOVERY_SECONDS = 5
const DRAIN_SECONDS = 60
const DRAIN_LOOK_MS = 200
const SHOWN = 5
/** Faults that a folder is spared: opening the embedded database anew takes each server a few seconds. */
const NOT_OF_A_FOLDER: readonly Injury[] = ['freeze server']

/** Inflicts faults on a cast, waits until it has come to rest, and checks the promises. */
export async function run(options: RunOptions): Promise<RunReport> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-chaos-'))
  try {
    await using database = await open(options, folder)
    return await play(options, database, folder)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

function open({ storage, bug }: RunOptions, folder: string): Promise<ChaosDatabase> {
  if (storage === 'folder') return folderDatabase(folder)
  return postgresDatabase(folder, bug === undefined ? {} : (plantedBug(bug).settings ?? {}))
}

async function play(options: RunOptions, database: ChaosDatabase, folder: string): Promise<RunReport> {
  const { seconds, seed, say, over, bug, least } = options
  const random = new Random(seed)
  const profile = PROFILE[options.profile]
  const parts = { folder, database, profile, leaseSeconds: LEASE_SECONDS, random, bug }
  await using cast = await Cast.assemble(parts)
  const injurer = new Injurer(cast, database.serverFaults, random.fork())
  const without = options.storage === 'folder' ? NOT_OF_A_FOLDER : []
  using _progress = every(1000, () => say(progress(cast, injurer)))
  const filling = cast.operator.fill()
  let last: LastFault
  let lasted = 0
  try {
    cast.proxy.isWild = true
    cast.receiver.isWild = true
    const planned = plan(random.fork(), 2 * seconds, LEASE_SECONDS * 1000, without)
    const isEnough = () => killsOf(injurer) >= least.kills && faultsOf(cast, injurer) >= least.faults
    lasted = await injurer.follow(planned, seconds * 1000, isEnough, over)
    over.throwIfAborted()
    const finished = injurer.finish()
    cast.calm()
    const at = await finished
    last = { at, probes: await cast.operator.probe(patience(over)) }
    await injurer.settled()
  } finally {
    cast.operator.rest()
    await filling
  }
  await drained(cast, patience(over))
  const drainSeconds = (Date.now() - last.at) / 1000
  over.throwIfAborted()
  await cast.dismiss()
  const recoveryLimitSeconds = options.recoveryLimitSeconds ?? recoveryLimitOf(cast)
  const findings = await found(recoveryLimitSeconds, cast, database, last)
  const breaches = [...findings.breaches, ...missing(least, killsOf(injurer), faultsOf(cast, injurer))]
  const lengths = { seconds: lasted / 1000, drainSeconds }
  return { ...reportOf(options, cast, injurer), ...findings, breaches, ...lengths, recoveryLimitSeconds }
}

const recoveryLimitOf = ({ startSeconds }: Cast): number =>
  LEASE_SECONDS + RECOVERY_SECONDS + 2 * startSeconds

const sum = (counts: Iterable<number>): number => [...counts].reduce((total, count) => total + count, 0)
const killsOf = (injurer: Injurer): number => injurer.count((injury) => injury.startsWith('kill'))
const faultsOf = (cast: Cast, injurer: Injurer): number =>
  injurer.count(() => true) + sum(cast.proxy.faults.values()) + cast.counts().faults

function missing(least: RunOptions['least'], kills: number, faults: number): Breach[] {
  if (kills >= least.kills && faults >= least.faults) return []
  const evidence = `${kills} kills and ${faults} faults, not ${least.kills} and ${least.faults}`
  return [{ rule: 'evidence', evidence }]
}

/** Over after a minute, or when the run is. */
export const patience = (over: AbortSignal): AbortSignal =>
  AbortSignal.any([over, AbortSignal.timeout(DRAIN_SECONDS * 1000)])

/** Waits up to a minute until every job has ended; the examination reports jobs that have not. */
export async function drained(cast: Cast, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await cast.operator.reinstateAll()
    if (await cast.operator.isIdle()) return
    await pause(DRAIN_LOOK_MS)
  }
}

/** Compares all records, and adds the recovery if it exceeds the limit, in seconds. */
export async function found(
  limit: number,
  cast: Cast,
  database: ChaosDatabase,
  last: LastFault,
): Promise<Findings & Pick<RunReport, 'broken'>> {
  const testimony = { journals: cast.journals, barrings: cast.operator.barrings }
  const findings = await database.examine((query) => examine(query, cast.hosts, testimony, last))
  const breaches: Breach[] = [...cast.breaches, ...findings.breaches]
  const internal = cast.servers.flatMap(({ faults }) => faults)
  for (const line of internal.slice(0, SHOWN)) breaches.push({ rule: 'I14', evidence: line })
  if (findings.recoverySeconds > limit)
    breaches.push({
      rule: 'recovery',
      evidence: `${findings.recoverySeconds.toFixed(1)} s after the last fault, not within ${limit.toFixed(1)} s`,
    })
  return { ...findings, breaches, broken: findings.breaches }
}

function reportOf({ profile, seconds }: RunOptions, cast: Cast, injurer: Injurer) {
  const { requests, faults } = cast.counts()
  return {
    profile,
    seconds,
    requests,
    kills: {
      servers: injurer.done.get('kill server') ?? 0,
      agents: (injurer.done.get('kill crowd') ?? 0) + (injurer.done.get('kill agent') ?? 0),
      postgres: injurer.done.get('kill postgres') ?? 0,
    },
    faults: Object.fromEntries<number>([
      ...injurer.done,
      ...cast.proxy.faults,
      ['of the agents themselves', faults],
    ]),
  }
}

function progress(cast: Cast, injurer: Injurer): string {
  const { requests, lines } = cast.counts()
  const kills = killsOf(injurer)
  const up = cast.servers.filter(({ isUp }) => isUp).length
  return `${requests} requests, ${lines} lines, ${cast.operator.enqueued} jobs, ${kills} kills, ${up} of ${cast.servers.length} replicas up`
}

function every(milliseconds: number, work: () => void): Disposable {
  const timer = setInterval(work, milliseconds)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
