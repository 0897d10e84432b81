import { optional } from 'superstruct'
import { finite, flag, listOf, namedShape, oneOf, shape, text, whole } from '../../kernel/validation.ts'
import { JOB_KINDS, JOB_STATES } from '../jobs/job.ts'

const ANY = Number.POSITIVE_INFINITY
const count = whole(0, Number.MAX_SAFE_INTEGER)
const word = text(0, 512)

/** A host as other things name it. */
export const HOST_NAME = namedShape('HostName', { id: word, hostname: word })
const server = {
  id: word,
  hostname: word,
  label: word,
  state: word,
  version: word,
  org: word,
  last_heartbeat: count,
  drained: optional(flag()),
}
const host = namedShape('Host', {
  ...server,
  drained_at: optional(count),
  license_id: word,
  license_label: optional(word),
  fingerprint: word,
  boot_id: optional(word),
  cpu_pct: optional(finite()),
  mem_pct: optional(finite()),
  disk_pct: optional(finite()),
  disk_total_gb: optional(finite()),
  last_capture_at: optional(finite()),
  capture_success: optional(flag()),
  last_drill_at: optional(finite()),
  drill_pass: optional(flag()),
  clock_ahead_seconds: optional(count),
  kinds: optional(listOf(oneOf(JOB_KINDS), ANY)),
  concurrency: optional(count),
  first_seen_at: count,
  access_key: optional(word),
  access_key_at: optional(count),
  jobs: listOf(
    shape({
      id: word,
      kind: oneOf(JOB_KINDS),
      app: optional(word),
      state: oneOf(JOB_STATES),
      claimed_at: count,
    }),
    ANY,
  ),
})
const backup = namedShape('HostBackup', {
  hostname: word,
  last_capture_at: finite(),
  success: flag(),
  image_count: count,
  repo_bytes: count,
  last_drill_at: finite(),
  drill_pass: flag(),
  clock_ahead_seconds: optional(count),
})

const listed = namedShape('ListedHost', server)

/** The answers of the operations on hosts; instants in unix seconds, 0 or absent if never. */
export const HOST_ANSWERS = {
  servers: { servers: listOf(listed, ANY) },
  server: { server: listed },
  show: { server: host },
  backups: { backups: listOf(backup, ANY) },
} as const
