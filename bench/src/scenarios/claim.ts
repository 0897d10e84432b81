import { LARGE_FLEET } from '../fleet.ts'
import { httpVariant } from '../http-variant.ts'
import type { Scenario } from '../scenario.ts'
import { expectCount, productDatabase, servedProduct } from '../served.ts'

const PRODUCT = 'svc over HTTP'
const BARE = 'bare node:http, one prepared claim a request'
const ECHO = 'bare node:http, no database'
const CEILING = 'bare node:http, the look of svc in batches'
const fleet = LARGE_FLEET
const stream = { connections: 64, requests: { kind: 'claim', fleet } } as const

/**
 * An empty claim: a fleet's most frequent request. Beside it stands its own statement with nothing but HTTP
 * around: an upper bound for any way of writing the rest.
 */
export const claim: Scenario = {
  name: 'claim',
  question: 'An empty claim through the whole product, 64 connections, 20,000 hosts',
  variants: [
    httpVariant({
      name: BARE,
      stream,
      serve: async (bench) => ({
        part: await bench.part('bare-claim', { databaseUrl: await bench.database() }),
      }),
    }),
    httpVariant({
      name: PRODUCT,
      stream,
      serve: async (bench) => {
        const url = await productDatabase(bench, fleet)
        return servedProduct(bench, url, { check: () => expectCount(url, 'select count(*) from jobs', 0) })
      },
    }),
    httpVariant({
      name: CEILING,
      stream,
      serve: async (bench) => ({
        part: await bench.part('bare-look', { databaseUrl: await productDatabase(bench, fleet), fleet }),
      }),
    }),
    httpVariant({
      name: ECHO,
      stream,
      serve: async (bench) => ({ part: await bench.part('bare-claim', {}) }),
    }),
  ],
  baseline: BARE,
  gates: [
    { goal: 'claim-empty', figure: 'perSecond', of: PRODUCT, over: BARE, pieces: CEILING, atLeast: 1.8 },
    { goal: 'claim-empty-echo', figure: 'perSecond', of: PRODUCT, over: ECHO, pieces: CEILING, atLeast: 0.5 },
  ],
  isQuick: true,
}
