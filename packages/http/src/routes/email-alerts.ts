import { Problem } from '@svc/core'
import { flag, REMINDER_RUN, reminderRunView, shape } from '@svc/core/adapters'
import { optional } from 'superstruct'
import { jsonBody } from '../exchange/body/json-body.ts'
import { json } from '../exchange/reply.ts'
import { route } from '../exchange/route.ts'
import { licenseOrCron } from '../gates/license-or-cron.ts'
import type { RouteLimit } from '../gates/limit.ts'
import { INVALID } from './job-fields.ts'

const PATH = '/api/v1/email/alerts/run'
const RUNS: RouteLimit = { name: 'email-alerts-run', limit: 12, windowSeconds: 60 }
const SUMMARY =
  'Remind by mail of licenses that end and invoices that are not paid: a license its own holder, the cron all.'

const ran = shape(REMINDER_RUN)

const shared = {
  path: PATH,
  summary: SUMMARY,
  gate: licenseOrCron(RUNS),
  replies: {
    200: { description: 'The queued and sent messages; of a dry run, the due ones.', body: ran },
    ...INVALID,
    503: { description: 'There is no relay, or `EMAIL_SYSTEM_FROM` has no verified domain.' },
  },
} as const

/** @throws Problem `invalid-input` */
function flagOf(given: string | undefined): boolean {
  if (given === undefined || given === '0' || given === 'false') return false
  if (given === '1' || given === 'true') return true
  throw new Problem('invalid-input', { details: ['dry_run: expected 1 or 0'] })
}

/** The tick of reminders; both methods do the same (docs/email.md). */
export const emailAlertRoutes = [
  route({
    ...shared,
    name: 'email-alerts.run.licensed.get',
    method: 'GET',
    head: false,
    query: { dry_run: '`1` lists due reminders, and sends nothing.' },
    handle: async ({ plane, caller, query }) => {
      const dryRun = flagOf(query.dry_run)
      return json(reminderRunView(await plane.reminders.run({ licenseId: caller?.licenseId, dryRun })))
    },
  }),
  route({
    ...shared,
    name: 'email-alerts.run.licensed',
    method: 'POST',
    body: jsonBody(shape({ dry_run: optional(flag()) })),
    handle: async ({ plane, caller, body }) => {
      const asked = { licenseId: caller?.licenseId, dryRun: body.dry_run }
      return json(reminderRunView(await plane.reminders.run(asked)))
    },
  }),
]
