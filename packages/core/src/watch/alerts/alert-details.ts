import { optional } from 'superstruct'
import {
  field,
  finite,
  listOf,
  namedShape,
  oneOf,
  text,
  unixSecond,
  type ViewOf,
  whole,
} from '../../kernel/validation.ts'
import { MONITOR_ERRORS } from '../monitors/monitor.ts'

const ANY = Number.POSITIVE_INFINITY
const count = optional(whole(0, Number.MAX_SAFE_INTEGER))
const figure = optional(finite())
const second = optional(unixSecond())
const word = optional(text(0, 4096))
const words = optional(listOf(text(0, 4096), ANY))

/** How many orders wait, or the ids of the first 20. */
const orders = field<number | readonly string[]>(
  { anyOf: [{ type: 'integer' }, { type: 'array', items: { type: 'string' } }] },
  () => true,
  'a number, or ids',
)

const FACTS = {
  // Hosts.
  last_heartbeat: second,
  percent: figure,
  threshold: figure,
  hostnames: words,
  boot_ids: words,
  refused_at: second,
  last_capture_at: figure,
  threshold_hours: count,
  last_drill_at: figure,
  threshold_days: count,
  clock_ahead_seconds: figure,
  desired_revision: count,
  applied_revision: count,
  updated_at: second,
  // Jobs.
  job_id: word,
  job_kind: word,
  app: word,
  deployment_id: word,
  exit_code: figure,
  // Applications.
  restarts: count,
  cron: word,
  last_at: second,
  // Licenses and payments.
  expires_at: second,
  refused: count,
  seconds: count,
  event_id: word,
  object_id: word,
  // Monitors and scans.
  monitor_id: word,
  monitor: word,
  host: word,
  since: second,
  expected: words,
  found: words,
  error: optional(oneOf(MONITOR_ERRORS)),
  domain: word,
  finding: word,
  url: word,
  first_seen_at: second,
  // Webhooks.
  endpoint_id: word,
  failing_since: second,
  // The scheduler.
  from: second,
  until: second,
  overdue_seconds: count,
  // Ordered servers.
  order_id: word,
  license_id: word,
  provider: word,
  server_id: word,
  orders: optional(orders),
  // Several kinds.
  type: word,
  state: word,
  reason: word,
}

/** The facts of an alert: those that its kind has. */
export const alertDetails = namedShape('AlertDetails', FACTS)
/** The facts of an alert. */
export type AlertDetails = ViewOf<typeof FACTS>
