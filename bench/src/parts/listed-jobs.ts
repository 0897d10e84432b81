import { type AgentsStore, LEASE_SECONDS } from '@svc/core/ports'
import type { RenewItem } from '../../../packages/core/src/work/jobs/job-renew-sql.ts'
import { type Fleet, fingerprint, licenseId, licenseOf, withClient } from '../fleet.ts'

type Beat = Parameters<AgentsStore['heartbeat']>[0]

const HEARTBEAT_MS = 60_000

const RUNNING = `insert into jobs (id, license_id, kind, state, payload, claimed_by, claimed_at, started_at, attempt,
    available_at, max_attempts, timeout_seconds)
  select id, license_id, 'prune', 'running', '{}', host, $4, $4, 1, $4::timestamptz + make_interval(secs => $5), 3, 86400
  from unnest($1::text[], $2::text[], $3::text[]) as n (id, license_id, host)`

const jobOf = (host: string) => `job_${host.slice(0, 26)}`

/**
 * One running job for each host of a fleet, and the renewal of its lease in each heartbeat. Heartbeats of a
 * host count as a minute apart, so that every second one of them moves the lease, as in a real fleet.
 */
export class ListedJobs {
  readonly #startMs = Date.now()

  /** Writes the jobs into a migrated database. */
  async add(url: string, fleet: Fleet): Promise<void> {
    const numbers = Array.from({ length: fleet.hosts }, (_, host) => host)
    const hosts = numbers.map(fingerprint)
    const licenses = numbers.map((host) => licenseId(licenseOf(fleet, host)))
    const start = new Date(this.#startMs)
    await withClient(url, async (client) => {
      await client.query(RUNNING, [hosts.map(jobOf), licenses, hosts, start, LEASE_SECONDS])
      await client.query('vacuum analyze jobs')
    })
  }

  /** Returns the renewal that belongs to a heartbeat, the host's `seq`th. */
  renewal({ licenseId, fingerprint }: Beat, seq: number): RenewItem {
    const owner = { jobId: jobOf(fingerprint), attempt: 1, licenseId, fingerprint }
    return {
      owners: [owner],
      leaseSeconds: LEASE_SECONDS,
      now: new Date(this.#startMs + seq * HEARTBEAT_MS),
    }
  }

  /** @throws Error unless every second heartbeat of a host moves the lease */
  check(moved: readonly string[] | undefined, seq: number): void {
    const isDue = seq % 2 === 0
    if ((moved?.length === 1) !== isDue) throw new Error(`heartbeat ${seq} moved ${moved?.length} leases`)
  }
}
