import type { Bench } from './bench.ts'
import type { Stream } from './load/load.ts'
import type { PartProcess } from './part-process.ts'
import type { Running, Variant } from './scenario.ts'

/** A server that is ready, and the questions that its data answers. */
export interface Served {
  readonly part: PartProcess
  /** A part that the measured one needs; it stops with it. */
  readonly beside?: PartProcess
  /** Looks whether `counted` operations are really there. */
  readonly check?: (counted: number) => Promise<void>
}

/** How a variant is reached over HTTP. */
export interface HttpVariant {
  readonly name: string
  readonly serve: (bench: Bench) => Promise<Served>
  readonly stream: Omit<Stream, 'url' | 'name'>
}

/** A server in one process, closed-loop or paced load from another. */
export function httpVariant({ name, serve, stream }: HttpVariant): Variant {
  return {
    name,
    start: async (bench) => {
      const { part, check } = await serve(bench)
      const running: Running = {
        work: async (seconds) => {
          const [outcome] = await bench.send({ seconds, streams: [{ ...stream, name, url: part.url }] })
          if (outcome === undefined) throw new Error('the load said nothing')
          return outcome
        },
        usage: () => part.usage(),
        hotspots: (work) => part.hotspots(work),
        stop: () => part.stop(),
      }
      return check === undefined ? running : { ...running, check }
    },
  }
}
