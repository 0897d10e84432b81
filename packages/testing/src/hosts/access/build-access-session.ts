import type { NewAccessSession } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'

/** Returns a new shell session of a unique host of a unique license, for somebody on the machine. */
export function buildAccessSession(fields: Partial<NewAccessSession> = {}): NewAccessSession {
  const id = fields.id ?? buildId('acs')
  return {
    id,
    licenseId: buildId('lic'),
    fingerprint: `fp of ${id}`,
    hostname: 'web-1',
    operatorKind: 'machine',
    operatorId: undefined,
    operatorLabel: 'cli:ann@desk',
    mode: 'shell',
    user: undefined,
    command: undefined,
    shownCommand: undefined,
    cols: 80,
    rows: 24,
    term: 'xterm-256color',
    reason: '',
    ip: '',
    relay: 'wss://relay.example',
    operatorJti: `operator of ${id}`,
    pendingSeconds: 60,
    ...fields,
  }
}
