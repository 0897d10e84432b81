import type { AppProcess, AppService } from '@svc/core/adapters'
import { EVERY_VARIABLE } from '../linked-databases.ts'
import type { Lookup } from './interpolate.ts'
import { HARMLESS, IGNORED, QUIET, REFUSED, TAKEN } from './keys.ts'
import { type MountReader, mountFields } from './mounts.ts'
import { inRepository, type Repository } from './places.ts'
import { entriesOf, type Findings, isObject, type Raw, textOf, textsOf } from './reading.ts'
import * as parts from './service-parts.ts'

/** The build of a service's image. */
export interface ComposeBuild {
  /** The folder of the repository that it sees; undefined for the whole. */
  readonly context: string | undefined
  readonly file: string
  readonly target: string | undefined
  readonly args: Readonly<Record<string, string>>
}

/** A service, before its image is there. */
export interface ComposeService {
  readonly name: string
  readonly image: string | undefined
  /** Whether the registry is asked for an image that is there. */
  readonly isFresh: boolean
  readonly build: ComposeBuild | undefined
  readonly ports: readonly parts.Port[]
  readonly exposed: readonly number[]
  /** Paths of the repository, by their places in the container. */
  readonly files: Readonly<Record<string, string>>
  /** Services that come before it, by their names in the file. */
  readonly after: Readonly<Record<string, 'started' | 'healthy' | 'completed'>>
  /** Services that it calls by other names: each name of the file, and the other one. */
  readonly links: readonly (readonly [string, string])[]
  readonly process: AppProcess
  readonly service: Omit<AppService, 'ports' | 'after'>
}

/** Inputs of the reading of a service. */
export interface ServiceParts {
  readonly env: Readonly<Record<string, string>>
  readonly lookup: Lookup
  readonly repository: Repository
  readonly mounts: MountReader
  readonly found: Findings
}

/** The capabilities of a container in podman and Docker, as far as they stay within it. */
const CAPABILITIES = [
  ...(['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'NET_BIND_SERVICE'] as const),
  ...(['SETGID', 'SETPCAP', 'SETUID', 'SYS_CHROOT'] as const),
]
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const
const CONDITIONS = {
  service_started: 'started',
  service_healthy: 'healthy',
  service_completed_successfully: 'completed',
} as const

const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)

/** The lines of `extra_hosts`, whose other form is names with addresses. */
const hostsOf = (value: unknown): readonly string[] =>
  (isObject(value) ? Object.values(value) : Array.isArray(value) ? value : []).map(String)

/** Finds keys that are refused, that are not known, and that mean nothing here. */
function checkKeys(given: Raw, place: string, found: Findings): void {
  for (const [key, value] of Object.entries(given)) {
    const at = `${place}.${key.slice(0, 64)}`
    const words = HARMLESS[key]
    const isGateway = key === 'extra_hosts' && hostsOf(value).every((each) => each.endsWith('host-gateway'))
    if (isGateway) found.note(`${at} means nothing here: no container has a way to the host`)
    const isHarmless =
      isGateway ||
      isNothing(value) ||
      (words !== undefined && textsOf(value, at, found).every((each) => words.includes(each)))
    if (TAKEN.includes(key)) continue
    if (REFUSED[key] !== undefined && !isHarmless) found.fault(at, `refused: ${REFUSED[key]}`)
    else if (IGNORED.includes(key) && !QUIET.includes(key)) found.note(`${at} means nothing here`)
    else if (REFUSED[key] === undefined && !IGNORED.includes(key)) found.fault(at, 'not known')
  }
}

/** Reads a service of the file. */
export function readService(name: string, given: Raw, all: ServiceParts): ComposeService {
  const { found, lookup, env } = all
  const place = `services.${name.slice(0, 64)}`
  checkKeys(given, place, found)
  const mounts = all.mounts.read(
    given.volumes,
    textsOf(given.tmpfs, `${place}.tmpfs`, found),
    `${place}.volumes`,
  )
  const files = parts.envFilesOf(given.env_file, { ...all, env, place: `${place}.env_file` })
  const own = parts.environmentOf(given.environment, { place: `${place}.environment`, lookup, found })
  const wants = parts.lacksEnvFile(given.env_file, all.repository)
    ? [EVERY_VARIABLE]
    : [...parts.wantedOf(given.environment, lookup)]
  const build = buildOf(given.build, `${place}.build`, all)
  const image = textOf(given.image)
  if (build === undefined && image === undefined) found.fault(place, 'it has neither image nor build')
  if (
    build === undefined &&
    image !== undefined &&
    !/^[a-z0-9][A-Za-z0-9._:/-]{0,400}(?:@sha256:[0-9a-f]{64})?$/.test(image)
  )
    found.fault(`${place}.image`, 'expected the name of an image, such as ghcr.io/acme/shop:1.2')
  return {
    name,
    image,
    isFresh: given.pull_policy === 'always',
    build,
    ports: parts.portsOf(given.ports, `${place}.ports`, found),
    exposed: parts.exposedOf(given.expose, `${place}.expose`, found),
    files: mounts.files,
    after: afterOf(given.depends_on, `${place}.depends_on`, found),
    links: linksOf(given.links, `${place}.links`, found),
    process: processOf(given, place, Object.keys(mounts.volumes).length > mounts.sealed.length, found),
    service: {
      names: namesOf(name, given, place, found),
      ...present('entrypoint', parts.commandOf(given.entrypoint, `${place}.entrypoint`, found)),
      ...present('command', parts.commandOf(given.command, `${place}.command`, found)),
      ...runFields(given, place, found),
      ...mountFields(mounts),
      ...present('check', parts.checkOf(given.healthcheck, `${place}.healthcheck`, found)),
      env: { ...files, ...own },
      ...(wants.length === 0 ? {} : { wants }),
      stop: stopOf(given, place, found),
    },
  }
}

const present = <K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } =>
  value === undefined ? {} : ({ [key]: value } as { [P in K]?: V })

