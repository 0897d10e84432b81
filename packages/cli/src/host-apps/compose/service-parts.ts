import { parseEnv } from 'node:util'
import type { AppService } from '@svc/core/adapters'
import type { Lookup } from './interpolate.ts'
import { inRepository, type Repository } from './places.ts'
import { entriesOf, type Findings, isObject, type Raw, textOf, textsOf } from './reading.ts'
import { megabytesOf, secondsOf, wordsOf } from './words.ts'

/** A port of a service, and the one of a host that leads there. */
export interface Port {
  readonly port: number
  /** The port that its file opens to the network; undefined for one that stays inside. */
  readonly open: number | undefined
}

/** Returns the words of a command: a list as it is, a line parted. */
export function commandOf(value: unknown, place: string, found: Findings): string[] | undefined {
  if (value === undefined || value === null) return undefined
  if (Array.isArray(value)) return [...textsOf(value, place, found)]
  const words = wordsOf(textOf(value) ?? '')
  return words === undefined ? found.fault(place, 'a quote is not closed') : [...words]
}

const portOf = (text: string | undefined): number | undefined => {
  const port = /^\d{1,5}$/.test(text ?? '') ? Number(text) : 0
  return port >= 1 && port <= 65_535 ? port : undefined
}

const isInside = (address: string): boolean => /^(?:127\.|::1$|localhost$)/.test(address)

/** Reads `ports`. Ports of UDP are left out, and the log says so. */
export function portsOf(value: unknown, place: string, found: Findings): readonly Port[] {
  const list = value === undefined || value === null ? [] : Array.isArray(value) ? value : [value]
  return list.flatMap((each, index): readonly Port[] => {
    const at = `${place}.${index}`
    const port = isObject(each) ? longPort(each) : shortPort(textOf(each) ?? '')
    if (port === 'udp') found.note(`${at}: only ports of TCP are reached`)
    else if (port === undefined)
      found.fault(at, 'expected a port such as "8000:80"; ranges are not carried out')
    return typeof port === 'object' ? [port] : []
  })
}

