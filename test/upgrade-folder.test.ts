// The data folder of `svc up` and `svc serve` as commit 7f8be925 left it; `upgrade.test.ts` has the database.
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { runSvc, SOURCES, SvcProcess } from '../packages/cli/test/support/svc-process.ts'
import { commandOf, NAMED } from '../scripts/upgrade/installation.ts'
import { type Document, Plane } from '../scripts/upgrade/plane.ts'
import { lasting } from '../scripts/upgrade/reads.ts'
import { ended, writeHandlers } from '../scripts/upgrade/work.ts'
import { openWorld, type World } from '../scripts/upgrade/world.ts'
import { asNow, settingsOf, type Unpacked, unpacked } from './support/upgraded.ts'

const PATIENCE_MS = 90_000

let old: Unpacked
let world: World
let data: string
let backup: string

beforeAll(async () => {
  old = unpacked('on-folder')
  world = await openWorld()
  data = join(old.place, 'data')
  backup = join(old.cwd, 'svc.jsonl.gz')
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  old[Symbol.dispose]()
})

/** The agent of this release, with the state folder that the old one left. */
function newAgentAt({ url }: Plane): SvcProcess {
  const handlers = join(old.cwd, 'handlers')
  writeHandlers(handlers, { isQuick: true })
  const place = ['--url', url, '--state-dir', join(old.place, 'agent'), '--handlers', handlers]
  const env = { SERVICE_LICENSE_KEY: old.facts.customer.license.key }
  return new SvcProcess(['agent', 'run', ...place], { cwd: old.cwd, env, program: [...NAMED, ...SOURCES] })
}

/** Waits until the host has done the jobs that waited, and the one that was cut off. */
async function doneBy(agent: SvcProcess, plane: Plane): Promise<void> {
  const { customer, jobs } = old.facts
  for (const job of [jobs.pending, jobs.running, jobs.first, jobs.second])
    expect([job, await ended(plane, customer.token, job)]).toMatchObject([
      job,
      { job: { state: 'succeeded' } },
    ])
  const { logs } = await run<{ logs: readonly { line: string }[] }>(plane, 'jobs.logs', { job: jobs.first })
  expect(logs.map(({ line }) => line)).toEqual(['greeting good morning'])
  const { servers } = await run<{ servers: readonly Document[] }>(plane, 'fleet.servers')
  expect(servers.filter(({ hostname }) => hostname === 'web-1')).toHaveLength(1)
  agent.kill('SIGTERM')
  expect(await agent.end()).toBe(0)
}

/** A folder on a release, under the name that the machine of the trial had. */
const parts = (program: readonly string[], folder = data) => ({
  cwd: old.cwd,
  program,
  env: {
    ...settingsOf(old, world),
    SERVICE_DATA_DIR: folder,
    SERVICE_TICK_SECONDS: '0',
    FIXTURE_HOST: 'desk',
  },
})

const run = <D = Document>(plane: Plane, name: string, input: Document = {}) =>
  plane.operation<D>(old.facts.customer.token, name, input)

test(
  'The old release writes its backup, which this release refuses and names the schema',
  async () => {
    const made = await runSvc(['backup', backup], parts(commandOf(old.release)))
    expect([made.code, made.err]).toEqual([0, expect.anything()])
    const refused = await runSvc(['import', backup, '--data-dir', join(old.cwd, 'none')], parts(SOURCES))
    expect(refused.code).toBe(1)
    expect(refused.err).toContain('with the schema 0032-checkout-answers')
  },
  PATIENCE_MS,
)

test(
  'svc up of this release takes the folder over: its rows, its keys, its agent and its sample application',
  async () => {
    const given = parts([...NAMED, ...SOURCES])
    await using plane = await Plane.up({ ...given, env: { ...given.env, NODE_ENV: 'development' } })
    for (const read of old.facts.reads) {
      const answer = await run(plane, read.operation, read.input)
      const now = lasting({ ...read, answer }, old.facts.jobs)
      const asked = [read.operation, read.input]
      expect([...asked, now]).toMatchObject([...asked, asNow(lasting(read, old.facts.jobs), read)])
    }
    const { apps } = await run<{ apps: readonly Document[] }>(plane, 'apps.list')
    const hello = apps.find(({ name }) => name === 'hello')
    expect(hello).toMatchObject({
      last_deployment: { state: 'succeeded' },
      repo_url: expect.stringContaining('sample-app'),
    })
    const [, sha = ''] = /--sha (\w+)/.exec(plane.process.out.text) ?? []
    const { job } = await run<{ job: { id: string } }>(plane, 'apps.deploy', { app: 'hello', sha })
    expect(await ended(plane, old.facts.customer.token, job.id)).toMatchObject({
      job: { state: 'succeeded' },
    })
    plane.process.kill('SIGINT')
    expect(await plane.process.end()).toBe(0)
  },
  PATIENCE_MS,
)

test(
  'The agent of this release goes on with the state folder of the old one',
  async () => {
    await using plane = await Plane.serve(parts(SOURCES))
    await using agent = newAgentAt(plane)
    await doneBy(agent, plane)
    await plane.stop()
  },
  PATIENCE_MS,
)

test(
  'The old release refuses the folder then, and serves the one that its backup is restored to, for newer agents too',
  async () => {
    const program = commandOf(old.release)
    const refused = await runSvc(['serve', '--port', '0'], parts(program))
    expect(refused.code).toBe(1)
    expect(refused.err).toContain('the database is ahead of this release')
    const back = join(old.cwd, 'back')
    expect((await runSvc(['import', backup, '--data-dir', back], { ...parts(program, back) })).code).toBe(0)
    await using plane = await Plane.serve(parts(program, back))
    for (const read of old.facts.reads) {
      const now = { ...read, answer: await run(plane, read.operation, read.input) }
      expect([read.operation, lasting(now, old.facts.jobs)]).toMatchObject([
        read.operation,
        lasting(read, old.facts.jobs),
      ])
    }
    await using agent = newAgentAt(plane)
    await doneBy(agent, plane)
    await plane.stop()
  },
  PATIENCE_MS,
)
