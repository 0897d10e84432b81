import { nearest } from './nearest.ts'
import type { Setting } from './setting.ts'
import { type SettingGroup, settings } from './settings.ts'

type Table = typeof settings

/** The groups whose faults close only themselves. */
export type OptionalGroup = {
  [G in keyof Table]: Table[G]['optional'] extends true ? G : never
}[keyof Table]

type Values<S> = { readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never }

/** Every setting with its value, as `config.<group>.<setting>`; inferred from the table. */
export type Config = { readonly [G in keyof Table]: Values<Table[G]['settings']> } & {
  /** Faults of optional groups: a group that has an entry here is closed, whatever its values say. */
  readonly faults: { readonly [G in OptionalGroup]?: readonly string[] }
  /** Sentences for the start-up log: unknown names, values that are probably not meant. */
  readonly warnings: readonly string[]
}

/** The environment, or what stands in for it. An empty or blank value counts as unset. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Every fault of the settings at once. Neither the message nor `faults` holds a value, so both may be logged. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`bad settings:\n${faults.map((fault) => `  ${fault}`).join('\n')}`)
    this.faults = faults
  }
}

/** Names of our own that commands read and the service does not: no reason to warn when both share an environment. */
const CLIENT_NAMES = ['SERVICE_URL', 'SERVICE_LICENSE_KEY']

/**
 * Reads all settings. Throws one `ConfigError` that lists every fault outside optional groups; a fault inside one is
 * kept in `faults` and its setting falls back to the default. `readConfig({})` gives the development defaults.
 */
export function readConfig(env: Environment): Config {
  const fatal: string[] = []
  const warnings: string[] = []
  const groups: Record<string, Readonly<Record<string, unknown>>> = {}
  const closed: Record<string, readonly string[]> = {}
  for (const [groupName, group] of Object.entries<SettingGroup>(settings)) {
    const faults: string[] = []
    const read = ([key, setting]: [string, Setting<unknown>]) => [
      key,
      readSetting(setting, env, faults, warnings),
    ]
    groups[groupName] = Object.freeze(Object.fromEntries(Object.entries(group.settings).map(read)))
    if (!group.optional) fatal.push(...faults)
    else if (faults.length > 0) closed[groupName] = faults
  }
  if (fatal.length > 0) throw new ConfigError([...fatal, ...Object.values(closed).flat()])
  warnings.push(...unknownNames(env))
  // The loop has walked the very table that `Config` is inferred from; the compiler cannot follow that.
  return Object.freeze({ ...groups, faults: closed, warnings }) as unknown as Config
}

function readSetting<T>(setting: Setting<T>, env: Environment, faults: string[], warnings: string[]): T {
  const given = env[setting.name]?.trim()
  if (!given) return setting.fallback
  const value = setting.parse(given)
  if (value === undefined) {
    faults.push(`${setting.name} must be ${setting.form}`)
    return setting.fallback
  }
  const caution = setting.caution?.(value, given)
  if (caution) warnings.push(`${setting.name} ${caution}`)
  return value
}

function unknownNames(env: Environment): string[] {
  const groups = Object.values<SettingGroup>(settings)
  const known = groups.flatMap((group) => Object.values(group.settings).map((setting) => setting.name))
  const ours = Object.keys(env).filter((name) => name.startsWith('SERVICE_'))
  const strangers = ours.filter((name) => !known.includes(name) && !CLIENT_NAMES.includes(name))
  return strangers.sort().map((name) => {
    const meant = nearest(name, known)
    return `${name} is not a setting${meant ? `: did you mean ${meant}?` : ''}`
  })
}
