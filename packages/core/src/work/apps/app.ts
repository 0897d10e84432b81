import { hash } from 'node:crypto'
import { Problem } from '../../kernel/problem.ts'
import { type AppMove, isUnderWay } from './app-move.ts'

/** Most hosts of an app. */
export const MAX_HOSTS = 16
/** Most apps of a license. */
export const MAX_APPS = 500
/** Bounds of an app's variables. */
export const VARIABLES = {
  names: 500,
  nameChars: 128,
  valueBytes: 64 * 1024,
  totalBytes: 1024 * 1024,
} as const

/** An application of a license: what its deploys, hooks and variables have in common. */
export interface App {
  readonly id: string
  readonly licenseId: string
  readonly name: string
  /** Full fingerprint of its host; undefined: that of its git hook. */
  readonly fingerprint: string | undefined
  /** Full fingerprints of its further hosts, in the order of deploys; none without a first one. */
  readonly moreHosts: readonly string[]
  /** Address of its repository; undefined: that of its git hook. */
  readonly repoUrl: string | undefined
  /** Its move to another host, until that is finished or undone. */
  readonly move: AppMove | undefined
  /** Rises by one with each change of its variables. */
  readonly envRevision: number
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** The settings of an app that people change. */
export type AppSettings = Pick<App, 'fingerprint' | 'moreHosts' | 'repoUrl'>
/** An app to be stored. */
export type NewApp = Pick<App, 'licenseId' | 'name'> & AppSettings

/** A variable of an app as it is stored: plain, or a secret that is sealed. */
export interface Variable {
  readonly name: string
  /** The value of a plain one. */
  readonly value: string | undefined
  /** The sealed text of a secret. */
  readonly secret: string | undefined
  readonly updatedAt: Date
}

/** A variable to be stored. */
export type NewVariable = Omit<Variable, 'updatedAt'>

/** The hosts of an app: its own, else the one of its git hook. */
export const hostsOf = (
  { fingerprint, moreHosts }: Pick<App, 'fingerprint' | 'moreHosts'>,
  ofHook: string | undefined,
): readonly string[] => {
  const first = fingerprint ?? ofHook
  return first === undefined ? [] : [first, ...moreHosts]
}

/** The hosts that a push to an app reaches: while it moves, the one that it moves to. */
export const pushedTo = (app: App, ofHook: string): readonly string[] =>
  app.move !== undefined && isUnderWay(app.move) ? [app.move.to] : hostsOf(app, ofHook)

/** @throws Problem `conflict` while an app moves: another order would meet half of it */
export function demandNoMove({ name, move }: Pick<App, 'name' | 'move'>): void {
  if (!isUnderWay(move)) return
  throw new Problem('conflict', {
    detail: `${name} is being moved: svc apps move ${name} goes on with that, and --undo takes it back`,
  })
}

const ID_CHARS = 26

/** The id of an app, which follows from its license and name: whoever names an app first makes it. */
export const appIdOf = (licenseId: string, name: string): string =>
  `app_${hash('sha256', `${licenseId} ${name}`).slice(0, ID_CHARS)}`

/** The id of a variable's row. */
export const variableId = (appId: string, name: string): string => `${appId}.${name}`

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/
const RESERVED = /^(?:SVC_.*|PORT|LD_PRELOAD|LD_LIBRARY_PATH)$/

/**
 * Refuses names and values that no process can be given, or that svc gives itself.
 * @throws Problem `invalid-input`
 */
export function checkVariables(values: Readonly<Record<string, string>>): void {
  const details = Object.entries(values).flatMap(([name, value]) => {
    if (!NAME.test(name)) return [`${shown(name)}: expected a name of A-Z, a-z, 0-9 and _, no digit first`]
    if (RESERVED.test(name)) return [`${name}: svc sets this name itself, or lets nobody set it`]
    if (value.includes('\0')) return [`${name}: expected a value without NUL`]
    const bytes = Buffer.byteLength(value)
    return bytes > VARIABLES.valueBytes
      ? [`${name}: expected a value of at most ${VARIABLES.valueBytes} bytes, not ${bytes}`]
      : []
  })
  if (details.length > 0) throw new Problem('invalid-input', { details })
}

/**
 * Refuses variables for which an app has no room beside those that are stored.
 * @throws Problem `invalid-input`
 */
export function checkRoom(stored: readonly Variable[], added: Readonly<Record<string, string>>): void {
  const kept = stored.filter(({ name }) => !Object.hasOwn(added, name))
  const names = kept.length + Object.keys(added).length
  // A sealed value is a little longer than the value, which counts for room alone.
  const bytes = [...kept.map(({ value, secret }) => value ?? secret ?? ''), ...Object.values(added)].reduce(
    (sum, value) => sum + Buffer.byteLength(value),
    0,
  )
  const details = [
    ...(names > VARIABLES.names ? [`variables: expected at most ${VARIABLES.names}, not ${names}`] : []),
    ...(bytes > VARIABLES.totalBytes
      ? [`variables: expected at most ${VARIABLES.totalBytes} bytes in all, not ${bytes}`]
      : []),
  ]
  if (details.length > 0) throw new Problem('invalid-input', { details })
}

const SHOWN_CHARS = 40
const shown = (name: string): string => JSON.stringify(name.slice(0, SHOWN_CHARS))
