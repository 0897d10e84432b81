import type { MonitorView } from '@svc/core'
import { given, type Handler } from '../../program/call.ts'
import { monitorsTable } from './monitor-view.ts'

/** Flags of `svc monitors list`. */
export interface ListOptions {
  readonly tenant?: string
  readonly license?: string
}

/** Lists the monitors. */
export const listMonitors: Handler<ListOptions> = async (call) => {
  const { tenant, license } = call.options
  const input = given({ tenant, license })
  const answer = await call.operate<{ monitors: readonly MonitorView[] }>('monitors.list', input)
  call.print(answer, (page) => monitorsTable(answer.monitors, page))
  if (answer.monitors.length > 0) return
  call.hint('No monitors yet: svc monitors add --name N --host H --type A watches a name.')
}
