import { mkdirSync, rmSync } from 'node:fs'
import { rename, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, Problem } from '@svc/core'
import type { AppRelease, HostApps } from '@svc/core/adapters'
import { AppsRecord } from './apps-file.ts'
import { envDigest, isAppName, releaseFolder, runtimeFolder } from './apps-folder.ts'
import { FRONT_PORT, Front } from './front.ts'
import type { Say } from './generation.ts'
import { OutputLog } from './output-log.ts'
import { RunningApp } from './running-app.ts'
import type { Timing } from './slot.ts'

/** Inputs of a supervisor. */
export interface SupervisorParts {
  readonly apps: string
  readonly clock: Clock
  /** Variables of the host that applications see. */
  readonly host: Readonly<Record<string, string>>
  readonly mark: Readonly<Record<string, string>>
  readonly timing: Timing
  /** The port that the front of a new folder tries first; 0: any. */
  readonly frontPort: number | undefined
  readonly record: HostApps | undefined
}

/** A process as `status` tells of it. */
export interface ProcessStatus {
  readonly process: string
  readonly number: number
  readonly up: boolean
  readonly pid: number | undefined
  readonly port: number | undefined
  readonly restarts: number
}

/** An application as `status` tells of it. */
export interface AppStatus {
  readonly app: string
  readonly state: 'up' | 'starting' | 'stopped'
  readonly sha: string
  readonly number: number
  /** SHA-256 of its variables. */
  readonly env: string
  readonly processes: readonly ProcessStatus[]
}

/** Grace time of all applications when the supervisor ends. */
const FAREWELL_MS = 5_000

interface Entry {
  readonly app: RunningApp
  readonly output: OutputLog
}

/** All applications of an apps folder, and their front. */
export class Supervisor implements AsyncDisposable {
  readonly #parts: SupervisorParts
  readonly #record: AppsRecord
  readonly #entries = new Map<string, Entry>()
  readonly #front: Front

  private constructor(parts: SupervisorParts, record: AppsRecord, front: Front) {
    this.#parts = parts
    this.#record = record
    this.#front = front
  }

  /** Opens the front, and brings back every application that was not stopped. */
  static async open(parts: SupervisorParts): Promise<Supervisor> {
    const { apps, record: known, frontPort = FRONT_PORT } = parts
    const record = new AppsRecord(apps, known)
    mkdirSync(join(runtimeFolder(apps), 'logs'), { recursive: true, mode: 0o700 })
    let self: Supervisor | undefined
    const wanted = record.current.front.port || frontPort
    const front = await Front.open(wanted, (name) => self?.find(name))
    self = new Supervisor(parts, record, front)
    if (front.port !== record.current.front.port) await record.setPort(front.port)
    for (const [name, { stopped, live }] of Object.entries(record.current.apps)) {
      const { app } = self.#entry(name)
      if (!stopped) app.resume(live)
    }
    return self
  }

  get frontPort(): number {
    return this.#front.port
  }

  /** The application of a name; undefined when there is none. */
  find(name: string): RunningApp | undefined {
    return this.#entries.get(name)?.app
  }

  /** The last lines that an application has written, at most 200. */
  logs(name: string): readonly string[] {
    return this.#entries.get(name)?.output.tail ?? []
  }

  status(): readonly AppStatus[] {
    return Object.entries(this.#record.current.apps).map(([name, { stopped, live: recorded }]) => {
      const live = this.find(name)?.live
      const state = stopped || live === undefined ? 'stopped' : live.isHealthy ? 'up' : 'starting'
      const processes = (live?.slots ?? []).map(({ parts, up, instance, restarts }) => ({
        process: parts.process,
        number: parts.number,
        up: up !== undefined,
        pid: instance?.pid,
        port: instance?.port,
        restarts,
      }))
      const { sha, number, env } = recorded
      return { app: name, state, sha, number, env: envDigest(env), processes }
    })
  }

  /**
   * Puts a release in the place of the live one.
   * @throws Problem `conflict` when it does not become healthy: the old one then serves on
   */
  async deploy(name: string, given: AppRelease, say: Say, signal: AbortSignal): Promise<void> {
    if (!isAppName(name)) throw new Problem('invalid-input', { detail: `${name} is not an application name` })
    const { app } = this.#entry(name)
    const before = this.#record.current.apps[name]
    const release = { ...given, number: (before?.live.number ?? 0) + 1 }
    const commit = async () => {
      await this.#record.put(name, { stopped: false, live: release })
      try {
        await this.#link(name, release.sha)
      } catch (error) {
        await this.#record.put(name, before)
        throw error
      }
    }
    try {
      await app.deploy({ release, say, signal, commit })
    } finally {
      if (this.#record.current.apps[name] === undefined) this.#forget(name)
    }
  }

  /** Ends an application, and remembers that. Returns false when there is none. */
  async stop(name: string): Promise<boolean> {
    const entry = this.#entries.get(name)
    await entry?.app.stop(() => this.#record.setStopped(name))
    return entry !== undefined
  }

  /** Ends an application and forgets it; its files stay. Returns false when there is none. */
  async remove(name: string): Promise<boolean> {
    const entry = this.#entries.get(name)
    await entry?.app.stop(() => this.#record.put(name, undefined))
    if (entry === undefined) return false
    this.#forget(name)
    for (const ending of ['', '.1']) rmSync(`${this.#logFile(name)}${ending}`, { force: true })
    return true
  }

  /** Ends all applications. They come back when a supervisor starts again. */
  async [Symbol.asyncDispose](): Promise<void> {
    const ends = [...this.#entries.values()].map(({ app }) => app.stop(async () => {}, FAREWELL_MS))
    await Promise.all(ends)
    await this.#front[Symbol.asyncDispose]()
    for (const { output } of this.#entries.values()) output[Symbol.dispose]()
  }

  #entry(name: string): Entry {
    const known = this.#entries.get(name)
    if (known !== undefined) return known
    const { apps, clock, host, mark, timing } = this.#parts
    const output = new OutputLog(this.#logFile(name))
    const app = new RunningApp({
      app: name,
      host,
      mark,
      timing,
      folderOf: (sha) => releaseFolder(apps, name, sha),
      onLine: (line) => output.write(`${clock.now().toISOString()} ${line}`),
    })
    const entry = { app, output }
    this.#entries.set(name, entry)
    return entry
  }

  #forget(name: string): void {
    this.#entries.get(name)?.output[Symbol.dispose]()
    this.#entries.delete(name)
  }

  #logFile(name: string): string {
    return join(runtimeFolder(this.#parts.apps), 'logs', `${name}.log`)
  }

  async #link(name: string, sha: string): Promise<void> {
    const folder = join(this.#parts.apps, name)
    const aside = join(folder, '.current-new')
    await rm(aside, { force: true })
    await symlink(`releases/${sha}`, aside)
    await rename(aside, join(folder, 'current'))
  }
}
