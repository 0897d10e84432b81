import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '@svc/core'
import { type AppCron, type AppRelease, Schedule } from '@svc/core/adapters'
import { writeDurably } from '../agent/state/durable-file.ts'
import type { Command, TaskFault } from './task.ts'

/** An application whose commands run at times of the clock. */
export interface CronApp {
  readonly app: string
  readonly release: AppRelease
  /** Runs a command to its end. `isLeft`: an earlier supervisor has started it. */
  run(label: string, command: Command, signal: AbortSignal, isLeft: boolean): Promise<TaskFault>
}

/** Inputs of the commands that run at times of the clock. */
export interface CronsParts {
  /** The folder of the supervisor. */
  readonly folder: string
  readonly clock: Clock
  /** The applications that run. */
  readonly apps: () => Iterable<CronApp>
}

/** The last run of a command, as the file has it. Times are milliseconds since 1970. */
interface CronRun {
  readonly startedAt: number
  /** Absent while it runs. */
  readonly endedAt?: number
  /** The reason of a run that did not end well. */
  readonly fault?: string
  /** Runs that were left out since, because that one went on. */
  readonly skipped: number
}

/** A command as `status` tells of it. Times are unix seconds. */
export interface CronStatus {
  readonly name: string
  readonly schedule: string
  readonly timezone: string
  readonly running: boolean
  readonly last_at: number | undefined
  readonly seconds: number | undefined
  readonly fault: string | undefined
  readonly skipped: number
}

interface Entry {
  readonly text: string
  readonly schedule: Schedule
  /** Its next time; undefined when there is none. */
  next: Date | undefined
}

const MINUTE_MS = 60_000
const FILE = 'cron.json'
const keyOf = (app: string, name: string): string => `${app} ${name}`

/**
 * The commands of applications that run at times of the clock. One run of a command goes on at a time: the
 * next is left out, and counted. Times that passed while no supervisor ran are left out too.
 */
export class Crons implements AsyncDisposable {
  readonly #parts: CronsParts
  readonly #entries = new Map<string, Entry>()
  readonly #runs: Map<string, CronRun>
  readonly #going = new Map<string, { readonly off: AbortController; readonly ended: Promise<void> }>()
  #timer: NodeJS.Timeout | undefined
  #saving: Promise<void> = Promise.resolve()

  constructor(parts: CronsParts) {
    this.#parts = parts
    this.#runs = read(join(parts.folder, FILE))
  }

  /** Finds the runs that an earlier supervisor started, and looks at the clock from now on. */
  begin(): void {
    for (const app of this.#parts.apps())
      for (const cron of app.release.cron ?? []) {
        const run = this.#runs.get(keyOf(app.app, cron.name))
        if (run !== undefined && run.endedAt === undefined) this.#start(app, cron, run)
      }
    this.#wait()
  }

  /** Starts everything whose time has come. */
  tick(): void {
    const now = this.#parts.clock.now()
    const seen = new Set<string>()
    for (const app of this.#parts.apps())
      for (const cron of app.release.cron ?? []) {
        const key = keyOf(app.app, cron.name)
        seen.add(key)
        if (this.#isDue(key, cron, now)) this.#due(app, cron, now)
      }
    for (const key of this.#entries.keys()) if (!seen.has(key)) this.#entries.delete(key)
  }

  /** Ends the runs of an application. */
  end(app: string): Promise<void> {
    return this.#end((key) => key.startsWith(keyOf(app, '')))
  }

  /** Ends all runs. */
  endAll(): Promise<void> {
    return this.#end(() => true)
  }

  /** Forgets the runs of an application. */
  async forget(app: string): Promise<void> {
    await this.end(app)
    for (const key of this.#runs.keys()) if (key.startsWith(keyOf(app, ''))) this.#runs.delete(key)
    this.#save()
  }

  status({ app, release }: Pick<CronApp, 'app' | 'release'>): readonly CronStatus[] {
    return (release.cron ?? []).map(({ name, schedule, timezone }) => {
      const key = keyOf(app, name)
      const run = this.#runs.get(key)
      const seconds = run?.endedAt === undefined ? undefined : (run.endedAt - run.startedAt) / 1000
      return {
        ...{ name, schedule, timezone, running: this.#going.has(key) },
        last_at: run && Math.floor(run.startedAt / 1000),
        seconds,
        fault: run?.fault,
        skipped: run?.skipped ?? 0,
      }
    })
  }

  /** Waits for nothing: runs that can go on alone do, and the others end with this process. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer)
    await this.#saving
  }

  async #end(isMine: (key: string) => boolean): Promise<void> {
    const going = [...this.#going].filter(([key]) => isMine(key))
    for (const [, { off }] of going) off.abort()
    await Promise.all(going.map(([, { ended }]) => ended))
  }

  #wait(): void {
    const ms = MINUTE_MS - (this.#parts.clock.now().getTime() % MINUTE_MS)
    this.#timer = setTimeout(() => {
      this.tick()
      this.#wait()
    }, ms)
  }

  #isDue(key: string, cron: AppCron, now: Date): boolean {
    const entry = this.#entryOf(key, cron, now)
    const isDue = entry.next !== undefined && entry.next <= now
    // From the present time each time: a clock that was put back would keep it waiting.
    entry.next = entry.schedule.next(now)
    return isDue
  }

  #entryOf(key: string, { schedule: text, timezone }: AppCron, now: Date): Entry {
    const known = this.#entries.get(key)
    if (known?.text === `${text} ${timezone}`) return known
    const schedule = new Schedule(text, timezone)
    // One that is new at the tick of this minute begins with this minute.
    const next = schedule.next(new Date(now.getTime() - (now.getTime() % MINUTE_MS) - 1))
    const entry = { text: `${text} ${timezone}`, schedule, next }
    this.#entries.set(key, entry)
    return entry
  }

  #due(app: CronApp, cron: AppCron, now: Date): void {
    const key = keyOf(app.app, cron.name)
    const run = this.#runs.get(key)
    if (run !== undefined && this.#going.has(key)) {
      this.#runs.set(key, { ...run, skipped: run.skipped + 1 })
      this.#save()
    } else this.#start(app, cron, { startedAt: now.getTime(), skipped: 0 }, false)
  }

  #start(app: CronApp, cron: AppCron, run: CronRun, isLeft = true): void {
    const key = keyOf(app.app, cron.name)
    const off = new AbortController()
    this.#runs.set(key, run)
    this.#save()
    const { name, timeout_s: timeoutS, ...command } = cron
    const ended = app
      .run(`cron.${name}`, { ...command, timeoutS }, off.signal, isLeft)
      .catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
      .then((fault) => {
        this.#going.delete(key)
        const { startedAt, skipped } = this.#runs.get(key) ?? run
        const endedAt = this.#parts.clock.now().getTime()
        this.#runs.set(key, { startedAt, endedAt, skipped, ...(fault === undefined ? {} : { fault }) })
        this.#save()
      })
    this.#going.set(key, { off, ended })
  }

  /** The file follows the memory: a run that it does not have yet is lost with the machine alone. */
  #save(): void {
    const path = join(this.#parts.folder, FILE)
    this.#saving = this.#saving
      .then(() => writeDurably(path, `${JSON.stringify(Object.fromEntries(this.#runs))}\n`))
      .catch(() => {})
  }
}

/** Reads the runs of a folder; a file that cannot be read is one without any. */
function read(path: string): Map<string, CronRun> {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(path, 'utf8')) as Record<string, CronRun>))
  } catch {
    return new Map()
  }
}
