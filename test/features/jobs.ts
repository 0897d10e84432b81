import {
  change,
  fingerprint,
  held,
  heldId,
  LICENSE,
  nothing,
  read,
  wrong,
} from '../support/feature-entries.ts'
import type { Feature } from '../support/features.ts'

/** Access to jobs. */
export const feature: Feature = {
  operations: {
    'jobs.enqueue': change(
      'platform.deploy',
      ({ own }) => ({ kind: 'prune', license: own.licenseId }),
      () => ({ kind: 'prune', ...wrong.license() }),
    ),
    'jobs.list': read('platform.read', nothing, ['invalid-input', wrong.text]),
    'jobs.show': read('platform.read', held, ['not-found', wrong.job]),
    'jobs.logs': read('platform.read', held, ['not-found', wrong.job]),
    'jobs.why': read('platform.read', held, ['not-found', wrong.job]),
    'jobs.retry': change(
      'platform.deploy',
      ({ own }) => ({ job: own.ended }),
      ({ own }) => ({ job: own.held }),
      'conflict',
    ),
    'jobs.cancel': change('platform.deploy', ({ own }) => ({ job: own.pending }), wrong.job, 'job-not-found'),
  },
  requests: {
    // The first permitted caller gets the due job.
    'POST /v1/jobs/claim': { asks: LICENSE, body: fingerprint, good: 204, past: [200, 204] },
    'POST /v1/jobs/{id}/status': {
      asks: LICENSE,
      path: heldId,
      body: (world) => ({ ...fingerprint(world), state: 'running' }),
      good: 200,
      foreign: 404,
    },
    'POST /v1/jobs/{id}/logs': {
      asks: LICENSE,
      path: heldId,
      body: (world) => ({ ...fingerprint(world), lines: [{ ts: 1, line: 'a line' }] }),
      good: 200,
      foreign: 404,
    },
    'POST /api/v1/jobs/{id}/cancel': {
      asks: LICENSE,
      path: heldId,
      body: () => ({}),
      good: 200,
      foreign: 404,
    },
    'GET /api/deploy/{id}/logs': {
      asks: 'a session or a token with platform.deploy',
      path: ({ own }) => ({ id: own.deployment }),
      good: 200,
      foreign: 404,
    },
  },
}
