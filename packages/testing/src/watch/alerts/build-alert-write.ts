import type { AlertContent, AlertWrite, LifecycleStep } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'

/** Fields that a test sets on a move; with the defaults of the others it opens a new alert. */
export interface WriteFields extends Partial<Omit<AlertWrite, 'step' | 'content'>> {
  readonly alert?: LifecycleStep['alert']
  readonly notice?: LifecycleStep['notice']
  readonly flapping?: boolean
  readonly state?: Partial<LifecycleStep['state']>
  readonly content?: Partial<AlertContent>
  /** Whether the condition was found; by default false for `resolve` and `none`, else true. */
  readonly isSeen?: boolean
}

/** Returns a move that opens an alert, changed by `fields`. */
export function buildAlertWrite(fields: WriteFields = {}): AlertWrite {
  const { alert = 'open', notice, flapping = false, state = {}, content, ...more } = fields
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
      state: {
        pendingSince: undefined,
        isPresent: isSeen,
        transitions: [],
        dismissed: undefined,
        ...state,
      },
      alert,
      flapping,
      notice,
    },
    content: isSeen
      ? {
          kind: 'host_offline',
          severity: 'critical',
          summary: 'web-1 has not reported',
          host: { fingerprint: 'fp-0123456789', hostname: 'web-1' },
          details: { last_heartbeat: 1 },
          event: undefined,
          ...content,
        }
      : undefined,
    ...rest,
  }
}
