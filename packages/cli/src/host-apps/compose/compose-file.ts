import { parseEnv } from 'node:util'
import { WEB_PROCESS } from '@svc/core/adapters'
import { serviceAddress } from '../system/switch-rules.ts'
import type { Lookup } from './interpolate.ts'
import { OF_THE_FILE, REFUSED_OF_THE_FILE } from './keys.ts'
import { MountReader, volumeNames } from './mounts.ts'
import { demandGood, plainName, type Repository } from './places.ts'
import { entriesOf, Findings, isObject, type Raw, readYaml } from './reading.ts'
import { type ComposeService, readService } from './service.ts'

/** A service, and the process of the application that it is. */
export interface Placed extends ComposeService {
  readonly processName: string
  /** The port that visitors are led to, if it answers them and its file says which. */
  readonly visited: number | undefined
}

/** A compose file that is carried out. */
export interface Compose {
  readonly services: readonly Placed[]
  readonly notes: readonly string[]
}

const MAX_SERVICES = 16
/** Ports of databases and queues: files open them for people with tools, and visitors never ask there. */
const OF_DATABASES = [1433, 1521, 2379, 3306, 5432, 5672, 6379, 9042, 9092, 9200, 9300, 11211, 27017, 33060]

/** Inputs of the reading of a compose file. */
export interface ComposeInputs {
  readonly file: string
  readonly text: string
  readonly repository: Repository
  /** The application's variables. */
  readonly env: Readonly<Record<string, string>>
  /** The service that answers visitors, when `svc.json` names it. */
  readonly visited: string | undefined
  /** Processes that answer visitors besides, with their ports if those are said. */
  readonly more?: Readonly<Record<string, number | undefined>> | undefined
}

/**
 * Reads a compose file. Every key is carried out, refused, or named in a line of the log.
 * @throws Problem `invalid-input` with all that is refused, before anything is built
 */
export function readCompose({ file, text, repository, env, visited, more = {} }: ComposeInputs): Compose {
  const found = new Findings()
  const defaults = parseEnv(
    repository.text(`${repository.base === '.' ? '' : `${repository.base}/`}.env`) ?? '',
  )
  const lookup: Lookup = (name) => env[name] ?? defaults[name] ?? (name === 'PWD' ? '.' : undefined)
  const value = readYaml(text, lookup, found)
  const services = value === undefined ? [] : servicesOf(value, { env, lookup, repository, found })
  if (value !== undefined && services.length === 0 && found.faults.length === 0)
    found.fault('services', 'there is none')
  checkOrder(services, found)
  const placed = withVisitors(withNames(services, visited, found), more, found)
  checkAddresses(placed, found)
  demandGood(file, found)
  return { services: placed, notes: found.notes }
}

interface FileParts {
  readonly env: Readonly<Record<string, string>>
  readonly lookup: Lookup
  readonly repository: Repository
  readonly found: Findings
}

function servicesOf(value: Raw, parts: FileParts): readonly ComposeService[] {
  const { found } = parts
  for (const key of Object.keys(value)) {
    const why = REFUSED_OF_THE_FILE[key]
    if (why !== undefined) found.fault(key, `refused: ${why}`)
    else if (!OF_THE_FILE.some((known) => known === key)) found.fault(key.slice(0, 64), 'not known')
  }
  const mounts = new MountReader(volumeNames(value.volumes, found), parts.repository, found)
  const entries = entriesOf(value.services, 'services', found)
  const started = entries.filter(([name, given]) => {
    const profiles = isObject(given) && Array.isArray(given.profiles) ? given.profiles : []
    if (profiles.length > 0) found.note(`services.${name} is left out: it belongs to a profile`)
    return profiles.length === 0
  })
  if (started.length > MAX_SERVICES) found.fault('services', `expected at most ${MAX_SERVICES}`)
  return started.slice(0, MAX_SERVICES).flatMap(([name, given]) => {
    if (isObject(given)) return readService(name, given, { ...parts, mounts })
    return found.fault(`services.${name.slice(0, 64)}`, 'expected names with values') ?? []
  })
}

/** Services that wait for each other would wait for ever. */
function checkOrder(services: readonly ComposeService[], found: Findings): void {
  const known = new Map(services.map((each) => [each.name, each]))
  const done = new Set<string>()
  const visit = (name: string, path: readonly string[]): void => {
    if (path.includes(name)) {
      found.fault('depends_on', `${[...path.slice(path.indexOf(name)), name].join(' waits for ')}`)
      return
    }
    if (done.has(name)) return
    done.add(name)
    for (const before of Object.keys(known.get(name)?.after ?? {})) {
      const place = `services.${name}.depends_on.${before.slice(0, 64)}`
      const other = known.get(before)
      const condition = known.get(name)?.after[before]
      if (other === undefined) found.fault(place, 'there is no such service')
      else if (condition === 'healthy' && other.service.check === undefined)
        found.fault(place, `${before} has no healthcheck in this file`)
      else visit(before, [...path, name])
    }
  }
  for (const { name } of services) visit(name, [])
}

