import type { Feature } from '../support/features.ts'

/** Access to operations. */
export const feature: Feature = {
  requests: {
    'GET /api/v1/operations': { asks: 'a session or a token', good: 200 },
    // The entries of operations list the permission and the scope of each.
    'POST /api/v1/operations/{name}': { asks: 'a session or a token', good: 200 },
  },
}
