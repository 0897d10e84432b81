import type { ControlPlane, verificationKeys } from '@svc/core'
import type { RelayLedger } from '@svc/core/adapters'
import type { UpgradeRoute } from '@svc/http'
import { Relay } from './relay.ts'
import { relayRoutes } from './relay-routes.ts'
import type { RelayTiming } from './relay-session.ts'

/** How a relay is served. */
export interface ServedRelayParts {
  readonly keys: ReturnType<typeof verificationKeys>
  readonly ledger?: RelayLedger
  /** How long sessions go on once the process drains, in milliseconds. */
  readonly drainMs: number
  readonly timing?: Partial<RelayTiming>
  /** Bytes of one recording at most; 50 MiB when absent. */
  readonly recordingBytes?: number
}

/** Returns a relay over the parts of a plane, with its routes. */
export function servedRelay(
  plane: ControlPlane,
  { keys, ledger = plane.relayLedger, drainMs, timing, recordingBytes }: ServedRelayParts,
): { readonly relay: Relay; readonly routes: readonly UpgradeRoute[] } {
  const { config, clock, log, relayMetrics: metrics } = plane
  const { publicUrl } = config.service
  const relay = new Relay({
    config: config.relay,
    keys,
    ledger,
    metrics,
    clock,
    log,
    drainMs,
    ...(timing && { timing }),
    ...(recordingBytes !== undefined && { recordingBytes }),
    ownOrigin: publicUrl === undefined ? undefined : new URL(publicUrl).origin,
  })
  return { relay, routes: relayRoutes(relay, (reason) => metrics.refused(reason)) }
}
