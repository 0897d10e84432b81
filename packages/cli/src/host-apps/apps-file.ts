import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Problem } from '@svc/core'
import { type HostApps, noHostApps, readHostApps } from '@svc/core/adapters'
import { writeDurably } from '../agent/state/durable-file.ts'

/** The file of the applications of a host, in the supervisor's folder. It holds variables: mode 0600. */
export const appsFile = (runtime: string): string => join(runtime, 'apps.json')

/**
 * Reads the file in a supervisor's folder; undefined when nothing was ever run there.
 * @throws Problem `conflict` when it cannot be read: to begin anew would forget applications
 */
export async function readAppsFile(runtime: string): Promise<HostApps | undefined> {
  const path = appsFile(runtime)
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  try {
    return readHostApps(JSON.parse(text))
  } catch (error) {
    const why = error instanceof Error ? error.message : 'damaged'
    throw new Problem('conflict', { detail: `${path} cannot be read: ${why}; put it right, or move it away` })
  }
}

/** The record of the applications, written before a change counts. */
export class AppsRecord {
  readonly #runtime: string
  #current: HostApps
  #turn: Promise<void> = Promise.resolve()

  constructor(runtime: string, current: HostApps = noHostApps(0)) {
    this.#runtime = runtime
    this.#current = current
  }

  get current(): HostApps {
    return this.#current
  }

  setPort(port: number): Promise<void> {
    return this.#change((now) => ({ ...now, front: { port } }))
  }

  /** Puts the record of an application in the place of its last one; undefined: the app is forgotten. */
  put(app: string, record: HostApps['apps'][string] | undefined): Promise<void> {
    return this.#change((now) => {
      const others = Object.entries(now.apps).filter(([name]) => name !== app)
      return { ...now, apps: Object.fromEntries([...others, ...(record ? [[app, record] as const] : [])]) }
    })
  }

  /** Puts the domains of all applications in the place of the last ones. */
  setDomains(domains: NonNullable<HostApps['domains']>): Promise<void> {
    return this.#change((now) => ({ ...now, domains }))
  }

  /** Changes parts of the record of an application, if there is one. */
  alter(app: string, parts: Partial<HostApps['apps'][string]>): Promise<void> {
    return this.#change((now) => {
      const record = now.apps[app]
      return record === undefined ? now : { ...now, apps: { ...now.apps, [app]: { ...record, ...parts } } }
    })
  }

  /** Changes one after the other. The memory follows the disk, never the other way round. */
  #change(change: (now: HostApps) => HostApps): Promise<void> {
    const done = this.#turn.then(async () => {
      const next = change(this.#current)
      await writeDurably(appsFile(this.#runtime), `${JSON.stringify(next, undefined, 2)}\n`)
      this.#current = next
    })
    this.#turn = done.catch(() => {})
    return done
  }
}
