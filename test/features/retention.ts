import fc from 'fast-check'
import { rarely, steps } from '../../packages/core/test/conformance/world.ts'
import { change, confirmedChange, nothing, read } from '../support/feature-entries.ts'
import type { Feature } from '../support/features.ts'

const agoMs = fc.constantFrom(-60_000, 0, 1000, 60_000, 3_600_000)
const earlier = (now: Date, ms: number) => new Date(now.getTime() - ms)
const limit = fc.constantFrom(1, 3, 100)

/** Jobs that are past their retention and those that a page looks at; their ids are the same everywhere. */
const past = steps(
  'jobs past their retention',
  fc.record({ ms: agoMs, limit, which: fc.constantFrom('pastJobs', 'pastLogs') }),
  ({ ms, which, ...given }) =>
    () =>
    ({ retention }, now) =>
      retention[which as 'pastJobs']({ after: '', before: earlier(now, ms), ...given }),
)
const remove = steps(
  'remove jobs past their retention',
  fc.record({ ms: agoMs, limit, logsOnly: fc.boolean() }),
  ({ ms, limit: most, logsOnly }) =>
    () =>
    async ({ retention }, now) => {
      const page = { after: '', before: earlier(now, ms), limit: most }
      const { ids } = logsOnly ? await retention.pastLogs(page) : await retention.pastJobs(page)
      return logsOnly ? retention.removeLogs(ids) : retention.removeJobs(ids)
    },
)
const backlog = steps(
  'backlog of retention',
  fc.record({ jobs: agoMs, logs: agoMs, most: limit }),
  ({ jobs, logs, most }) =>
    () =>
    async ({ retention }, now) => {
      const found = await retention.backlog(earlier(now, jobs), earlier(now, logs), most)
      // A database compresses the texts.
      return { ...found, logs: { ...found.logs, bytes: found.logs.bytes > 0 } }
    },
)
const rules = steps(
  'rules of retention',
  fc.record({ by: rarely(fc.constantFrom('ann', 'bob')), ms: agoMs }),
  ({ by, ms }) =>
    () =>
    async ({ retention }, now) => {
      if (by === undefined) await retention.noteLogs(earlier(now, ms))
      else await retention.accept(by, now)
      return retention.state()
    },
)

const months = steps(
  'months of logs',
  fc.record({ ms: agoMs, withRows: fc.boolean() }),
  ({ ms, withRows }) =>
    () =>
    async ({ retention }, now) => {
      await retention.makeLogMonths()
      const { logs } = await retention.dropLogMonths(earlier(now, ms), withRows)
      return [logs, await retention.logMonthsFault()]
    },
)
const archive = steps(
  'archive of retention',
  rarely(fc.constantFrom('arc_1', 'arc_2')),
  (mark) =>
    () =>
    ({ retention }) =>
      retention.setArchive(mark),
)
const retained = steps('jobs to be archived', limit, (most) => () => async ({ retention }, now) => {
  const { ids } = await retention.pastJobs({ after: '', before: now, limit: most })
  return retention.jobs(ids)
})

/** Access to the retention of jobs and logs. */
export const feature: Feature = {
  operations: {
    'retention.show': read('platform.admin', nothing),
    'retention.accept': confirmedChange(
      () => ({ job_days: 90, log_days: 30 }),
      () => ({ job_days: 1, log_days: 30 }),
      'conflict',
    ),
    'retention.run': change('platform.admin', nothing, () => ({ for_seconds: 21 }), 'invalid-input'),
  },
  commands: {
    'retention show': () => [],
    'retention accept': () => ['--job-days', '90', '--log-days', '30'],
    'retention run': () => [],
  },
  steps: [
    { weight: 2, arbitrary: past },
    { weight: 2, arbitrary: remove },
    { weight: 1, arbitrary: backlog },
    { weight: 1, arbitrary: rules },
    { weight: 1, arbitrary: months },
    { weight: 1, arbitrary: archive },
    { weight: 1, arbitrary: retained },
  ],
  contents: async ({ retention }) => ({ retention: await retention.state() }),
}
