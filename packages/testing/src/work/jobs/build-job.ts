import { MAX_ATTEMPTS, type NewJob, TIMEOUT_SECONDS } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'

/** Returns a job that any host may claim at once, changed by `fields`. */
export const buildJob = (fields: Partial<NewJob> = {}): NewJob => ({
  id: buildId('job'),
  licenseId: 'lic_test',
  kind: 'prune',
  payload: {},
  sealedEnv: undefined,
  target: '',
  urgent: false,
  app: undefined,
  serialKey: undefined,
  dedupeKey: undefined,
  deploymentId: undefined,
  successors: undefined,
  retryOf: undefined,
  runAt: undefined,
  maxAttempts: MAX_ATTEMPTS,
  timeoutSeconds: TIMEOUT_SECONDS,
  ...fields,
})