function runFields(given: Raw, place: string, found: Findings) {
  const user = textOf(given.user)
  if (
    user !== undefined &&
    !/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,31}(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,31})?$/.test(user)
  )
    found.fault(`${place}.user`, 'expected a user, or user:group')
  const workdir = textOf(given.working_dir)
  if (workdir !== undefined && !/^\/[A-Za-z0-9._@+/-]{0,255}$/.test(workdir))
    found.fault(`${place}.working_dir`, 'expected an absolute path of plain words')
  return {
    ...present('user', user),
    ...present('workdir', workdir),
    ...(given.read_only === true ? { read_only: true } : {}),
    ...(given.init === true ? { init: true } : {}),
    ...present('shm', parts.memoryOf(given.shm_size, `${place}.shm_size`, found)),
  }
}

function processOf(given: Raw, place: string, hasVolume: boolean, found: Findings): AppProcess {
  const deploy = isObject(given.deploy) ? given.deploy : {}
  const resources = isObject(deploy.resources) ? deploy.resources : {}
  const limits = isObject(resources.limits) ? resources.limits : {}
  const memory = parts.memoryOf(limits.memory ?? given.mem_limit, `${place}.mem_limit`, found)
  const cpus = parts.cpusOf(limits.cpus ?? given.cpus, `${place}.cpus`, found)
  const count = Number(textOf(deploy.replicas ?? given.scale ?? 1))
  if (!Number.isInteger(count) || count < 1 || count > 10)
    found.fault(`${place}.deploy.replicas`, 'expected a whole number from 1 to 10')
  return {
    count,
    roll: hasVolume ? 'replace' : 'beside',
    capabilities: capabilitiesOf(given, place, found),
    ...present('memory', memory),
    ...present('cpus', cpus),
  }
}

