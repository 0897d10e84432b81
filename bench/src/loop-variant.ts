import type { Bench } from './bench.ts'
import type { Served } from './http-variant.ts'
import type { Done, Running, Variant } from './scenario.ts'

/** A variant whose work runs inside the measured process. */
export interface LoopVariant {
  readonly name: string
  readonly start: (bench: Bench) => Promise<Served>
  /** Inputs of the part's `run` command besides the seconds. */
  readonly request: Readonly<Record<string, unknown>>
  /** Whether the part has a `prepare` command too. */
  readonly isPrepared?: boolean
}

/** Returns the variant of a part that works by itself when told to `run`. */
export function loopVariant({ name, start, request, isPrepared }: LoopVariant): Variant {
  return {
    name,
    start: async (bench) => {
      const { part, beside, check } = await start(bench)
      const running: Running = {
        work: (seconds) => part.ask<Done>('run', { ...request, seconds }),
        usage: () => part.usage(),
        hotspots: (work) => part.hotspots(work),
        stop: async () => {
          await part.stop()
          await beside?.stop()
        },
      }
      const prepare = () => part.ask<void>('prepare')
      return { ...running, ...(isPrepared ? { prepare } : {}), ...(check === undefined ? {} : { check }) }
    },
  }
}
