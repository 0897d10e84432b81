import { defaulted, type Infer, optional, refine } from 'superstruct'
import { Problem } from '../../kernel/problem.ts'
import {
  type Fields,
  field,
  flag,
  listOf,
  mapOf,
  matching,
  oneOf,
  read,
  shape,
  text,
  whole,
} from '../../kernel/validation.ts'
import { nearest } from '../../platform/config/nearest.ts'
import { buildArgs, capabilitiesField, imageName, stageName } from './container.ts'
import { isSchedule, isTimezone } from './cron-schedule.ts'

/** The file of a repository that says how its application is built and run. */
export const DEFINITION_FILE = 'svc.json'
/** The process that has a port and gets the requests of visitors. */
export const WEB = 'web'

const MAX_FILE_CHARS = 65_536
const MAX_COMMAND_CHARS = 4_096
const MAX_VOLUMES = 16
const MAX_PROCESSES = 16
/** Most instances of a process. */
const MAX_COUNT = 10
const MAX_CRONS = 20
const MAX_BUILD_VARIABLES = 100
const MAX_PACKAGES = 50
const MAX_LINKS = 16
/** Seconds that a build may take, unless the file says otherwise. */
export const BUILD_TIMEOUT_S = 1_800

/** Types of a build that hosts carry out. */
const TYPES = [
  'script',
  'compose',
  'dockerfile',
  'image',
  'procfile',
  'node',
  'python',
  'static',
  'files',
] as const

const isPart = (part: string): boolean => /^[\w -][\w .@+-]{0,99}$/.test(part)

const isRelative = (value: unknown): boolean =>
  typeof value === 'string' && value.split('/').length <= 20 && value.split('/').every(isPart)

/** Name of a process, a volume, or a command at times of the clock. */
export const processName = matching(
  /^[a-z][a-z0-9-]{0,31}$/,
  'a name of a-z, 0-9 and dash, at most 32 characters',
)
const command = field<string>(
  { type: 'string', minLength: 1, maxLength: MAX_COMMAND_CHARS },
  (value) => typeof value === 'string' && isCommand(value),
  `a command of 1 to ${MAX_COMMAND_CHARS} characters in one line`,
)
const path = matching(/^\/[!-~]{0,255}$/, 'a path that begins with /, at most 256 characters')
/** A path below a repository. */
export const folder = field<string>(
  { type: 'string', maxLength: 2_000 },
  isRelative,
  'a path below the repository, without .. and hidden parts',
)

const isRepoPath = (value: string): boolean =>
  value.length <= 2_000 &&
  value.split('/').every((part) => /^[\w .@+-]{1,100}$/.test(part) && !['.', '..', '.git'].includes(part))

/** A path below a repository, also of hidden files, or a dot for the whole. */
export const repoPath = field<string>(
  { type: 'string', maxLength: 2_000 },
  (value) => value === '.' || (typeof value === 'string' && isRepoPath(value)),
  'a path below the repository of plain words, or a dot',
)

const healthFields = { path: optional(path), timeout_s: optional(whole(1, 600)) }
const limitFields = {
  memory: optional(matching(/^[1-9]\d{0,5}[MG]$/, 'megabytes or gigabytes, such as 512M')),
  cpus: optional(
    field<number>(
      { type: 'number', minimum: 0.01, maximum: 64 },
      (value) => typeof value === 'number' && value >= 0.01 && value <= 64,
      'a number of processors from 0.01 to 64',
    ),
  ),
}
const processFields = {
  command: optional(command),
  /** Whether it answers visitors, as `web` always does. */
  http: optional(flag()),
  port: optional(whole(1, 65_535)),
  capabilities: optional(capabilitiesField),
  health: optional(shape(healthFields)),
  count: defaulted(whole(1, MAX_COUNT), 1),
  roll: optional(oneOf(['beside', 'replace'])),
  ...limitFields,
}
const cronFields = {
  name: processName,
  schedule: field<string>(
    { type: 'string', maxLength: 100 },
    (value) => typeof value === 'string' && isSchedule(value),
    'five fields as in crontab, such as 15 3 * * *, or @daily; and a time that comes',
  ),
  timezone: defaulted(
    field<string>(
      { type: 'string', maxLength: 100 },
      (value) => typeof value === 'string' && isTimezone(value),
      'the name of a time zone, such as Europe/Berlin',
    ),
    'UTC',
  ),
  command,
  timeout_s: defaulted(whole(1, 86_400), 3_600),
  ...limitFields,
}
/** Instances of processes, in place of the counts of the definition. */
export const scaleField = refine(mapOf(processName, whole(0, MAX_COUNT)), 'few', (value) => {
  const count = Object.keys(value).length
  return (count >= 1 && count <= MAX_PROCESSES) || `expected 1 to ${MAX_PROCESSES} processes`
})
/** The commands that run at times of the clock. */
export const cronField = refine(listOf(shape(cronFields), MAX_CRONS), 'named', (value) => {
  const names = value.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) < index)
  return twice === undefined || `expected names that differ: ${twice} is there twice`
})
const variableName = matching(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'the name of a variable')
const buildFields = {
  type: optional(oneOf(TYPES)),
  command: optional(command),
  file: optional(folder),
  image: optional(imageName),
  service: optional(text(1, 64)),
  target: optional(stageName),
  args: optional(buildArgs),
  env: optional(listOf(variableName, MAX_BUILD_VARIABLES)),
  timeout_s: defaulted(whole(1, 86_400), BUILD_TIMEOUT_S),
}
const stopFields = {
  signal: defaulted(oneOf(['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGHUP', 'SIGUSR1', 'SIGUSR2']), 'SIGTERM'),
  grace_s: defaulted(whole(1, 600), 30),
}
/** How an application is asked to end. */
export const stopField = shape(stopFields)
const staticFields = { folder: optional(folder), fallback: optional(folder) }
/** The folder that is served, and the page for every other path. */
export const staticField = shape(staticFields)
/** The processes of an application, by their names. */
export const processesField = refine(mapOf(processName, shape(processFields)), 'few', (value) => {
  const count = Object.keys(value).length
  return (count >= 1 && count <= MAX_PROCESSES) || `expected 1 to ${MAX_PROCESSES} processes`
})
const volumePath = matching(
  /^(?:\/[A-Za-z0-9_][A-Za-z0-9._-]{0,63}){1,8}$/,
  'an absolute path of plain words, such as /data/uploads',
)
/** The volumes of an application: folders that outlive its releases, by their names, and where they stand. */
export const volumesField = refine(mapOf(processName, volumePath), 'apart', (value) => {
  const paths = Object.values(value)
  const isWithin = paths.some((one, at) =>
    paths.some((other, index) => at !== index && `${one}/`.startsWith(`${other}/`)),
  )
  if (isWithin) return 'expected volumes of which none lies in another'
  return paths.length <= MAX_VOLUMES || `expected at most ${MAX_VOLUMES} volumes`
})
/** Names of Debian packages: apt takes a dash at the end for the wish that one goes. */
export const packagesField = listOf(
  matching(/^[a-z0-9][a-z0-9+.-]{0,61}[a-z0-9+.]$/, 'the name of a Debian package'),
  MAX_PACKAGES,
)
/** Names of applications on the same host that this one reaches. */
export const linksField = refine(
  listOf(matching(/^[a-z0-9][a-z0-9._-]{0,127}$/, 'the name of an application'), MAX_LINKS),
  'once',
  (value) => new Set(value).size === value.length || 'expected names that differ',
)
const fields = {
  version: field<1>({ const: 1 }, (value) => value === 1, 'the number 1'),
  app: optional(text(1, 128)),
  build: optional(shape(buildFields)),
  processes: optional(processesField),
  release: optional(command),
  stop: defaulted(stopField, () => ({})),
  volumes: optional(volumesField),
  static: optional(staticField),
  cron: optional(cronField),
  packages: optional(packagesField),
  links: optional(linksField),
}
const definition = shape(fields)

