import type { MonitorView } from '@svc/core'
import { given, type Handler } from '../../program/command-run.ts'
import { wholeNumber } from '../number-option.ts'
import { monitorFacts } from './monitor-view.ts'

/** Flags of `svc monitors add` and `update`. */
export interface DefineOptions {
  readonly name?: string
  readonly host?: string
  readonly type?: string
  readonly mode?: string
  readonly expect?: readonly string[]
  readonly match?: string
  readonly interval?: string
  readonly confirmations?: string
  readonly resolver?: readonly string[]
  readonly tenant?: string
  readonly license?: string
}

const definitionOf = (options: DefineOptions): Record<string, unknown> => {
  const { host, type, mode, match, expect: expected, resolver: resolvers } = options
  return {
    host,
    type: type?.toUpperCase(),
    mode,
    match,
    expected,
    resolvers,
    interval_seconds: wholeNumber('--interval', options.interval),
    confirmations: wholeNumber('--confirmations', options.confirmations),
  }
}

/** Watches a name. */
export const addMonitor: Handler<DefineOptions> = async (run) => {
  const { name, tenant, license } = run.options
  const input = given({ name, tenant, license, ...definitionOf(run.options) })
  const answer = await run.operate<{ monitor: MonitorView }>('monitors.add', input)
  run.print(answer, (page) => monitorFacts(answer.monitor, page))
  run.hint('It runs at the next tick; svc monitors run NAME runs it now.')
}

/** Changes the target of a monitor, or the way it is watched. */
export const updateMonitor: Handler<DefineOptions> = async (run) => {
  const input = given({ monitor: run.arg(0), ...definitionOf(run.options) })
  const answer = await run.operate<{ monitor: MonitorView }>('monitors.update', input)
  run.print(answer, (page) => monitorFacts(answer.monitor, page))
}
