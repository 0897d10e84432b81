import { type Fleet, LARGE_FLEET } from '../fleet.ts'
import { httpVariant } from '../http-variant.ts'
import type { Variant } from '../scenario.ts'
import { expectCount, productDatabase, servedProduct } from '../served.ts'

const fleet: Fleet = LARGE_FLEET
const stream = (connections: number) => ({ connections, requests: { kind: 'heartbeat', fleet } as const })

/** An empty key: the product then answers without a refresh. */
const UNSIGNED = { SERVICE_LICENSE_PRIVKEY: '' }
/** Any seed will do, because nobody verifies the signatures. */
const SIGNED = { SERVICE_LICENSE_PRIVKEY: Buffer.alloc(32, 9).toString('base64url') }

/** Properties of a heartbeat variant. */
export interface HeartbeatWay {
  readonly name: string
  readonly connections: number
  readonly signed: boolean
}

/** The whole product, licenses and hosts in PostgreSQL. */
export const product = ({ name, connections, signed }: HeartbeatWay): Variant =>
  httpVariant({
    name,
    stream: stream(connections),
    serve: async (bench) => {
      const url = await productDatabase(bench, fleet)
      const check = (counted: number) => expectCount(url, 'select sum(seq) from agents', counted)
      return servedProduct(bench, url, { env: signed ? SIGNED : UNSIGNED, check })
    },
  })

/**
 * Twice the fleet, for variants without storage: they are so fast that 20,000 licenses would reach their rate
 * limits within the minute.
 */
const UNSTORED_FLEET: Fleet = { hosts: 2 * fleet.hosts, licenses: 2 * fleet.licenses }

/** The whole product over a storage that costs nothing. */
export const withoutDatabase = ({ name, connections, signed }: HeartbeatWay): Variant =>
  httpVariant({
    name,
    stream: { connections, requests: { kind: 'heartbeat', fleet: UNSTORED_FLEET } },
    serve: async (bench) => ({
      part: await bench.part('product-without-database', {
        fleet: UNSTORED_FLEET,
        env: signed ? SIGNED : UNSIGNED,
      }),
    }),
  })

/** Nothing but `node:http` and one prepared upsert a request. */
export const bare = ({ name, connections, signed }: HeartbeatWay): Variant =>
  httpVariant({
    name,
    stream: stream(connections),
    serve: async (bench) => {
      const databaseUrl = await bench.database()
      const part = await bench.part('bare-heartbeat', { databaseUrl, signed })
      return { part, check: (counted) => expectCount(databaseUrl, 'select sum(seq) from hosts', counted) }
    },
  })

/**
 * The costs that the product and the bare server share, apart from their work with a database: `node:http`,
 * JSON and a signature.
 */
export const signing = (name: string, connections: number): Variant =>
  httpVariant({
    name,
    stream: stream(connections),
    serve: async (bench) => ({ part: await bench.part('bare-heartbeat', { signed: true }) }),
  })

/** Nothing but `node:http`, JSON and a check by hand. */
export const json = (name: string, connections: number): Variant =>
  httpVariant({
    name,
    stream: stream(connections),
    serve: async (bench) => ({ part: await bench.part('bare-json', null) }),
  })

/**
 * The steps that the contract requires and nothing around them, with the product's statements in batches or
 * without a database.
 */
export const contract = (name: string, connections: number, kept: 'kept' | 'not kept'): Variant =>
  httpVariant({
    name,
    stream: { connections, requests: { kind: 'heartbeat', fleet: kept === 'kept' ? fleet : UNSTORED_FLEET } },
    serve: async (bench) => {
      if (kept === 'not kept') return { part: await bench.part('bare-contract', { fleet: UNSTORED_FLEET }) }
      const databaseUrl = await productDatabase(bench, fleet)
      const part = await bench.part('bare-contract', { fleet, databaseUrl })
      return { part, check: (counted) => expectCount(databaseUrl, 'select sum(seq) from agents', counted) }
    },
  })

/** The libraries as their manuals show them. */
export const stock = (name: string, connections: number): Variant =>
  httpVariant({
    name,
    stream: stream(connections),
    serve: async (bench) => {
      const databaseUrl = await bench.database()
      const part = await bench.part('stock-stack', { databaseUrl })
      return {
        part,
        check: async () => {
          await expectCount(databaseUrl, `select count(*) from hosts where hostname = ''`, 0)
        },
      }
    },
  })
