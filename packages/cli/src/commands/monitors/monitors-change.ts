import type { MonitorView } from '@svc/core'
import type { Handler } from '../../program/call.ts'
import { monitorFacts, monitorsTable } from './monitor-view.ts'

/** Shows one monitor. */
export const showMonitor: Handler<object> = async (call) => {
  const answer = await call.operate<{ monitor: MonitorView }>('monitors.show', { monitor: call.arg(0) })
  call.print(answer, (page) => monitorFacts(answer.monitor, page))
}

/** Pauses, resumes, removes or accepts a monitor, named by its id or its name. */
export const changeMonitor =
  (verb: 'pause' | 'resume' | 'remove' | 'accept'): Handler<object> =>
  async (call) => {
    const answer = await call.operate<{ monitor: MonitorView }>(`monitors.${verb}`, { monitor: call.arg(0) })
    call.print(answer, (page) => monitorsTable([answer.monitor], page))
  }