/** The contents of `svc.json`, with defaults filled in. */
export type AppDefinition = Infer<typeof definition>
/** A program of an application. */
export type AppProcess = Infer<typeof processesField>[string]
/** A command that runs at times of the clock. */
export type AppCron = Infer<typeof cronField>[number]
/** The paths of an application's volumes, by their names. */
export type AppVolumes = Infer<typeof volumesField>
/** How an application is asked to end. */
export type AppStop = AppDefinition['stop']

/** Whether a process answers visitors, and so has a port that stays its own. */
export const isVisited = (process: string, { http }: Pick<AppProcess, 'http'> = {}): boolean =>
  process === WEB || http === true

/** Whether a text can be a command: one line, of bounded length, with something in it. */
export const isCommand = (value: string): boolean =>
  value.trim() !== '' && value.length <= MAX_COMMAND_CHARS && !/[\0\r\n]/.test(value)

/** Whether a word can name a process. */
export const isProcessName = (word: string): boolean => /^[a-z][a-z0-9-]{0,31}$/.test(word)

type Raw = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Raw =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Refusals of unknown keys of one object, with the nearest known one. */
function keyFaults(value: unknown, place: string, known: Fields): string[] {
  if (!isObject(value)) return []
  const words = Object.keys(known)
  return Object.keys(value).flatMap((key) => {
    if (words.includes(key)) return []
    const name = `${place}${key.slice(0, 64)}`
    const meant = nearest(key.slice(0, 64), words)
    return [meant === undefined ? `${name}: not known` : `${name}: not known; did you mean ${meant}?`]
  })
}

function allKeyFaults(value: Raw): string[] {
  const each = isObject(value.processes) ? Object.entries(value.processes) : []
  const crons = Array.isArray(value.cron) ? value.cron : []
  return [
    ...keyFaults(value, '', fields),
    ...keyFaults(value.build, 'build.', buildFields),
    ...keyFaults(value.stop, 'stop.', stopFields),
    ...keyFaults(value.static, 'static.', staticFields),
    ...crons.slice(0, MAX_CRONS).flatMap((entry, index) => keyFaults(entry, `cron.${index}.`, cronFields)),
    ...each.flatMap(([name, entry]) => {
      const place = `processes.${name.slice(0, 32)}.`
      const health = isObject(entry) ? keyFaults(entry.health, `${place}health.`, healthFields) : []
      return [...keyFaults(entry, place, processFields), ...health]
    }),
  ]
}

const refused = (details: readonly string[]): Problem =>
  new Problem('invalid-input', {
    detail: `${DEFINITION_FILE} is refused: ${details.slice(0, 5).join('; ')}`,
  })

function parsed(file: string): Raw {
  if (file.length > MAX_FILE_CHARS) throw refused([`it has more than ${MAX_FILE_CHARS} characters`])
  let value: unknown
  try {
    value = JSON.parse(file)
  } catch {
    throw refused(['it is not JSON'])
  }
  if (isObject(value)) return value
  throw refused(['expected an object'])
}

/**
 * Reads the text of `svc.json`. No key is ignored: unknown ones are refused by name.
 * @throws Problem `invalid-input` with the refused fields
 */
export function readDefinition(file: string): AppDefinition {
  const value = parsed(file)
  const faults = allKeyFaults(value)
  if (faults.length > 0) throw refused(faults)
  try {
    return read(definition, value)
  } catch (error) {
    if (error instanceof Problem) throw refused(error.data.details ?? [error.message])
    throw error
  }
}
