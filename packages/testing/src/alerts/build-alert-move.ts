import type { AlertFace, AlertMove, LifecycleStep } from '@svc/core'
import { buildId } from '../build-id.ts'

/** What a test says of a move; the rest opens a new alert of a new key. */
export interface MoveFields extends Partial<Omit<AlertMove, 'step' | 'face'>> {
  readonly alert?: LifecycleStep['alert']
  readonly notice?: LifecycleStep['notice']
  readonly flapping?: boolean
  readonly memory?: Partial<LifecycleStep['memory']>
  readonly face?: Partial<AlertFace>
  /** Whether the condition was found; when not said: unless the alert is resolved, or none. */
  readonly isSeen?: boolean
}

/** A step that opens an alert, with what the test says of it. */
export function buildAlertMove(fields: MoveFields = {}): AlertMove {
  const { alert = 'open', notice, flapping = false, memory = {}, face, ...more } = fields
  const { isSeen = alert !== 'resolve' && alert !== 'none', ...rest } = more
  return {
    licenseId: buildId('lic'),
    tenantId: undefined,
    dedupKey: 'host_offline:fp',
    revision: 0,
    forget: false,
    alertId: buildId('alr'),
    actor: undefined,
    step: {
      memory: {
        pendingSince: undefined,
        isPresent: isSeen,
        transitions: [],
        dismissed: undefined,
        ...memory,
      },
      alert,
      flapping,
      notice,
    },
    face: isSeen
      ? {
          kind: 'host_offline',
          severity: 'critical',
          summary: 'web-1 has not reported',
          host: { fingerprint: 'fp-0123456789', hostname: 'web-1' },
          details: { last_heartbeat: 1 },
          event: undefined,
          ...face,
        }
      : undefined,
    ...rest,
  }
}
