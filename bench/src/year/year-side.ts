import { openStorage } from '@svc/core/sql'
import { FakeClock, type TestPlane, testPlane } from '@svc/testing'
import { withClient } from '../fleet.ts'
import { FIRST_HOST, FIRST_LICENSE, type YearRead } from './reads.ts'

const LICENSE = { licenseId: FIRST_LICENSE, tenantId: undefined }
const HOST = { licenseId: FIRST_LICENSE, fingerprint: FIRST_HOST }
const NOBODY = { licenseId: FIRST_LICENSE, fingerprint: 'a host without work' }
const LINE = 'a line of eighty characters, as a build or a deploy writes them while it works..'

/** One of the two planes: on a database of a year, or on one without history. */
export interface YearSide extends AsyncDisposable {
  readonly name: string
  readonly served: TestPlane
  readonly url: string
  /** The newest deployment, whose log no retention has let go. */
  readonly deployment: string
}

/** Opens a plane on a database. Its clock stands still, so that its hosts stay alive. */
export async function openSide(name: string, url: string): Promise<YearSide> {
  const storage = await openStorage({ url, poolSize: 10 })
  const served = testPlane({ storage, clock: new FakeClock(new Date()) })
  const [deployment = ''] = await withClient(url, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      'select id from deployments order by job_id desc limit 1',
    )
    return rows.map(({ id }) => id)
  })
  return { name, served, url, deployment, [Symbol.asyncDispose]: () => served[Symbol.asyncDispose]() }
}

/** Something that is timed on both sides. */
export interface YearCase {
  readonly name: string
  /** Prepares one time; its result is given to `run`. Not timed. */
  readonly prepare?: (side: YearSide) => Promise<unknown>
  /** Returns the answer: a longer one may take longer. */
  readonly run: (side: YearSide, prepared: unknown) => Promise<unknown>
}

/** The frequent requests and probes: a job is followed from its order to its end. */
export const hotCases = (): readonly YearCase[] => {
  const held = new Map<YearSide, { readonly id: string; offset: number }>()
  const jobOf = (side: YearSide) => held.get(side) ?? { id: '', offset: 0 }
  const report = (state: 'running' | 'succeeded'): YearCase => ({
    name: `report ${state}`,
    run: ({ served }, job) =>
      served.plane.jobs.report({
        ...{ ...HOST, jobId: (job as { id: string }).id, attempt: undefined, state },
        ...{ exitCode: state === 'succeeded' ? 0 : undefined, error: undefined },
      }),
    prepare: async (side) => jobOf(side),
  })
  return [
    {
      name: 'heartbeat',
      run: ({ served }) => served.plane.agents.heartbeat({ ...LICENSE, ...HOST, ...BEAT }),
    },
    { name: 'claim that finds nothing', run: ({ served }) => served.plane.jobs.claim(claimOf(NOBODY)) },
    {
      name: 'claim that finds a job',
      prepare: async ({ served }) => {
        const { plane } = served
        const job = {
          licenseId: FIRST_LICENSE,
          kind: 'prune',
          payload: { older_than_seconds: 86_400 },
        } as const
        return plane.jobs.enqueue({ ...job, target: FIRST_HOST })
      },
      run: async (side) => {
        const answer = await side.served.plane.jobs.claim(claimOf(HOST))
        if (answer.job === undefined) throw new Error('the claim found no job')
        held.set(side, { id: answer.job.id, offset: 0 })
        return answer
      },
    },
    report('running'),
    {
      name: 'append of a line',
      prepare: async (side) => jobOf(side),
      run: ({ served }, job) =>
        served.plane.jobs.appendLogs({
          ...{ ...HOST, jobId: (job as { id: string }).id, attempt: undefined, offset: undefined },
          ...{ lines: [{ ts: 1, line: LINE }], idempotencyKey: undefined },
        }),
    },
    report('succeeded'),
    {
      name: 'deploy logs',
      run: async ({ served, deployment: id }) => {
        const { deployments } = served.plane
        const deployment = await deployments.visible(id, { tenantId: undefined })
        const { pieces } = await deployments.wholeLog(deployment)
        const lines: unknown[] = []
        for await (const piece of pieces) lines.push(...piece)
        if (lines.length === 0) throw new Error('the deployment has no log')
        return lines
      },
    },
    {
      name: 'activation',
      run: ({ served }) => served.plane.licenses.activate({ key: 'key 0', fingerprint: undefined }),
    },
    { name: 'GET /healthz', run: ({ served }) => served.plane.health.ready() },
    { name: 'GET /metrics', run: ({ served }) => served.plane.metrics.exposition() },
  ]
}

const BEAT = {
  ...{
    hostname: 'host-0',
    version: '0.1.0',
    state: 'ok',
    bootId: undefined,
    cpuPct: 12,
    memPct: 40,
    diskPct: 55,
  },
  ...{ diskTotalGb: undefined, lastCaptureAt: undefined, captureSuccess: undefined },
  ...{ lastDrillAt: undefined, drillPass: undefined, jobs: [] },
}

const claimOf = (host: { readonly licenseId: string; readonly fingerprint: string }) => ({
  ...host,
  claimKey: undefined,
})

/** A read of operators, and for lists with a cursor a page in the middle of the list. */
export function readCases(read: YearRead): readonly YearCase[] {
  const run = ({ served }: YearSide, input: object) =>
    served.plane.operations.run(read.operation, { ...input }, 'the bench')
  const first: YearCase = { name: read.name.trim(), run: (side) => run(side, read.input) }
  if (!read.isPaged) return [first]
  const cursors = new Map<YearSide, unknown>()
  const middle: YearCase = {
    name: `${first.name} (a page in the middle)`,
    prepare: async (side) => {
      if (!cursors.has(side)) cursors.set(side, await middleOf((input) => run(side, input), read.input))
      return cursors.get(side)
    },
    run: (side, cursor) => run(side, cursor === undefined ? read.input : { ...read.input, cursor }),
  }
  return [first, middle]
}

const NUMBERED = /\d{26}/

/** Returns the cursor of a page in the middle: rows of a year are numbered from the oldest on. */
async function middleOf(
  list: (input: object) => Promise<object>,
  input: Readonly<Record<string, unknown>>,
): Promise<string | undefined> {
  const { next_cursor: next } = (await list(input)) as { next_cursor?: string }
  return next?.replace(NUMBERED, (digits) => String(BigInt(digits) / 2n).padStart(digits.length, '0'))
}

const DURATION = /^svc_scheduler_run_duration_seconds_sum\{task="([^"]+)"\} (\S+)$/gm

/** Runs all tasks of the tick, those too that are not due yet; returns the seconds of each. */
export async function tickOf(side: YearSide): Promise<ReadonlyMap<string, number>> {
  await withClient(side.url, (client) => client.query('delete from scheduler_tasks'))
  const before = await secondsOf(side)
  await side.served.plane.scheduler.tick()
  const after = await secondsOf(side)
  return new Map([...after].map(([task, seconds]) => [task, seconds - (before.get(task) ?? 0)]))
}

async function secondsOf({ served }: YearSide): Promise<ReadonlyMap<string, number>> {
  const text = await served.plane.metrics.exposition()
  return new Map([...text.matchAll(DURATION)].map(([, task = '', seconds]) => [task, Number(seconds)]))
}
