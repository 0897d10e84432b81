import type { MonitorView } from '@svc/core'
import type { Handler } from '../../program/command-run.ts'
import { monitorFacts, monitorsTable } from './monitor-view.ts'

/** Shows one monitor. */
export const showMonitor: Handler<object> = async (run) => {
  const answer = await run.operate<{ monitor: MonitorView }>('monitors.show', { monitor: run.arg(0) })
  run.print(answer, (page) => monitorFacts(answer.monitor, page))
}

/** Pauses, resumes, removes or accepts a monitor, named by its id or its name. */
export const changeMonitor =
  (verb: 'pause' | 'resume' | 'remove' | 'accept'): Handler<object> =>
  async (run) => {
    const answer = await run.operate<{ monitor: MonitorView }>(`monitors.${verb}`, { monitor: run.arg(0) })
    run.print(answer, (page) => monitorsTable([answer.monitor], page))
  }
