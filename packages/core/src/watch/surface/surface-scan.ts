import type { Finding } from './surface-finding.ts'

/** Parts of a scan, in order. */
export const SURFACE_CHECKS = ['ports', 'files', 'ct', 'fingerprint'] as const
export type SurfaceCheck = (typeof SURFACE_CHECKS)[number]

/** States of scans: the first two are active. */
export const SCAN_STATES = ['queued', 'running', 'done', 'partial', 'failed', 'aborted'] as const
export type ScanState = (typeof SCAN_STATES)[number]
/** How a run ends. */
export type ScanEnd = 'done' | 'partial' | 'failed' | 'aborted'

/** Time of a whole scan, in milliseconds; the findings by then are its partial result. */
export const SCAN_MS = 600_000
/** Lease of a running scan, in seconds. */
export const SCAN_LEASE_SECONDS = 60
/** How often a scan is begun: once, and once more after its process died. */
export const SCAN_ATTEMPTS = 2
/** Scans of a domain in an hour, by whichever license. */
export const SCANS_PER_HOUR = 6
/** Scans of a license in a day. */
export const SCANS_PER_DAY = 20
/** Most hosts that one scan looks at. */
export const SCAN_HOSTS = 100
/** Most hosts and ports that a request names. */
export const NAMED_HOSTS = 20
export const NAMED_PORTS = 200

/** Wishes of a request beside its domain. */
export interface ScanParams {
  readonly hosts: readonly string[]
  readonly ports: 'default' | 'top100' | readonly number[]
}

/** Facts of a certificate; `not_after` in unix seconds. */
export interface TlsFacts {
  readonly protocol: string
  readonly issuer: string
  readonly not_after: number
  readonly names: readonly string[]
  /** Whether it is for the name that was asked for. */
  readonly named: boolean
  /** Whether it is trusted, in time and for the name. */
  readonly valid: boolean
  /** Why it is not valid, as one word of OpenSSL. */
  readonly problem?: string
}

/** An open port. Closed ones are not listed. */
export interface OpenPort {
  readonly ip: string
  readonly port: number
  readonly state: 'open'
  readonly service: string
  readonly banner?: string
  readonly tls?: TlsFacts
}

/** An answer of a web server. */
export interface SeenSite {
  readonly url: string
  readonly status: number
  readonly server?: string
  readonly title?: string
  readonly location?: string
  readonly tech: readonly string[]
  readonly missing_headers: readonly string[]
}

/** One host of a result, as answers show it. */
export interface SeenHost {
  readonly name: string
  readonly ips: readonly {
    readonly ip: string
    readonly attested: boolean
    /** Network that stands in front; null when none that is known. */
    readonly cdn: string | null
  }[]
  readonly sources: readonly string[]
  readonly ports: readonly OpenPort[]
  readonly http: readonly SeenSite[]
}

/** Result of a scan. */
export interface ScanResult {
  readonly hosts: readonly SeenHost[]
  readonly findings: readonly Finding[]
  readonly skipped: readonly { readonly host: string; readonly reason: string }[]
  readonly errors: readonly { readonly check: string; readonly source: string; readonly error: string }[]
}

/** A result without anything. */
export const EMPTY_RESULT: ScanResult = { hosts: [], findings: [], skipped: [], errors: [] }

/** One scan of a domain. */
export interface SurfaceScan {
  readonly id: string
  readonly licenseId: string
  readonly domain: string
  readonly state: ScanState
  readonly checks: readonly SurfaceCheck[]
  readonly params: ScanParams
  /** From 0 to 1. */
  readonly progress: number
  readonly result: ScanResult | undefined
  /** Why it failed or was aborted. */
  readonly error: string | undefined
  readonly attempts: number
  readonly createdAt: Date
  readonly startedAt: Date | undefined
  readonly finishedAt: Date | undefined
}

/** Whether a scan waits or runs. */
export const isActive = (state: ScanState): boolean => state === 'queued' || state === 'running'
