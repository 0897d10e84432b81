import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type AppLogsWish, type Clock, Problem } from '@svc/core'
import type { AdjustOrder, DeployOrder, ExposeOrder, HostApps } from '@svc/core/adapters'
import { logFile, type OutputReading, readOutput } from './app-output.ts'
import { type AppStatus, statusOf } from './app-status.ts'
import { AppsRecord } from './apps-file.ts'
import { linkCurrent, releaseFolder } from './apps-folder.ts'
import { Crons } from './crons.ts'
import { DataOrders } from './data/data-orders.ts'
import { formerRelease, formerReleases } from './former-releases.ts'
import type { FindApp } from './front.ts'
import type { Generation, Say } from './generation.ts'
import { withKept } from './kept-processes.ts'
import { checked, Making } from './making.ts'
import { once } from './once.ts'
import { formerFile, OutputLog } from './output-log.ts'
import { RunningApp } from './running-app.ts'
import type { Runtime } from './runtime.ts'
import type { Command, TaskFault } from './task.ts'

/** Inputs of a supervisor. */
export interface SupervisorParts {
  readonly apps: string
  /** The supervisor's own folder. */
  readonly runtime: string
  readonly clock: Clock
  readonly record: HostApps | undefined
  readonly open: (record: AppsRecord, find: FindApp) => Promise<Runtime>
}

/** Grace time of all applications when the supervisor ends. */
const FAREWELL_MS = 5_000
/** Seconds that a command may take that a job or a person waits for, who have limits of their own before. */
const COMMAND_SECONDS = 86_400

/** A command that a person asks for, and its standard input. */
export type Asked = Pick<Command, 'input'> & { readonly command: string }

interface Entry {
  readonly app: RunningApp
  readonly output: OutputLog
}

/** All applications of an apps folder, and their front. */
export class Supervisor implements AsyncDisposable {
  readonly #parts: SupervisorParts
  readonly #record: AppsRecord
  readonly #entries = new Map<string, Entry>()
  readonly #runtime: Runtime
  /** Orders about volumes and databases. */
  readonly data: DataOrders
  /** Orders about files and images of releases. */
  readonly making: Making
  readonly #crons: Crons
  #commands = 0