function shortPort(text: string): Port | 'udp' | undefined {
  const [, address = '', rest = '', protocol = 'tcp'] =
    /^(?:(\[[0-9a-f:]+\]|[0-9.]+|localhost):(?=.*:|\d*$))?([\d:]+)(?:\/(tcp|udp))?$/.exec(text) ?? []
  // A lone number before a colon is a port, and no address.
  const isAddress = /[.[l]/.test(address)
  const parts = (isAddress || address === '' ? rest : `${address}:${rest}`).split(':')
  const [port, host] = [portOf(parts.at(-1)), parts.length > 1 ? portOf(parts[0]) : undefined]
  if (port === undefined || parts.length > 2 || (parts.length === 2 && parts[0] !== '' && host === undefined))
    return undefined
  if (protocol === 'udp') return 'udp'
  const isOpen = !isAddress || !isInside(address.replaceAll(/[[\]]/g, ''))
  return { port, open: isOpen ? (host ?? port) : undefined }
}

function longPort({ target, published, protocol, host_ip: address }: Raw): Port | 'udp' | undefined {
  const port = portOf(textOf(target))
  if (protocol === 'udp') return 'udp'
  if (port === undefined) return undefined
  return { port, open: isInside(textOf(address) ?? '') ? undefined : (portOf(textOf(published)) ?? port) }
}

/** Reads `expose`. */
export const exposedOf = (value: unknown, place: string, found: Findings): readonly number[] =>
  textsOf(value, place, found).flatMap((text) => {
    const port = portOf(text.replace(/\/tcp$/, ''))
    if (port === undefined && !text.endsWith('/udp')) found.fault(place, `${text.slice(0, 32)} is no port`)
    return port ?? []
  })

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Reads `environment`: a list of texts, or names with values. One without a value is the application's. */
export function environmentOf(
  value: unknown,
  { place, lookup, found }: { readonly place: string; readonly lookup: Lookup; readonly found: Findings },
): Readonly<Record<string, string>> {
  const pairs = Array.isArray(value)
    ? textsOf(value, place, found).map((line): [string, string | undefined] => {
        const at = line.indexOf('=')
        return at < 0 ? [line, undefined] : [line.slice(0, at), line.slice(at + 1)]
      })
    : entriesOf(value, place, found).map(([name, given]): [string, string | undefined] => [
        name,
        textOf(given),
      ])
  const env: Record<string, string> = {}
  for (const [name, given] of pairs) {
    const value = given ?? lookup(name)
    if (!NAME.test(name)) found.fault(place, `${name.slice(0, 64)} is no name of a variable`)
    else if (value !== undefined) env[name] = value
  }
  return env
}

/** Names of variables that `environment` leaves to the application, and that it has not got: a database's. */
export function wantedOf(value: unknown, lookup: Lookup): readonly string[] {
  const bare = Array.isArray(value)
    ? value.flatMap((each) => (typeof each === 'string' && !each.includes('=') ? [each] : []))
    : Object.entries(isObject(value) ? value : {}).flatMap(([name, given]) => (given === null ? [name] : []))
  return bare.filter((name) => NAME.test(name) && lookup(name) === undefined)
}

/** Whether a file of `env_file` is not in the repository. */
export const lacksEnvFile = (value: unknown, { text, base }: Repository): boolean =>
  (Array.isArray(value) ? value : [value]).some((each) => {
    const path = inRepository(textOf(isObject(each) ? each.path : each) ?? '', base)
    return value !== undefined && value !== null && path !== undefined && text(path) === undefined
  })

/** Reads `env_file`. The application's variables take the place of a file that is not in the repository. */
export function envFilesOf(
  value: unknown,
  parts: {
    readonly place: string
    readonly found: Findings
    readonly repository: Repository
    readonly env: Readonly<Record<string, string>>
  },
): Readonly<Record<string, string>> {
  const { place, found, repository, env } = parts
  const list = value === undefined || value === null ? [] : Array.isArray(value) ? value : [value]
  const all: Record<string, string> = {}
  for (const each of list) {
    const name = textOf(isObject(each) ? each.path : each) ?? ''
    const path = inRepository(name, repository.base)
    const text = path === undefined ? undefined : repository.text(path)
    if (path === undefined) found.fault(place, `${name.slice(0, 100)} is not in the repository`)
    else if (text === undefined)
      found.note(`${place}: ${path} is not in the repository; the application's variables take its place`)
    const given = Object.entries(parseEnv(text ?? '')).map(([key, said]) => [key, env[key] ?? said ?? ''])
    Object.assign(all, text === undefined ? env : Object.fromEntries(given))
  }
  return all
}

const CHECK = { interval: 30, timeout: 30, start_period: 0 } as const

/** Reads `healthcheck`. */
export function checkOf(value: unknown, place: string, found: Findings): AppService['check'] {
  if (!isObject(value) || value.disable === true) return undefined
  const { test } = value
  if (test === undefined)
    return found.note(`${place} has no test: the health check of an image is not asked`) as undefined
  const words = typeof test === 'string' ? ['CMD-SHELL', test] : textsOf(test, `${place}.test`, found)
  const [kind, ...rest] = words
  if (kind === 'NONE') return undefined
  if ((kind !== 'CMD' && kind !== 'CMD-SHELL') || rest.length === 0)
    return found.fault(`${place}.test`, 'expected a line, or a list that begins with CMD or CMD-SHELL')
  const times = (key: keyof typeof CHECK, max: number) => {
    const seconds = value[key] === undefined ? CHECK[key] : secondsOf(textOf(value[key]) ?? '')
    if (seconds === undefined || seconds > max)
      return found.fault(`${place}.${key}`, `expected a time such as 10s, at most ${max} s`)
    return seconds
  }
  const retries = Number(value.retries ?? 3)
  return {
    test: kind === 'CMD' ? [...rest] : ['/bin/sh', '-c', rest.join(' ')],
    interval_s: Math.max(1, times('interval', 3_600) ?? 1),
    timeout_s: Math.max(1, times('timeout', 600) ?? 1),
    start_s: times('start_period', 3_600) ?? 0,
    retries: Number.isInteger(retries) && retries >= 1 && retries <= 100 ? retries : 3,
  }
}

/** Returns a limit of memory as units write it. */
export function memoryOf(value: unknown, place: string, found: Findings): string | undefined {
  if (value === undefined || value === null) return undefined
  const megabytes = megabytesOf(textOf(value) ?? '')
  if (megabytes !== undefined && megabytes <= 999_999) return `${megabytes}M`
  return found.fault(place, 'expected a size such as 512m')
}

/** Returns a share of processors. */
export function cpusOf(value: unknown, place: string, found: Findings): number | undefined {
  if (value === undefined || value === null) return undefined
  const cpus = Number(textOf(value))
  if (cpus >= 0.01 && cpus <= 64) return cpus
  return found.fault(place, 'expected a number of processors from 0.01 to 64')
}

/** Returns a time in whole seconds. */
export function graceOf(value: unknown, place: string, found: Findings): number {
  if (value === undefined || value === null) return 10
  const seconds = secondsOf(textOf(value) ?? '')
  if (seconds !== undefined && seconds <= 600) return Math.max(1, seconds)
  return found.fault(place, 'expected a time such as 30s, at most 600 s') ?? 10
}
