// Tests of the guard that the settings make: no test here passes its own client.
import { describe, expect, it } from '@jest/globals'
import type { Environment } from '@svc/core'
import { type TestPlane, testPlane } from '@svc/testing'
import { farSide } from '../../../../../../test/support/far-side.ts'

const LOOPBACK = '127.0.0.0/8'

/**
 * Sends a test message to a receiver on loopback from a plane with these settings; returns the outcome and
 * the messages that arrived.
 */
async function tested(env: Environment) {
  await using far = await farSide()
  // Development mode allows plain HTTP with an empty allow-list too, so that only the address decides.
  await using test: TestPlane = testPlane({ env: { NODE_ENV: 'development', ...env } })
  const { operations } = test.plane
  await operations.run('alerts.webhook-set', { url: `http://127.0.0.1:${far.port}/` }, 'ann')
  const outcome = await operations.run('alerts.webhook-test', {}, 'ann')
  return { outcome, connections: far.connections(), seen: far.seen }
}

describe('the settings of outgoing calls', () => {
  it('unset, a webhook on loopback is not called', async () => {
    expect(await tested({})).toMatchObject({ outcome: { error: 'not-public' }, connections: 0 })
  })

  it('a range that is allowed is called although it is not public', async () => {
    const { outcome, seen } = await tested({ SERVICE_OUTBOUND_ALLOW: LOOPBACK })
    expect(outcome).toMatchObject({ http_status: 200 })
    expect(seen.map(({ body }) => JSON.parse(body))).toMatchObject([{ type: 'alerts.test' }])
  })

  it.each([LOOPBACK, '127.0.0.1/32', '192.0.2.0/24,127.0.0.0/30'])(
    'a range that is refused is not called although it is allowed: %s',
    async (refused) => {
      const env = { SERVICE_OUTBOUND_ALLOW: LOOPBACK, SERVICE_OUTBOUND_REFUSE: refused }
      expect(await tested(env)).toMatchObject({ outcome: { error: 'not-public' }, connections: 0 })
    },
  )

  it('a range that is refused takes nothing of what lies outside of it', async () => {
    const env = { SERVICE_OUTBOUND_ALLOW: LOOPBACK, SERVICE_OUTBOUND_REFUSE: '127.0.0.2/32' }
    expect(await tested(env)).toMatchObject({ outcome: { http_status: 200 }, connections: 1 })
  })
})
