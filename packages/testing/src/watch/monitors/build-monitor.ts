import type { NewMonitor } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'

/** Returns a monitor of the platform that expects one address. */
export function buildMonitor(fields: Partial<NewMonitor> = {}): NewMonitor {
  const id = fields.id ?? buildId('mon')
  return {
    id,
    name: `monitor ${id.slice(-8)}`,
    tenantId: undefined,
    licenseId: undefined,
    host: 'www.example.com',
    type: 'A',
    mode: 'expect',
    match: 'exact',
    expected: ['192.0.2.1'],
    intervalSeconds: 300,
    confirmations: 1,
    resolvers: [],
    ...fields,
  }
}
