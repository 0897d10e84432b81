import { loopVariant } from '../loop-variant.ts'
import type { LogWritersOptions } from '../parts/log-writers.ts'
import type { Running, Variant } from '../scenario.ts'
import { expectCount, numberFrom } from '../served.ts'

/** The names of the ways, as tables show them. */
export const LOG_WAYS = {
  svc: 'svc in process',
  append: 'the append of svc in batches, nothing else',
  rows: 'a row a line, one unnest insert a request',
  writes: 'the writes of svc in batches, nothing else',
  bare: 'a chunk a request in batches, nothing else',
} as const

const WRITERS = 32
const TABLES = {
  svc: 'job_log_chunks',
  append: 'job_log_chunks',
  rows: 'job_log_lines',
  writes: 'job_log_chunks',
  bare: 'bare_chunks',
} as const
const CHUNKS = 'select coalesce(sum(lines), 0) from job_log_chunks'
const COUNTS = {
  svc: CHUNKS,
  append: CHUNKS,
  writes: CHUNKS,
  rows: 'select count(*) from job_log_lines',
  bare: 'select coalesce(sum(lines), 0) from bare_chunks',
} as const

/** The bytes of a table and of its months. */
const sizeOf = (table: string): string =>
  `select pg_total_relation_size('${table}') + coalesce(sum(pg_total_relation_size(inhrelid)), 0)
    from pg_inherits where inhparent = '${table}'::regclass`

/** Appends of so many lines each, with a line's size on the disk. */
export const logAppend = (way: LogWritersOptions['way'], lines: number): Variant => ({
  name: LOG_WAYS[way],
  start: async (bench): Promise<Running> => {
    const databaseUrl = await bench.database()
    const size = () => numberFrom(databaseUrl, sizeOf(TABLES[way]))
    const loop = loopVariant({
      name: LOG_WAYS[way],
      request: { workers: WRITERS },
      start: async () => ({
        part: await bench.part('log-writers', { way, databaseUrl, lines } satisfies LogWritersOptions),
        check: (counted) => expectCount(databaseUrl, COUNTS[way], counted * lines),
      }),
    })
    const running = await loop.start(bench)
    const work: Running['work'] = async (seconds) => {
      const before = await size()
      const done = await running.work(seconds)
      return { ...done, figures: { diskBytesPerLine: ((await size()) - before) / done.operations / lines } }
    }
    return { ...running, work }
  },
})

/** Reads of one log of so many lines. */
export const logRead = (way: LogWritersOptions['way'], lines: number, smallLines: number): Variant =>
  loopVariant({
    name: LOG_WAYS[way],
    request: { workers: 1 },
    start: async (bench) => {
      const databaseUrl = await bench.database()
      const part = await bench.part('log-writers', { way, databaseUrl, lines: 1 } satisfies LogWritersOptions)
      await part.ask('fill', bench.isSmall ? smallLines : lines)
      return { part }
    },
  })
