import type { AlertAction, AlertView } from '@svc/core'
import { isIdEnd, Problem } from '@svc/core/client'
import { given, type Handler } from '../../program/command-run.ts'
import { secondOf, secondsOf } from '../number-option.ts'
import { alertsTable } from './alerts-list.ts'

/** Flags of the commands that act on alerts. */
export interface AlertActOptions {
  readonly for?: string
  readonly until?: string
  readonly note?: string
  readonly license?: string
}

// A dedup key has a colon.
const isId = (name: string): boolean => name.startsWith('alr_') || isIdEnd(name)

/** Alerts by their ids, or one by its dedup key. */
function namesOf(args: readonly string[]): Record<string, unknown> {
  const [first = '', ...others] = args
  if (others.length === 0) return isId(first) ? { id: first } : { dedup_key: first }
  const key = args.find((arg) => !isId(arg))
  if (key === undefined) return { ids: [...args] }
  throw new Problem('invalid-input', { detail: `${key} is no id of an alert: name dedup keys one at a time` })
}

/** Acknowledges, snoozes or resolves alerts, or takes that back. */
export const actOnAlerts =
  (action: AlertAction): Handler<AlertActOptions> =>
  async (run) => {
    const { for: duration, until, note, license } = run.options
    const end = { for_seconds: secondsOf('--for', duration), until: secondOf('--until', until) }
    const input = given({ ...namesOf(run.args), ...end, note, license })
    type Acted = { readonly alert?: AlertView; readonly alerts?: readonly AlertView[] }
    const answer = await run.operate<Acted>(`alerts.${action}`, input, true)
    const alerts = answer.alerts ?? (answer.alert === undefined ? [] : [answer.alert])
    run.print(answer, (page) => alertsTable(alerts, page))
  }
