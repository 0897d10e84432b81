import { expect, test } from '@jest/globals'
import { withIdEnds } from '../../src/connect/whole-ids.ts'

const JOBS = ['job_01aaaa7q2f', 'job_01bbbb7q2f', 'job_01cccc9999']
const MONITORS = [
  { id: 'mon_01aaaashop', name: 'other' },
  { id: 'mon_01bbbb1234', name: 'shop' },
]

/** A connection of a plane with some jobs, monitors and alerts; it keeps the requests. */
function connection() {
  const asked: [string, unknown][] = []
  const answers: Readonly<Record<string, object>> = {
    'jobs.list': { jobs: JOBS.map((id) => ({ id })) },
    'monitors.list': { monitors: MONITORS },
    'alerts.list': { alerts: [{ id: 'alr_01aaaa5678' }, { id: 'alr_01bbbb1234' }] },
  }
  const run = async (name: string, input: object) => {
    asked.push([name, input])
    return { ...answers[name] }
  }
  return { asked, ...withIdEnds({ run, [Symbol.asyncDispose]: async () => {} }) }
}

test.each([
  ['the end of an id', 'jobs.show', { job: '9999' }, { job: JOBS[2] }],
  ['a whole id', 'jobs.show', { job: 'job_01cccc9999' }, { job: 'job_01cccc9999' }],
  ['an end that no id has', 'jobs.show', { job: 'zzzz' }, { job: 'zzzz' }],
  ['too few characters', 'jobs.show', { job: '999' }, { job: '999' }],
  ['an end in a field that holds no id', 'jobs.enqueue', { app: '9999' }, { app: '9999' }],
  ['the name of another row', 'monitors.show', { monitor: 'shop' }, { monitor: 'shop' }],
  [
    'one of several ids',
    'alerts.ack',
    { ids: ['5678', 'alr_01bbbb1234'] },
    { ids: ['alr_01aaaa5678', 'alr_01bbbb1234'] },
  ],
])('%s becomes what the operation is asked for', async (_, operation, given, expected) => {
  const { run, asked } = connection()
  await run(operation, given)
  expect(asked.at(-1)).toEqual([operation, expected])
})

test('An end that several ids share is refused with the ids, and nothing is done', async () => {
  const { run, asked } = connection()
  await expect(run('jobs.cancel', { job: '7q2f' })).rejects.toMatchObject({
    code: 'ambiguous',
    data: { candidates: JOBS.slice(0, 2) },
  })
  expect(asked.map(([name]) => name)).toEqual(['jobs.list'])
})