function capabilitiesOf(given: Raw, place: string, found: Findings): AppProcess['capabilities'] {
  const plain = (key: string) =>
    textsOf(given[key], `${place}.${key}`, found).map((each) => each.toUpperCase().replace(/^CAP_/, ''))
  const [added, dropped] = [plain('cap_add'), plain('cap_drop')]
  const odd = added.find((each) => !CAPABILITIES.some((known) => known === each))
  if (odd !== undefined) found.fault(`${place}.cap_add`, `refused: ${odd.slice(0, 32)} reaches into the host`)
  return CAPABILITIES.filter(
    (each) => added.includes(each) || !(dropped.includes(each) || dropped.includes('ALL')),
  )
}

function stopOf(given: Raw, place: string, found: Findings): AppService['stop'] {
  const said = (textOf(given.stop_signal) ?? 'SIGTERM').toUpperCase()
  const signal = SIGNALS.find((each) => each === said || each === `SIG${said}`)
  if (signal === undefined) found.fault(`${place}.stop_signal`, `expected one of ${SIGNALS.join(', ')}`)
  return {
    signal: signal ?? 'SIGTERM',
    grace_s: parts.graceOf(given.stop_grace_period, `${place}.stop_grace_period`, found),
  }
}

function namesOf(name: string, given: Raw, place: string, found: Findings): string[] {
  const networks = isObject(given.networks) ? Object.values(given.networks) : []
  const aliases = networks.flatMap((each) =>
    isObject(each) ? textsOf(each.aliases, `${place}.networks`, found) : [],
  )
  const words = [name, textOf(given.container_name), textOf(given.hostname), ...aliases]
  const names = [...new Set(words.filter((each) => each !== undefined))]
  const odd = names.find((each) => !/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(each))
  if (odd !== undefined) found.fault(place, `${odd.slice(0, 64)} is no name of a host`)
  if (names.length > 8) found.fault(place, 'expected at most 8 names')
  return names
}

function afterOf(value: unknown, place: string, found: Findings): ComposeService['after'] {
  if (Array.isArray(value))
    return Object.fromEntries(textsOf(value, place, found).map((each) => [each, 'started' as const]))
  const after: Record<string, 'started' | 'healthy' | 'completed'> = {}
  for (const [name, given] of entriesOf(value, place, found)) {
    const word = isObject(given) ? (textOf(given.condition) ?? 'service_started') : 'service_started'
    const condition = Object.entries(CONDITIONS).find(([known]) => known === word)?.[1]
    if (condition === undefined)
      found.fault(`${place}.${name.slice(0, 64)}`, `expected one of ${Object.keys(CONDITIONS).join(', ')}`)
    else after[name] = condition
  }
  return after
}

const linksOf = (value: unknown, place: string, found: Findings): readonly (readonly [string, string])[] =>
  textsOf(value, place, found).map((each) => {
    const [name = '', other = name] = each.split(':')
    return [name, other] as const
  })

function buildOf(
  value: unknown,
  place: string,
  { found, lookup, repository }: ServiceParts,
): ComposeBuild | undefined {
  if (value === undefined || value === null) return undefined
  const given = isObject(value) ? value : { context: value }
  const known = ['context', 'dockerfile', 'args', 'target']
  const quiet = ['cache_from', 'cache_to', 'labels', 'no_cache', 'pull', 'tags', 'shm_size', 'platforms']
  for (const [key, said] of Object.entries(given))
    if (!known.includes(key) && !isNothing(said)) {
      if (quiet.includes(key)) found.note(`${place}.${key} means nothing here`)
      else found.fault(`${place}.${key.slice(0, 64)}`, 'refused: only context, dockerfile, args and target')
    }
  const said = textOf(given.context) ?? '.'
  const context = inRepository(said, repository.base)
  if (context === undefined || !repository.has(context))
    return found.fault(`${place}.context`, `${said.slice(0, 100)} is not in the repository`)
  const below = context === '.' ? '' : `${context}/`
  const file = inRepository(`${below}${textOf(given.dockerfile) ?? 'Dockerfile'}`)
  if (file === undefined || !repository.has(file))
    return found.fault(`${place}.dockerfile`, `${file ?? 'it'} is not in the repository`)
  const args = parts.environmentOf(given.args, { place: `${place}.args`, lookup, found })
  return { context: context === '.' ? undefined : context, file, target: textOf(given.target), args }
}
