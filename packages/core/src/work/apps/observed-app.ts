import { type Infer, optional } from 'superstruct'
import {
  finite,
  flag,
  listOf,
  matching,
  namedShape,
  oneOf,
  shape,
  text,
  whole,
} from '../../kernel/validation.ts'

const SAFE = Number.MAX_SAFE_INTEGER
const NAME = matching(/^[a-z0-9][a-z0-9._-]{0,127}$/, 'the name of an application')

const plain = matching(/^[ -~]{1,100}$/, 'at most 100 printable characters')

/** States of an app as its host sees it. `degraded`: some instances are up, and others are not. */
export const OBSERVED_STATES = ['up', 'degraded', 'down', 'stopped'] as const
/** Most apps of a host whose state is kept. */
export const MAX_OBSERVED = 500
/** Starts within ten minutes that make a trouble. */
export const MANY_RESTARTS = 5

/** A command at times of the clock, as a host tells of it. Instants are unix seconds. */
const cronFields = {
  name: matching(/^[a-z][a-z0-9-]{0,31}$/, 'the name of a command'),
  schedule: plain,
  timezone: plain,
  running: flag(),
  /** The start of its last run. */
  last_at: optional(whole(0, SAFE)),
  seconds: optional(finite()),
  /** Why the last run failed. */
  fault: optional(text(0, 512)),
  /** Runs that were left out since, because that one went on. */
  skipped: whole(0, SAFE),
}
/** The state of an app as a host tells of it, without the name. */
const STATE = {
  sha: optional(text(0, 64)),
  /** The number of the release. */
  release: whole(0, SAFE),
  /** Instances that are up, of those that are wanted. */
  up: whole(0, 1_000),
  of: whole(0, 1_000),
  /** Instances that are not up, such as `web.1`. */
  missing: optional(listOf(matching(/^[a-z][a-z0-9-]{0,31}\.\d{1,3}$/, 'an instance such as web.1'), 20)),
  /** Starts after an end within the last ten minutes. */
  restarts: whole(0, SAFE),
  crons: optional(listOf(namedShape('ObservedCron', cronFields), 20)),
  /** Visitors are turned away while it runs. */
  maintenance: optional(flag()),
  /** Domains whose certificates were not renewed in time; without `until` nobody shows one. */
  certificates: optional(listOf(shape({ domain: plain, until: optional(whole(0, SAFE)) }), 50)),
}
/** An app that a heartbeat tells of; `gone`: the host has it no more. */
export const observedEntry = namedShape('ObservedEntry', {
  app: NAME,
  state: oneOf([...OBSERVED_STATES, 'gone']),
  ...STATE,
})
/** A command at times of the clock in answers. */
export const OBSERVED_CRON = cronFields
/** The state of an app in answers. */
export const OBSERVED = STATE

/** An app that a heartbeat tells of. */
export type ObservedEntry = Infer<typeof observedEntry>
/** A command of an app at times of the clock. */
export type ObservedCron = NonNullable<ObservedEntry['crons']>[number]
/** The state of an app on a host, as that last told of it. */
export interface ObservedApp {
  readonly licenseId: string
  readonly fingerprint: string
  readonly app: string
  readonly state: (typeof OBSERVED_STATES)[number]
  readonly detail: Omit<ObservedEntry, 'app' | 'state'>
  /** When the state became this one. */
  readonly since: Date
  readonly observedAt: Date
}

/** An app that runs another commit than its newest good deployment on that host. */
export interface AppDrift extends ObservedApp {
  /** The commit of that deployment. */
  readonly expected: string
  readonly deploymentId: string
}

/** The last runs of an app's commands that failed. */
export const failedCrons = ({ crons = [] }: ObservedApp['detail']): readonly ObservedCron[] =>
  crons.filter(({ fault }) => fault !== undefined)

/** Whether somebody has to look at an app. */
export const isTroubled = ({ state, ...detail }: ObservedEntry): boolean =>
  state === 'degraded' ||
  state === 'down' ||
  detail.restarts >= MANY_RESTARTS ||
  failedCrons(detail).length > 0 ||
  (detail.certificates ?? []).length > 0

/** Returns one entry for each app: the last one. */
export const lastOfEach = (entries: readonly ObservedEntry[]): readonly ObservedEntry[] => [
  ...new Map(entries.map((entry) => [entry.app, entry])).values(),
]