/** Addresses are made of names, and so two names may rarely have one. */
function checkAddresses(services: readonly Placed[], found: Findings): void {
  const taken = new Map<string, string>()
  for (const { name, processName } of services) {
    const address = serviceAddress(processName)
    const other = taken.get(address)
    if (other !== undefined)
      found.fault(`services.${name}`, `it has the address of ${other}: name it otherwise`)
    taken.set(address, name)
  }
}

/** The service that answers visitors; undefined when none does. */
function visitedOf(
  services: readonly ComposeService[],
  said: string | undefined,
  found: Findings,
): ComposeService | undefined {
  if (said !== undefined) {
    const meant = services.find(({ name }) => name === said)
    return (
      meant ??
      found.fault(
        'build.service',
        `there is no service ${said}: ${services.map(({ name }) => name).join(', ')}`,
      )
    )
  }
  const open = services.filter(({ ports }) =>
    ports.some((each) => each.open !== undefined && !OF_DATABASES.includes(each.port)),
  )
  const [first] = open
  if (open.length <= 1) return first ?? services.find(({ name }) => name === WEB_PROCESS)
  const plain = open.filter(({ ports }) => ports.some((each) => each.open === 80))
  const web = plain.length === 1 ? plain[0] : open.find(({ name }) => name === WEB_PROCESS)
  if (web !== undefined) return web
  const names = open.map(({ name }) => name).join(', ')
  return found.fault('ports', `${names} have some: say which answers visitors by build.service in svc.json`)
}

/** The port for visitors: the only one, or the one that the file opens as 80. TLS is the host's. */
function visitedPort({ name, ports, exposed }: ComposeService, found: Findings): number | undefined {
  const open = ports.filter((each) => each.open !== undefined)
  const numbers = [...new Set((open.length > 0 ? open : ports).map(({ port }) => port))]
  if (numbers.length === 0) return exposed.length === 1 ? exposed[0] : undefined
  if (numbers.length === 1) return numbers[0]
  const plain = open.find((each) => each.open === 80)?.port
  if (plain !== undefined) return plain
  const rest = numbers.filter((port) => port !== 443 && port !== 8443 && !OF_DATABASES.includes(port))
  if (rest.length === 1) return rest[0]
  return found.fault(
    `services.${name}.ports`,
    `visitors are led to one of them: ${numbers.join(', ')}; leave one`,
  )
}

function withNames(
  services: readonly ComposeService[],
  said: string | undefined,
  found: Findings,
): readonly Placed[] {
  const visited = visitedOf(services, said, found)
  const once = new Set(
    services.flatMap(({ after }) =>
      Object.entries(after).flatMap(([name, condition]) => (condition === 'completed' ? [name] : [])),
    ),
  )
  const taken = new Map<string, string>([
    ...(visited === undefined ? [] : [[WEB_PROCESS, visited.name] as const]),
  ])
  return services.map((each): Placed => {
    const { name } = each
    const isVisited = each === visited
    const plain = plainName(name === WEB_PROCESS && visited !== undefined ? 'web-inner' : name)
    const processName = isVisited ? WEB_PROCESS : (plain ?? '')
    if (processName === '')
      found.fault(
        `services.${name.slice(0, 64)}`,
        'expected a name that begins with a letter, at most 32 characters',
      )
    else if (!isVisited && taken.has(processName))
      found.fault(`services.${name}`, `${taken.get(processName)} is ${processName} too`)
    taken.set(processName, name)
    if (processName !== name) found.note(`${name} is the process ${processName}`)
    if (isVisited && once.has(name))
      found.fault(`services.${name}`, 'it answers visitors, and others wait for its end')
    const others = services.flatMap(({ links }) =>
      links.flatMap(([of, other]) => (of === name ? [other] : [])),
    )
    const service = {
      ...each.service,
      names: [...new Set([...each.service.names, ...others])],
      ...(once.has(name) ? { once: true } : {}),
    }
    return { ...each, service, processName, visited: isVisited ? visitedPort(each, found) : undefined }
  })
}

/** Has further services answer visitors, as processes with `http` do. */
function withVisitors(
  services: readonly Placed[],
  more: NonNullable<ComposeInputs['more']>,
  found: Findings,
): readonly Placed[] {
  const names = services.map(({ processName }) => processName)
  for (const name of Object.keys(more))
    if (!names.includes(name))
      found.fault(`processes.${name} of svc.json`, `there is no such process: ${names.join(', ')}`)
  return services.map((each) => {
    if (!Object.hasOwn(more, each.processName)) return each
    if (each.service.once)
      found.fault(`services.${each.name}`, 'it answers visitors, and others wait for its end')
    const visited = more[each.processName] ?? visitedPort(each, found)
    return { ...each, process: { ...each.process, http: true }, visited }
  })
}
