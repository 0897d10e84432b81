import type { Feature } from '../support/features.ts'

/** Access to operations. */
export const feature: Feature = {
  requests: {
    'GET /api/v1/operations': { asks: 'staff', good: 200 },
    // The entries of operations list the permission of each.
    'POST /api/v1/operations/{name}': { asks: 'staff', good: 200 },
  },
}
