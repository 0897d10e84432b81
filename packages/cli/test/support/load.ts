import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { LoadReport } from './load-client.ts'

const CLIENT = fileURLToPath(new URL('load-client.ts', import.meta.url))

/** Properties of a load. */
export interface LoadParts {
  readonly connections: number
  /** Milliseconds between two requests of one connection; 0: as fast as it is answered. */
  readonly everyMs: number
  /**
   * Hosts that take turns, each with a license of its own (`licenseHosts`). Default: every request is from
   * another host.
   */
  readonly hosts?: number
}

/** A load that has reached every connection. */
export interface Load extends AsyncDisposable {
  /** Resolves when the server has turned every connection away. */
  report(): Promise<LoadReport>
}

/**
 * Loads the server at `url` from a process of its own; resolves when every connection and every host has had
 * an answer.
 */
export async function load(url: string, { connections, everyMs, hosts = 0 }: LoadParts): Promise<Load> {
  const { port } = new URL(url)
  const args = [port, `${connections}`, `${everyMs}`, `${hosts}`]
  const child = spawn(process.execPath, ['--no-warnings', CLIENT, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = once(child, 'close')
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const { value } = await lines.next()
  if (value !== 'warm') throw new Error(`the load did not begin: ${value}`)
  return {
    report: async () => JSON.parse((await lines.next()).value ?? '{}') as LoadReport,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await gone
    },
  }
}
