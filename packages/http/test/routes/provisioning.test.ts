import { afterEach, describe, expect, it } from '@jest/globals'
import type { Environment } from '@svc/core'
import { exchange } from '../../../../test/support/exchange.ts'
import { inPlainServer } from '../../../../test/support/mounted.ts'
import {
  type BenchOptions,
  ProvisioningBench,
  TEMPLATE,
} from '../../../core/test/hosts/provisioning/provisioning-bench.ts'

const PATH = '/api/v1/provisioning/worker'
const SECRET = 'worker-secret-for-tests-0123456789'

let bench: ProvisioningBench
let port: number
let stop: () => Promise<unknown>

async function open(env: Environment = {}, more: Omit<BenchOptions, 'env'> = {}): Promise<void> {
  bench = await ProvisioningBench.open({ env: { PROVISIONING_WORKER_SECRET: SECRET, ...env }, ...more })
  ;({ port, stop } = await inPlainServer(bench.scene))
}
afterEach(async () => {
  await stop()
  await bench[Symbol.asyncDispose]()
})

const post = (bearer: string | undefined, { path = PATH, body = '{}' } = {}) => {
  const authorization = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
  return exchange(port, {
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', ...authorization },
    body,
  })
}

/** Each gate, and the change that closes it alone. */
const CLOSED: readonly [string, Environment, Omit<BenchOptions, 'env'>, () => Promise<unknown>][] = [
  ['live_opt_in', { PROVISIONING_LIVE: undefined }, {}, async () => {}],
  ['credential', {}, {}, async () => bench.clock.advance({ hours: 24, ms: 1 })],
  ['catalog', {}, {}, () => bench.plane.provisioning.removeCatalog('small', 'hetzner')],
  ['template', {}, { template: `${TEMPLATE} {{unknown}}` }, async () => {}],
  ['spend_ceiling', { PROVISIONING_SPEND_CEILING: undefined }, {}, async () => {}],
]

describe('the worker of orders, by HTTP', () => {
  it.each(CLOSED)(
    'answers 503 and names exactly the gate %s when it is closed; the provider sees no request',
    async (gate, env, more, close) => {
      await open(env, more)
      const order = await bench.order()
      await close()
      for (const body of ['{}', JSON.stringify({ order_id: order.id })]) {
        const { status, body: answer } = await post(SECRET, { body })
        expect(status).toBe(503)
        expect(answer).toEqual({ error: 'provisioning disabled', missing: [gate] })
      }
      expect(bench.hetzner.requests).toEqual([])
      expect((await bench.get(order)).state).toBe('requested')
    },
  )

  it('takes its secret as bearer and nothing else', async () => {
    await open()
    await bench.order()
    const { key } = await bench.license()
    const refused = [
      await post(key),
      await post(''),
      await post(undefined),
      await post(`${SECRET}x`),
      await post(undefined, { path: `${PATH}?secret=${SECRET}` }),
      await post(undefined, { body: JSON.stringify({ secret: SECRET }) }),
    ]
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 401))
    expect(bench.hetzner.requests).toEqual([])
    const { status, body } = await post(SECRET)
    expect([status, body]).toMatchObject([
      200,
      { ok: true, advanced: 1, results: [{ step: 'validate', state: 'pricing' }], remaining: 1 },
    ])
    const unknown = await post(SECRET, { body: '{"order_id":"pord_0000000000"}' })
    expect(unknown.status).toBe(404)
  })

  it('takes nothing while it has no secret', async () => {
    await open({ PROVISIONING_WORKER_SECRET: undefined })
    expect((await post(SECRET)).status).toBe(401)
    expect((await post('')).status).toBe(401)
  })
})
