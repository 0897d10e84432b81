import { defaulted, type Infer, optional, refine } from 'superstruct'
import { Problem } from '../../kernel/problem.ts'
import {
  flag,
  listOf,
  mapOf,
  matching,
  oneOf,
  openShape,
  read,
  shape,
  whole,
} from '../../kernel/validation.ts'
import { processName } from './definition.ts'

/** Paths of a domain that other processes answer. */
export const MAX_PATHS = 20
/** Ranges of addresses that a domain may be limited to. */
export const MAX_RANGES = 100
/** The certificates of a domain: a public one, one of the proxy's own authority, none, or the operator's. */
export const TLS = ['auto', 'internal', 'off', 'certificate'] as const
/** Domains of one application at most. */
export const MAX_DOMAINS = 50

const app = matching(/^[a-z0-9][a-z0-9._-]{0,127}$/, 'the name of an application')
const domain = matching(
  /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/,
  'a lower-case domain name, international ones by their A-labels',
)
const range = matching(/^[0-9a-fA-F.:]{2,45}(?:\/\d{1,3})?$/, 'an address, or a range such as 10.0.0.0/8')
const bcrypt = matching(
  /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/,
  'a digest of bcrypt, as caddy hash-password prints it',
)

/** A path below which a process answers. */
export const pathPrefix = matching(/^(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,63}){1,8}$/, 'a path such as /api')
/** Processes that answer below a path, by it: `/api` is `/api` and everything below it. */
const pathsField = refine(mapOf(pathPrefix, processName), 'few', (value) => {
  const count = Object.keys(value).length
  return (count >= 1 && count <= MAX_PATHS) || `expected 1 to ${MAX_PATHS} paths`
})

/** The size of a body, in units of 1,024 bytes and their multiples. */
export const bodySize = matching(/^[1-9]\d{0,5}[KMG]$/, 'a size such as 512K, 10M or 1G')
const UNITS = { K: 1024, M: 1024 ** 2, G: 1024 ** 3 } as const
/** The bytes of a size. */
export const bodyBytes = (size: string): number =>
  Number(size.slice(0, -1)) * (UNITS[size.slice(-1) as keyof typeof UNITS] ?? 1)

/** The name of a visitor who has to say a password. */
export const visitorName = matching(/^[\w.@-]{1,64}$/, 'a plain name')

const choices = {
  app,
  /** The port of 127.0.0.1 of an application that the host does not keep running. */
  port: optional(whole(1, 65_535)),
  /** The process that answers; `web` when none is named. */
  process: optional(processName),
  /** Processes that answer below a path. */
  paths: optional(pathsField),
  /** The domain that visitors are sent on to. */
  redirect_to: optional(domain),
  tls: defaulted(oneOf(TLS), 'auto'),
  /** Visitors from elsewhere get 403. */
  allow: optional(listOf(range, MAX_RANGES)),
  basic_auth: optional(shape({ user: visitorName, hash: bcrypt })),
  /** Whether browsers are told to come by https alone, for a year. */
  hsts: optional(flag()),
  /** The largest body of a request; larger ones get 413. */
  max_body: optional(bodySize),
}
const exposure = shape(choices)
const order = openShape({ ...choices, domain, force: optional(flag()) })
const unexposeOrder = openShape({ app, domain })

/** The domains of a host, each with its application. */
export const exposuresField = mapOf(domain, exposure)

/** The way from a domain to an application. */
export type Exposure = Infer<typeof exposure>
/** The order of a job `expose`. */
export interface ExposeOrder {
  readonly domain: string
  readonly exposure: Exposure
  /** Also when the name leads elsewhere. */
  readonly force: boolean
}

/**
 * Reads the payload of a job `expose`.
 * @throws Problem `invalid-input` in words
 */
export function readExposeOrder(value: unknown): ExposeOrder {
  const { domain: name, force = false, ...given } = read(order, value)
  if (Object.hasOwn(given, 'path'))
    throw new Problem('invalid-input', { detail: 'path: write paths, such as { "/api": "api" }' })
  const chosen = Object.fromEntries(Object.entries(given).filter(([key]) => Object.hasOwn(choices, key)))
  const way = read(exposure, chosen)
  if (way.hsts && way.tls === 'off')
    throw new Problem('invalid-input', {
      details: ['hsts: expected a domain with a certificate, not tls off'],
    })
  if (way.max_body !== undefined && way.redirect_to !== undefined)
    throw new Problem('invalid-input', { details: ['max_body: expected without redirect_to'] })
  return { domain: name, exposure: way, force }
}

/** @throws Problem `invalid-input` for a payload of another form */
export const readUnexposeOrder = (value: unknown): { readonly app: string; readonly domain: string } => {
  const { app: name, domain: exposed } = read(unexposeOrder, value)
  return { app: name, domain: exposed }
}
