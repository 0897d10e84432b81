import { afterEach, beforeEach } from '@jest/globals'
import type { TestPlaneOverrides } from '@svc/testing'
import { type Mount, type Mounted, mounted } from '../../../../test/support/mounted.ts'

/** Serves a new plane on a socket for each test of a suite. */
export function serving(overrides: TestPlaneOverrides = {}, mount?: Mount): () => Mounted {
  let served: Mounted | undefined
  beforeEach(async () => {
    served = await mounted(mount, overrides)
  })
  afterEach(async () => {
    await served?.[Symbol.asyncDispose]()
    served = undefined
  })
  return () => {
    if (served === undefined) throw new Error('the plane is served inside tests only')
    return served
  }
}
