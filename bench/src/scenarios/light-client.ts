import type { Bench } from '../bench.ts'
import { type Fleet, LARGE_FLEET } from '../fleet.ts'
import type { Stream } from '../load/load.ts'
import type { Done, Running, Scenario, Variant } from '../scenario.ts'
import { productDatabase, servedProduct } from '../served.ts'

const ALONE = 'a light client alone'
const FLOOD = 'beside one license that sends all it can'
const CROWD = 'beside 19,000 licenses that send all they can'
const CONNECTIONS = 64
const LIGHT_PER_SECOND = 10
/**
 * The quiet hosts, each with its own license: enough of them to keep ten heartbeats a second under the limit
 * of thirty a minute for each license.
 */
const LIGHT: Fleet = { hosts: 400, licenses: 20_000 }
const OTHERS: Fleet = { hosts: 19_000, licenses: 20_000 }
const ONE_HOST: Fleet = { hosts: 1, licenses: 20_000 }

type Noise = Pick<Stream, 'requests' | 'strict'> | undefined

const light = (name: string, noise: Noise): Variant => ({
  name,
  start: async (bench): Promise<Running> => {
    const { part } = await servedProduct(bench, await productDatabase(bench, LARGE_FLEET))
    const { url } = part
    return {
      work: (seconds) => beside(bench, url, noise, seconds),
      usage: () => part.usage(),
      stop: () => part.stop(),
    }
  },
})

async function beside(bench: Bench, url: string, noise: Noise, seconds: number): Promise<Done> {
  const requests = { kind: 'heartbeat', fleet: LIGHT } as const
  const own: Stream = { name: 'light', url, connections: 4, rate: LIGHT_PER_SECOND, requests }
  const crowd = noise === undefined ? [] : [{ name: 'noise', url, connections: CONNECTIONS, ...noise }]
  const [[outcome], others] = await Promise.all([
    bench.send({ seconds, streams: [own] }, 'light'),
    crowd.length === 0 ? [] : bench.send({ seconds, streams: crowd }),
  ])
  if (outcome === undefined) throw new Error('the load said nothing')
  const faults = { ...outcome.faults, ...others[0]?.faults }
  const noisePerSecond = others[0] === undefined ? 0 : others[0].operations / others[0].seconds
  return { ...outcome, answered: outcome.operations, faults, figures: { noisePerSecond } }
}

/** The effect of one customer's load on the others. */
export const lightClient: Scenario = {
  name: 'light-client',
  question: 'Ten heartbeats a second of quiet hosts, alone and while others saturate the server',
  variants: [
    light(ALONE, undefined),
    light(FLOOD, { strict: false, requests: { kind: 'heartbeat', fleet: ONE_HOST, first: 19_500 } }),
    light(CROWD, { requests: { kind: 'heartbeat', fleet: OTHERS, first: 400 } }),
  ],
  baseline: ALONE,
  seconds: 10,
  rounds: 3,
  gates: [{ goal: 'light-client', figure: 'p99', of: FLOOD, over: ALONE, atMost: 3 }],
}
