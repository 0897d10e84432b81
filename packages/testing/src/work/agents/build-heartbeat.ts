import type { HeartbeatWrite } from '@svc/core/ports'

/** Returns a heartbeat that reports nothing about its host except the given `fields`. */
export const buildHeartbeat = (fields: Partial<HeartbeatWrite> = {}): HeartbeatWrite => ({
  licenseId: 'lic_test',
  fingerprint: 'fp-test',
  hostname: undefined,
  version: undefined,
  state: undefined,
  bootId: undefined,
  cpuPct: undefined,
  memPct: undefined,
  diskPct: undefined,
  diskTotalGb: undefined,
  lastCaptureAt: undefined,
  captureSuccess: undefined,
  lastDrillAt: undefined,
  drillPass: undefined,
  ...fields,
})
