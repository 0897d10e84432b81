import type { HostApps } from '@svc/core/adapters'
import { envDigest } from './apps-folder.ts'
import type { CronStatus } from './crons.ts'
import type { Generation } from './generation.ts'
import type { EndingCertificate } from './system/certificate-watch.ts'

/** A process as `status` tells of it. */
export interface ProcessStatus {
  readonly process: string
  readonly number: number
  readonly up: boolean
  readonly pid: number | undefined
  readonly port: number | undefined
  readonly restarts: number
}

/** An application as `status` tells of it. */
export interface AppStatus {
  readonly app: string
  readonly state: 'up' | 'starting' | 'stopped'
  /** The address for visitors, in words. */
  readonly address: string
  readonly sha: string
  readonly number: number
  /** Whether visitors are turned away. */
  readonly maintenance: boolean
  /** SHA-256 of its variables. */
  readonly env: string
  readonly processes: readonly ProcessStatus[]
  readonly crons: readonly CronStatus[]
  /** Domains whose certificates were not renewed in time. */
  readonly certificates: readonly EndingCertificate[]
}

/** Returns the status of an application by its record and its live release, if that runs. */
export function statusOf(
  { stopped, maintenance = false, live: { sha, number, env } }: HostApps['apps'][string],
  live: Generation | undefined,
): Omit<AppStatus, 'app' | 'address' | 'crons' | 'certificates'> {
  const state = stopped || live === undefined ? 'stopped' : live.isHealthy ? 'up' : 'starting'
  const processes = (live?.slots ?? []).map(({ parts, isUp: up, pid, port, restarts }) => ({
    ...{ process: parts.process, number: parts.number },
    ...{ up, pid, port, restarts },
  }))
  return { state, maintenance, sha, number, env: envDigest(env), processes }
}
