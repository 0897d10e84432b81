import { ConfigError } from './config-error.ts'
import { leavesUnverified } from './database-tls.ts'
import { nearest } from './nearest.ts'
import { FILE_SUFFIX, hasOwnModes, readSecretFile, SecretFileError } from './secret-file.ts'
import type { Setting } from './setting.ts'
import { type GroupName, type Groups, type OwnName, type SettingGroups, settingsOf } from './settings.ts'

/** Groups whose faults close only the group itself. */
export type OptionalGroup = {
  [G in GroupName]: SettingGroups[G]['optional'] extends true ? G : never
}[GroupName]

type Values<S> = { readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never }

type Grouped<N extends GroupName> = { readonly [G in N]: Values<SettingGroups[G]['settings']> }

/** Every setting with its value, as `config.<group>.<setting>`; inferred from the groups. */
export type Config = Grouped<GroupName> & Verdicts

/** The settings of a service whose features have groups of these names. */
export type ConfigOf<N extends GroupName> = Grouped<OwnName> & Grouped<N> & Verdicts

type NameIn<G> = G extends unknown ? keyof G & GroupName : never

interface Verdicts {
  /** Faults of optional groups. A group with an entry here is closed, even if its values are good. */
  readonly faults: { readonly [G in OptionalGroup]?: readonly string[] }
  /** Sentences for the start-up log: unknown names, and values that are probably mistakes. */
  readonly warnings: readonly string[]
  /** Secrets read from files: the name of the setting, and the path. */
  readonly files: Readonly<Record<string, string>>
}

/** The environment, or a stand-in for it. An empty or blank value counts as unset. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Names that commands read and the service does not. They cause no warning if both share an environment. */
const CLIENT_NAMES = ['SERVICE_URL', 'SERVICE_TOKEN', 'SERVICE_LICENSE_KEY', 'SERVICE_HANDLER_USER']

/** Findings so far while settings are read. */
interface Findings {
  /** Faults that stop the start. */
  readonly fatal: string[]
  readonly warnings: string[]
  readonly files: Record<string, string>
}

/**
 * Reads the settings of a service with these features, including secrets from the files that `<name>_FILE`
 * names. A bad value in an optional group is noted in `faults`, and its setting falls back to the default. An
 * empty environment gives the development defaults.
 * @throws ConfigError with every fault outside optional groups and every file that cannot be used
 */
export function readSettings<G extends Groups>(
  features: readonly G[],
  env: Environment,
): ConfigOf<NameIn<G>> {
  const settings = settingsOf(features)
  const found: Findings = { fatal: [], warnings: [], files: {} }
  const { fatal, warnings, files } = found
  const groups: Record<string, Readonly<Record<string, unknown>>> = {}
  const closed: Record<string, readonly string[]> = {}
  for (const [groupName, group] of Object.entries(settings)) {
    const faults: string[] = []
    const read = ([key, setting]: [string, Setting<unknown>]) => [
      key,
      readSetting(setting, env, faults, found),
    ]
    groups[groupName] = Object.freeze(Object.fromEntries(Object.entries(group.settings).map(read)))
    if (!group.optional) fatal.push(...faults)
    else if (faults.length > 0) closed[groupName] = faults
  }
  // The loop reads the same groups that the type is inferred from; the compiler cannot follow that.
  const config = Object.freeze({ ...groups, faults: closed, warnings, files }) as unknown as ConfigOf<
    NameIn<G>
  >
  judgeDatabase(config, env, found)
  if (fatal.length > 0) throw new ConfigError([...fatal, ...Object.values(closed).flat()])
  warnings.push(...unknownNames(env, settings))
  return config
}

/** Reads the settings that belong to no feature alone: of programs without a service, such as the agent. */
export const readOwnConfig = (env: Environment): ConfigOf<never> => readSettings([], env)

function readSetting<T>(setting: Setting<T>, env: Environment, faults: string[], found: Findings): T {
  const given = givenFor(setting, env, found)
  if (!given) return setting.fallback
  const value = setting.parse(given)
  const isFile = setting.name in found.files
  if (value === undefined) {
    const what = isFile
      ? `${setting.name}${FILE_SUFFIX} must name a file that holds`
      : `${setting.name} must be`
    faults.push(`${what} ${setting.form}`)
    return setting.fallback
  }
  const caution = setting.caution?.(value, given)
  if (caution) found.warnings.push(`${setting.name} ${caution}`)
  return value
}

/**
 * Returns the text that is set: the variable itself, the contents of the file that `<name>_FILE` names, or
 * the entries of a family.
 */
function givenFor(setting: Setting<unknown>, env: Environment, found: Findings): string | undefined {
  const { name, secret, family } = setting
  if (family !== undefined) return familyOf(family, env)
  const direct = env[name]?.trim()
  const fileName = `${name}${FILE_SUFFIX}`
  const path = secret ? env[fileName]?.trim() : undefined
  if (!path) return direct
  if (direct) {
    found.fatal.push(`${fileName} and ${name} are both set: one of them has to go`)
    return undefined
  }
  try {
    const { text, isShared } = readSecretFile(fileName, path)
    found.files[name] = path
    if (isShared && hasOwnModes(path, env.CREDENTIALS_DIRECTORY)) {
      found.warnings.push(`${fileName} names ${path}, which its group or others have rights to: chmod 600 it`)
    }
    return text
  } catch (error) {
    if (!(error instanceof SecretFileError)) throw error
    found.fatal.push(error.message)
    return undefined
  }
}

function familyOf(beginning: string, env: Environment): string {
  const names = Object.keys(env).filter((name) => name.startsWith(beginning) && env[name]?.trim())
  return names.map((name) => `${name}=${env[name]?.trim()}`).join('\0')
}

/**
 * A connection to the database that others can read or change causes a warning in production, and a fault if
 * TLS is required.
 */
function judgeDatabase(
  { database, service }: Grouped<OwnName>,
  env: Environment,
  { fatal, warnings }: Findings,
): void {
  const { url, sessionUrl, tls } = database
  if (url === undefined && sessionUrl !== undefined)
    warnings.push('DATABASE_SESSION_URL has no effect without DATABASE_URL')
  for (const [name, address] of Object.entries({ DATABASE_URL: url, DATABASE_SESSION_URL: sessionUrl })) {
    if (address === undefined || !leavesUnverified(address, env.PGHOST)) continue
    const what = `${name} leads to another machine without sslmode=verify-full`
    if (tls === 'require') fatal.push(`SERVICE_DATABASE_TLS is require, but ${what}`)
    else if (service.production) warnings.push(`${what}: others on the way may read and change the traffic`)
  }
}

function unknownNames(env: Environment, settings: Groups): string[] {
  const known = Object.values(settings).flatMap((group) =>
    Object.values(group.settings).flatMap(({ name, secret }) =>
      secret ? [name, `${name}${FILE_SUFFIX}`] : [name],
    ),
  )
  const ours = Object.keys(env).filter((name) => name.startsWith('SERVICE_'))
  const strangers = ours.filter((name) => !known.includes(name) && !CLIENT_NAMES.includes(name))
  return strangers.sort().map((name) => {
    const meant = nearest(name, known)
    return `${name} is not a setting${meant ? `: did you mean ${meant}?` : ''}`
  })
}