  private constructor(parts: SupervisorParts, record: AppsRecord, runtime: Runtime) {
    this.#parts = parts
    this.#record = record
    this.#runtime = runtime
    this.data = new DataOrders({ runtime, roll: (app, say) => this.#roll(app, say) })
    const isKnown = (app: string) => this.#record.current.apps[app] !== undefined
    this.making = new Making({ runtime, isKnown, forget: (app) => this.#forget(app) })
    this.#crons = new Crons({ folder: parts.runtime, clock: parts.clock, apps: () => this.#running() })
  }

  /** Opens the runtime, and brings back every application that was not stopped. */
  static async open(parts: SupervisorParts): Promise<Supervisor> {
    const record = new AppsRecord(parts.runtime, parts.record)
    mkdirSync(join(parts.runtime, 'logs'), { recursive: true, mode: 0o700 })
    let self: Supervisor | undefined
    const runtime = await parts.open(record, (name) => self?.find(name))
    self = new Supervisor(parts, record, runtime)
    try {
      await self.#resume()
      self.data.finish()
      return self
    } catch (error) {
      // A port that is listened at already would keep this process, and nothing would answer there.
      await self[Symbol.asyncDispose]()
      throw error
    }
  }

  async #resume(): Promise<void> {
    for (const [name, { stopped, live }] of Object.entries(this.#record.current.apps)) {
      const { app } = this.#entry(name)
      await this.#runtime.admit(name, live)
      await this.making.adopt(name, live)
      if (!stopped) await app.resume(live)
      await this.#runtime.route(name, app.visited)
    }
    this.#crons.begin()
    await this.#runtime.ready()
  }

  *#running(): Generator<Generation> {
    for (const { app } of this.#entries.values()) if (app.live !== undefined) yield app.live
  }

  get frontPort(): number {
    return this.#runtime.frontPort
  }

  /** The application of a name; undefined when there is none. */
  find(name: string): RunningApp | undefined {
    return this.#entries.get(name)?.app
  }

  /** Hands over the output of an application. @throws Problem in words when there is none */
  logs(wish: AppLogsWish, print: OutputReading['print'], signal: AbortSignal): Promise<void> {
    const { apps, runtime } = this.#parts
    return readOutput({ apps, runtime, record: this.#record.current, wish, print, signal })
  }

  /** Removes what was made for releases that are gone. */
  async tidy(): Promise<void> {
    for (const [app, { live }] of Object.entries(this.#record.current.apps)) await this.making.tidy(app, live)
  }

  status(): readonly AppStatus[] {
    return Object.entries(this.#record.current.apps).map(([app, record]) => ({
      ...statusOf(record, this.find(app)?.live),
      ...{ app, address: this.addressOf(app), crons: this.#crons.status({ app, release: record.live }) },
      certificates: this.#runtime.domains?.ending(app, this.#parts.clock.now()) ?? [],
    }))
  }

  /** The address for visitors of an application, in words. */
  addressOf(name: string): string {
    return this.#runtime.addressOf(name)
  }

  /**
   * Puts a release in the place of the live one.
   * @throws Problem `conflict` when it does not become healthy: the old one then serves on
   */
  async deploy(
    { app: name, release: asked, job, fresh, former }: DeployOrder,
    say: Say,
    signal: AbortSignal,
  ): Promise<void> {
    checked(name)
    const { app } = this.#entry(name)
    const before = this.#record.current.apps[name]
    const given = former ? formerRelease(before, asked) : asked
    const release = withKept(app.live, { ...given, number: (before?.live.number ?? 0) + 1 }, fresh)
    const commit = async (next: Generation) => {
      await this.#record.put(name, {
        ...before,
        stopped: false,
        live: release,
        former: [...formerReleases(before, release)],
        ...this.#runtime.portsOf(name),
      })
      try {
        await this.#link(name, release.sha)
        await this.#runtime.route(name, this.#isClosed(name) ? undefined : next)
      } catch (error) {
        await this.#record.put(name, before)
        if (before !== undefined) await this.#link(name, before.live.sha)
        throw error
      }
    }
    for (const process of Object.keys(before?.scale ?? {}))
      if (given.processes?.[process] === undefined)
        say(`the scale of ${process} counts for nothing: this release has no such process`)
    try {
      await this.#runtime.admit(name, release)
      const prepare = (next: Generation) => this.#prepare(next, job, say, signal)
      await app.deploy({ release, say, signal, prepare, commit })
      await this.making
        .tidy(name, release, before?.live)
        .catch(() => say('what was made for old releases stays'))
    } finally {
      const { live } = this.#record.current.apps[name] ?? {}
      if (live === undefined) await this.#forget(name)
      // Links of a release that is gone, or came to nothing, count no more.
      else await this.#runtime.admit(name, live).catch((error: Error) => say(error.message))
    }
  }

  /**
   * Changes the counts of processes of an application that runs, and whether visitors are turned away.
   * @throws Problem `conflict` when it does not run, has no such process, or a new instance is not healthy
   */
  async adjust({ app: name, scale, maintenance }: AdjustOrder, say: Say, signal: AbortSignal): Promise<void> {
    const app = this.find(name)
    const live = app?.live
    if (app === undefined || live === undefined)
      throw new Problem('conflict', { detail: `${name} does not run here: deploy or start it first` })
    const names = Object.keys(live.release.processes ?? {})
    const unknown = Object.keys(scale ?? {}).find((process) => !names.includes(process))
    if (unknown !== undefined)
      throw new Problem('conflict', {
        detail: `${name} has no process ${unknown}: ${names.join(', ') || 'it serves files alone'}`,
      })
    const known = this.#record.current.apps[name]
    const lead = () => this.#runtime.route(name, app.visited)
    if (scale !== undefined)
      await app.scale(scale, signal, say, async () => {
        await this.#record.alter(name, { scale: { ...known?.scale, ...scale } })
        await lead()
      })
    if (maintenance === undefined) return
    await this.#record.alter(name, { maintenance })
    await lead()
    say(maintenance ? 'visitors get 503 from now on; its processes run' : 'visitors are let in again')
  }

  #isClosed(name: string): boolean {
    return this.#record.current.apps[name]?.maintenance === true
  }

  /** Runs the release command. @throws Problem `conflict` when it fails, or an earlier attempt began it */
  async #prepare(next: Generation, job: string | undefined, say: Say, signal: AbortSignal): Promise<void> {
    const { before: command } = next.release
    if (command === undefined) return
    const { runtime, clock } = this.#parts
    say(`release command: ${command}`)
    const began = performance.now()
    const run = () => next.run('release.1', { command, timeoutS: COMMAND_SECONDS }, signal, false, say)
    const fault = await once({ runtime, app: next.app, job, now: clock.now() }, run)
    if (fault !== undefined) throw new Problem('conflict', { detail: `the release command: ${fault}` })
    say(`release command done after ${((performance.now() - began) / 1000).toFixed(1)} s`)
  }

  /**
   * Runs a command in the live release of an application. Returns why it did not end well.
   * @throws Problem `not-found` when none runs
   */
  async run(name: string, { command, input }: Asked, say: Say, signal: AbortSignal): Promise<TaskFault> {
    const live = this.find(name)?.live
    if (live === undefined)
      throw new Problem('not-found', { detail: `there is no app ${name} that runs on this host` })
    this.#commands += 1
    const label = `run.${this.#commands}`
    return live.run(label, { command, input, timeoutS: COMMAND_SECONDS }, signal, false, say)
  }

  /** Replaces the processes of an application by new ones of its live release. */
  async #roll(app: string, say: Say): Promise<void> {
    const record = this.#record.current.apps[app]
    if (record === undefined || record.stopped)
      return say(`${app} does not run: its next start has the change`)
    // The release command ran with this release before.
    const { before: _, ...release } = record.live
    await this.deploy({ app, release, fresh: true }, say, new AbortController().signal)
  }

  /** Leads a domain to an application. @throws Problem `conflict` in words */
  async expose(order: ExposeOrder, say: Say): Promise<void> {
    const { domains } = this.#runtime
    if (domains === undefined) throw new Problem('conflict', { detail: 'this host has no proxy' })
    await domains.expose(order, say)
  }

  /** Takes a domain away from an application. Returns false when it has not got it. */
  async unexpose(app: string, domain: string): Promise<boolean> {
    return (await this.#runtime.domains?.unexpose(app, domain)) ?? false
  }

  /** Ends an application, and remembers that. Returns false when there is none. */
  async stop(name: string): Promise<boolean> {
    const entry = this.#entries.get(name)
    await entry?.app.stop(async () => {
      await this.#record.alter(name, { stopped: true })
      await this.#runtime.route(name, undefined)
    })
    await this.#crons.end(name)
    return entry !== undefined
  }

  /**
   * Ends an application and forgets it, and the files that were built for it. Its data stays, and the places
   * of it are said; or it goes too, also that of an application that was removed before. Returns false when
   * there is none.
   */
  async remove(name: string, withFiles: boolean, withData: boolean, say: Say): Promise<boolean> {
    const isThere = await this.#end(name)
    if (withFiles) await this.making.drop(name)
    await this.data.leave(name, withData, say)
    return isThere
  }

  async #end(name: string): Promise<boolean> {
    const entry = this.#entries.get(name)
    await this.#runtime.domains?.drop(name)
    await entry?.app.stop(async () => {
      await this.#record.put(name, undefined)
      await this.#runtime.route(name, undefined)
    })
    await this.#crons.forget(name)
    if (entry === undefined) return false
    await this.#forget(name)
    const path = logFile(this.#parts.runtime, name)
    for (const each of [path, formerFile(path)]) rmSync(each, { force: true })
    return true
  }

  /** Ends all applications that cannot go on alone. They come back when a supervisor starts again. */
  async [Symbol.asyncDispose](): Promise<void> {
    const ending = this.#runtime.outlives ? [] : [...this.#entries.values()]
    if (!this.#runtime.outlives) await this.#crons.endAll()
    await Promise.all(ending.map(({ app }) => app.stop(async () => {}, FAREWELL_MS)))
    await this.#crons[Symbol.asyncDispose]()
    await this.#runtime[Symbol.asyncDispose]()
    for (const { output } of this.#entries.values()) output[Symbol.dispose]()
  }

  #entry(name: string): Entry {
    const known = this.#entries.get(name)
    if (known !== undefined) return known
    const { apps, runtime, clock } = this.#parts
    const output = new OutputLog(logFile(runtime, name))
    const app = new RunningApp({
      app: name,
      runtime: this.#runtime,
      folderOf: (sha) => releaseFolder(apps, name, sha),
      counts: () => this.#record.current.apps[name]?.scale ?? {},
      isClosed: () => this.#isClosed(name),
      onLine: (line) => output.write(`${clock.now().toISOString()} ${line}`),
    })
    const entry = { app, output }
    this.#entries.set(name, entry)
    return entry
  }

  async #forget(name: string): Promise<void> {
    await this.#runtime.forget(name)
    this.#entries.get(name)?.output[Symbol.dispose]()
    this.#entries.delete(name)
  }

  /** A supervisor that is root's writes nothing into folders of others: the handler links then. */
  async #link(name: string, sha: string): Promise<void> {
    if (!this.#runtime.outlives) await linkCurrent(this.#parts.apps, name, sha)
  }
}
