import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type AppLogsWish, LOG_LINES, Problem, sinceInstant, systemClock } from '@svc/core'
import type { HostApps } from '@svc/core/adapters'
import { pause } from '../agent/pause.ts'
import { KeptOutput, MISSED } from './kept-output.ts'
import { formerFile } from './output-log.ts'

/** The file of the output of an application, in the folder of its supervisor. */
export const logFile = (runtime: string, app: string): string => join(runtime, 'logs', `${app}.log`)

/** A reading of the output of an application. */
export interface OutputReading {
  /** The folder of the supervisor. */
  readonly runtime: string
  /** The folder of the applications. */
  readonly apps: string
  readonly record: HostApps | undefined
  readonly wish: AppLogsWish
  /** Takes lines; the next ones are read when it has. */
  readonly print: (lines: readonly string[]) => Promise<void>
  /** Aborted when the asker is gone. */
  readonly signal: AbortSignal
}

/** How often a log is looked at that is followed. */
const LOOK_MS = 100
/** Lines that are handed over at once. */
const MANY = 1_000
const QUIETLY = { throwIfNoEntry: false } as const

/** A line as it is kept: its time, its instance, and the words of that. */
const KEPT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) (([a-z0-9-]+)\.[a-z0-9-]+) \| /

/** Says of each line of the output whether it is wished. A line without a form goes with the one before. */
function wished({ process, since }: AppLogsWish, now: Date): (line: string) => boolean {
  const first = since === undefined ? '' : sinceInstant(since, now).toISOString()
  let isWished = process === undefined && since === undefined
  return (line) => {
    if (line === MISSED) return true
    const [whole, time = '', instance, name] = KEPT.exec(line) ?? []
    if (whole !== undefined)
      isWished = time >= first && (process === undefined || process === name || process === instance)
    return isWished
  }
}

/**
 * Hands over the kept output of an application, and with `follow` goes on until `signal` is aborted. It reads
 * the files alone: whether their writer runs makes no difference.
 * @throws Problem in words when there is no output
 */
export async function readOutput(reading: OutputReading): Promise<void> {
  const { runtime, wish, print, signal } = reading
  const path = logFile(runtime, wish.app)
  if (![path, formerFile(path)].some((each) => (statSync(each, QUIETLY)?.size ?? 0) > 0))
    demandProcess(reading)
  const isWished = wished(wish, systemClock.now())
  const most = wish.lines ?? (wish.since === undefined ? LOG_LINES : Number.POSITIVE_INFINITY)
  using output = new KeptOutput(path)
  await print(lastOf(output, isWished, most))
  while (wish.follow === true && !signal.aborted) {
    for (const lines of batches(output, isWished)) {
      await print(lines)
      if (signal.aborted) return
    }
    await pause(LOOK_MS, signal)
  }
}

function lastOf(output: KeptOutput, isWished: (line: string) => boolean, most: number): readonly string[] {
  const found: string[] = []
  for (const line of output.lines()) {
    if (!isWished(line)) continue
    found.push(line)
    if (found.length >= 2 * most + MANY) found.splice(0, found.length - most)
  }
  return found.slice(Math.max(0, found.length - most))
}

function* batches(output: KeptOutput, isWished: (line: string) => boolean): Generator<readonly string[]> {
  let lines: string[] = []
  for (const line of output.lines()) {
    if (!isWished(line)) continue
    lines.push(line)
    if (lines.length < MANY) continue
    yield lines
    lines = []
  }
  if (lines.length > 0) yield lines
}

/** @throws Problem why an application has no output, unless it only has not written any yet */
function demandProcess({ apps, record, wish: { app } }: OutputReading): void {
  const known = record?.apps[app]
  if (known?.live.processes !== undefined) return
  if (known === undefined && !existsSync(join(apps, app)))
    throw new Problem('not-found', { detail: `there is no app ${app} on this host` })
  throw new Problem('conflict', {
    detail: `${app} keeps no process running on this host: there is no output`,
  })
}
