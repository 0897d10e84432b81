import { RelayBench } from '../../../packages/cli/test/relay/relay-bench.ts'
import type { StartPart } from '../part.ts'

/** The two tickets of a session, and where to show them. */
export interface OpenSession {
  readonly id: string
  readonly url: string
  readonly operator: string
  readonly agent: string
}

/** Memory of a relay's process, in bytes. */
export interface RelayMemory {
  readonly rss: number
  /** The heap of JavaScript and its buffers. */
  readonly held: number
}

/** A relay in a process of its own. The storage is in memory, and its rows count as memory of the relay. */
export const start: StartPart<null> = async () => {
  const relay = await RelayBench.open({ RELAY_MAX_SESSIONS: '1000', RELAY_MAX_SESSIONS_PER_HOST: '1000' })
  return {
    commands: {
      open: async (): Promise<OpenSession> => {
        const { id, token } = await relay.opened()
        return { id, url: relay.url, operator: token, agent: await relay.claimed() }
      },
      over: async (ids: readonly string[]) => {
        for (const id of ids) await relay.row(id)
      },
      memory: (): RelayMemory => {
        globalThis.gc?.()
        const { rss, heapUsed, external } = process.memoryUsage()
        return { rss, held: heapUsed + external }
      },
    },
    stop: () => relay[Symbol.asyncDispose](),
  }
}
