import type { Metrics, Observer } from '../../platform/metrics/metrics.ts'
import { ACCESS_MODES, type AccessMode } from './access-session.ts'

/** Why the relay refuses a connection, as the metrics count it. */
export const UPGRADE_REFUSALS = [
  'token invalid',
  'token expired',
  'origin not allowed',
  'session not found',
  'token consumed',
  'session ended',
  'subprotocol missing',
  'relay full',
  'draining',
  'rate limited',
] as const
export type UpgradeRefusal = (typeof UPGRADE_REFUSALS)[number]

/** Why sessions end, as the relay sees it. */
export const RELAY_ENDS = [
  'done',
  'closed',
  'error',
  'peer_gone',
  'operator_gone',
  'no_peer',
  'idle',
  'max',
  'revoked',
  'restart',
  'bad_frame',
  'too_large',
] as const
export type RelayEnd = (typeof RELAY_ENDS)[number]

const PAIR_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** The families of a relay. They stand at zero in a process without one. */
export class RelayMetrics {
  readonly #ended
  readonly #refused
  readonly #bytes
  readonly #paired: Observer<never>
  readonly #recordings
  readonly #open: Record<AccessMode, number> = { shell: 0, exec: 0, tcp: 0, logs: 0, run: 0, upload: 0 }

  constructor(metrics: Metrics) {
    metrics.gauge(
      'svc_relay_sessions',
      'Sessions that the relay holds now.',
      { mode: ACCESS_MODES },
      (gauge) => {
        for (const mode of ACCESS_MODES) gauge.set({ mode }, this.#open[mode])
      },
    )
    const ended = 'Sessions that have ended at the relay, by the reason.'
    this.#ended = metrics.counter('svc_relay_sessions_ended_total', ended, { reason: RELAY_ENDS })
    const refused = 'Connections that the relay has refused, by the reason.'
    this.#refused = metrics.counter('svc_relay_refused_total', refused, { reason: UPGRADE_REFUSALS })
    const bytes = 'Bytes of sessions, from operators to hosts and back.'
    this.#bytes = metrics.counter('svc_relay_bytes_total', bytes, { direction: ['in', 'out'] })
    const paired = 'From the first side of a session at the relay to the second.'
    this.#paired = metrics.histogram('svc_relay_pair_seconds', paired, {}, PAIR_BUCKETS)
    const recordings = 'Recordings that could not be written to their end.'
    this.#recordings = metrics.counter('svc_relay_recordings_failed_total', recordings, {})
  }

  begun(mode: AccessMode): void {
    this.#open[mode] += 1
  }

  ended(mode: AccessMode, reason: RelayEnd, bytesIn: number, bytesOut: number): void {
    this.#open[mode] -= 1
    this.#ended.inc({ reason })
    this.#bytes.inc({ direction: 'in' }, bytesIn)
    this.#bytes.inc({ direction: 'out' }, bytesOut)
  }

  paired(seconds: number): void {
    this.#paired.observe({}, seconds)
  }

  refused(reason: UpgradeRefusal): void {
    this.#refused.inc({ reason })
  }

  recordingFailed(): void {
    this.#recordings.inc()
  }
}
