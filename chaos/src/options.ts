import { parseArgs } from 'node:util'
import { plantedBug } from './bugs/plant.ts'
import { PROFILES, type ProfileName } from './profile.ts'
import { STORAGES } from './run.ts'

/** Options of `npm run chaos`. */
export interface ChaosOptions {
  readonly profiles: readonly ProfileName[]
  readonly storage: (typeof STORAGES)[number]
  /** Seconds of faults, shared between the profiles. */
  readonly seconds: number
  readonly seed: number
  readonly bug: string | undefined
  /** Whether to run every planted fault, one after the other. */
  readonly bugs: boolean
  /** Whether to run the faults of a cluster of databases instead. */
  readonly failovers: boolean
  /** Faults of a cluster whose name contains one of these words, between commas; undefined: all. */
  readonly only: string | undefined
  readonly json: boolean
  /** The longest recovery after the last fault; undefined: by the speed of the machine. */
  readonly recoverySeconds: number | undefined
  /** The least kills and faults over all runs. */
  readonly least: { readonly kills: number; readonly faults: number }
}

const SECONDS = 60

/** The usage text. */
export const USAGE = `npm run chaos -- [options]
  --seconds N              seconds of faults, shared between the profiles (default ${SECONDS}); --minutes N likewise
  --profile fast|slow|both many short jobs, or jobs about as long as the lease (default both)
  --storage postgresql|folder   two replicas on a PostgreSQL of their own, or one server on a folder (default postgresql)
  --seed N                 what is planned, and what is drawn (default: drawn, and printed)
  --bug NAME               with a fault planted, which the run must find; an unknown name lists them
  --bugs                   all planted faults, one after the other
  --failovers              a cluster of three PostgreSQL with Patroni, etcd and HAProxy: each of its faults, one after the other (as root)
  --only WORD,WORD         of these the ones whose name has one of the words
  --recovery N             seconds within which all goes on once the last fault is over (default: lease + 5, and two starts of the replicas as measured before the faults)
  --kills N, --faults N    at least so many; for them the faults go on for up to as long again
  --json                   one document on standard output; progress goes to standard error either way
Exit code 1 when a promise was broken or too little happened (with a planted fault: when it was not found), 2 for a bad option.`

/** Parses the arguments. Throws an error that names the bad option. */
export function readOptions(args: readonly string[]): ChaosOptions {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: text,
      minutes: text,
      profile: { ...text, default: 'both' },
      storage: { ...text, default: 'postgresql' },
      seed: text,
      recovery: text,
      kills: text,
      faults: text,
      bug: text,
      bugs: flag,
      failovers: flag,
      only: text,
      json: flag,
    },
  })
  const { profile, bug, bugs, failovers, only, json, minutes } = values
  const storage = STORAGES.find((known) => known === values.storage)
  if (storage === undefined) throw new Error(`--storage takes one of: ${STORAGES.join(', ')}`)
  const profiles = PROFILES.filter((known) => profile === 'both' || profile === known)
  if (profiles.length === 0) throw new Error(`--profile takes one of: ${PROFILES.join(', ')}, both`)
  if (bug !== undefined) plantedBug(bug)
  const seconds = positive('--seconds', values.seconds) ?? minutesOf(minutes) ?? SECONDS
  const seed = positive('--seed', values.seed) ?? Math.trunc(performance.timeOrigin) % 2 ** 31
  const recoverySeconds = positive('--recovery', values.recovery)
  const least = {
    kills: positive('--kills', values.kills) ?? 0,
    faults: positive('--faults', values.faults) ?? 0,
  }
  return { profiles, storage, seconds, seed, bug, bugs, failovers, only, json, recoverySeconds, least }
}

const minutesOf = (given: string | undefined): number | undefined => {
  const minutes = positive('--minutes', given)
  return minutes === undefined ? undefined : minutes * 60
}

function positive(name: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined
  const value = Number(given)
  if (Number.isFinite(value) && value > 0) return value
  throw new Error(`${name} takes a number above 0`)
}
