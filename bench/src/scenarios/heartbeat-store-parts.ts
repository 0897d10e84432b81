import { LARGE_FLEET } from '../fleet.ts'
import { loopVariant } from '../loop-variant.ts'
import type { HeartbeatsOptions } from '../parts/heartbeats.ts'
import type { Variant } from '../scenario.ts'
import { expectCount } from '../served.ts'

/** The names of the ways, as tables show them. */
export const HEARTBEAT_WAYS = {
  svc: 'svc in process',
  listing: 'svc in process, each lists a running job',
  apart: 'the same, each renewal a statement of its own',
  statement: 'the statement of svc, one each, nothing else',
  crowd: 'the statement of svc in batches, nothing else',
  single: 'one upsert each',
} as const

const tableOf = (way: HeartbeatsOptions['way']) => (way === 'single' ? 'hosts' : 'agents')

/** Heartbeats straight into PostgreSQL, without HTTP. */
export const heartbeats = (way: HeartbeatsOptions['way'], workers: number): Variant =>
  loopVariant({
    name: HEARTBEAT_WAYS[way],
    request: { workers },
    start: async (bench) => {
      const url = await bench.database()
      const options = { way, source: { url }, fleet: LARGE_FLEET } satisfies HeartbeatsOptions
      const check = (counted: number) =>
        expectCount(url, `select sum(seq) from ${tableOf(way)}`, counted + LARGE_FLEET.hosts)
      return { part: await bench.part('heartbeats', options), check }
    },
  })

/** The same into a PGlite folder. The part itself sees that each host's count rises by one at a time. */
export const pgliteHeartbeats = (way: HeartbeatsOptions['way'], workers: number): Variant =>
  loopVariant({
    name: HEARTBEAT_WAYS[way],
    request: { workers },
    start: async (bench) => {
      const options = {
        way,
        source: { dataDir: await bench.folder() },
        fleet: LARGE_FLEET,
      } satisfies HeartbeatsOptions
      return { part: await bench.part('heartbeats', options) }
    },
  })
