import type { MonitorView } from '@svc/core'
import { given, type Handler } from '../../program/command-run.ts'
import { monitorsTable } from './monitor-view.ts'

/** Flags of `svc monitors list`. */
export interface ListOptions {
  readonly tenant?: string
  readonly license?: string
}

/** Lists the monitors. */
export const listMonitors: Handler<ListOptions> = async (run) => {
  const { tenant, license } = run.options
  const input = given({ tenant, license })
  const answer = await run.operate<{ monitors: readonly MonitorView[] }>('monitors.list', input)
  run.print(answer, (page) => monitorsTable(answer.monitors, page))
  if (answer.monitors.length > 0) return
  run.hint('No monitors yet: svc monitors add --name N --host H --type A watches a name.')
}
