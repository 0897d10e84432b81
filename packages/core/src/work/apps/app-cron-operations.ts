import { unixSeconds } from '../../kernel/clock.ts'
import { ofLicense } from '../../kernel/scope.ts'
import { listOf, namedShape, text, type ViewOf, whole } from '../../kernel/validation.ts'
import { appOf, named, operation } from './app-run-operations.ts'
import { OBSERVED_CRON } from './observed-app.ts'

const word = text(0, 4096)
/** A command of an app at times of the clock in an answer, as its host last told of it. */
const CRON = { host: word, ...OBSERVED_CRON, observed_at: whole(0, Number.MAX_SAFE_INTEGER) }
/** A command of an app at times of the clock as operators see it. */
export type AppCronView = ViewOf<typeof CRON>

const list = operation({
  name: 'apps.cron-list',
  summary: 'list the commands of an app that run at times of the clock, with their last runs',
  permission: 'platform.read',
  scope: 'tenant',
  changes: false,
  input: named,
  answer: { id: word, app: word, crons: listOf(namedShape('AppCron', CRON), Number.POSITIVE_INFINITY) },
  run: async (services, given, operator) => {
    const app = await appOf(services, given, operator)
    const observed = await services.apps.observed(ofLicense(app.licenseId), [app.name])
    const crons = observed.flatMap(({ fingerprint: host, detail, observedAt }) =>
      (detail.crons ?? []).map((cron) => ({ host, ...cron, observed_at: unixSeconds(observedAt) })),
    )
    return { id: app.id, app: app.name, crons }
  },
})

/** Operations on the commands of apps at times of the clock. */
export const appCronOperations = [list]
