import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { exchange } from '../../../../test/support/exchange.ts'
import { type Mounted, mounted } from '../../../../test/support/mounted.ts'
import { createControlApp, listen } from '../../src/index.ts'

describe('the control socket', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-control-'))
  const path = join(folder, 'control.sock')
  let served: Mounted
  beforeEach(async () => {
    served = await mounted(async ({ plane }) => {
      const server = await listen(createControlApp(plane), { path })
      return { port: server.port, stop: () => server.cut() }
    })
  })
  afterEach(async () => {
    await served[Symbol.asyncDispose]()
    rmSync(path, { force: true })
  })

  const run = (name: string, input?: unknown, headers = {}) =>
    exchange(path, {
      method: 'POST',
      path: `/operations/${name}`,
      headers,
      body: typeof input === 'string' ? input : JSON.stringify(input),
    })

  it('runs an operation: JSON in, JSON out', async () => {
    expect(await run('licenses.list')).toMatchObject({
      status: 200,
      body: { licenses: [{ id: served.licenseId }] },
    })
    const { body } = await run('jobs.enqueue', { kind: 'prune', license: served.licenseId })
    expect(body).toMatchObject({ job: { kind: 'prune', state: 'pending' }, created: true })
  })

  it('lists what can be run', async () => {
    const { body } = await exchange(path, { path: '/operations' })
    const { operations } = body as { operations: { name: string }[] }
    expect(operations.map(({ name }) => name)).toEqual(served.plane.operations.list.map(({ name }) => name))
    expect(operations[0]).toEqual({
      name: 'licenses.issue',
      summary: expect.any(String),
      permission: 'platform.admin',
      changes: true,
    })
  })

  it.each([
    ['cli:root@host', 'local:cli:root@host'],
    // A caller that uses a person's name is not taken for a signed-in person.
    ['ada@svc.example', 'local:ada@svc.example'],
    ['cli:r\u00f6ot@host', 'local:cli:rot@host'],
    ['a'.repeat(200), `local:${'a'.repeat(128)}`],
    [undefined, 'local:unnamed'],
  ])('calls the actor %s %s in the audit log', async (header, actor) => {
    await run(
      'tenants.add',
      { name: 'acme' },
      header === undefined ? {} : { 'svc-actor': Buffer.from(header, 'latin1').toString('latin1') },
    )
    expect(await served.plane.audit.list(1)).toMatchObject([
      { actor, operation: 'tenants.add', outcome: 'ok' },
    ])
  })

  it.each([
    [
      'jobs.fly',
      {},
      404,
      { error: 'not found', code: 'not-found', detail: 'there is no operation jobs.fly' },
    ],
    [
      'jobs.show',
      { job: 'job_none' },
      404,
      { error: 'not found', code: 'not-found', detail: 'there is no job job_none' },
    ],
    [
      'jobs.show',
      {},
      400,
      {
        error: 'invalid request body',
        code: 'invalid-input',
        details: ['job: expected a string of 1 to 64 characters'],
      },
    ],
    ['jobs.show', '{', 400, { error: 'invalid JSON body', code: 'invalid-json' }],
    [
      'jobs.show',
      '[]',
      400,
      { error: 'invalid request body', code: 'invalid-input', details: ['expected an object'] },
    ],
  ])('%s with %j explains its refusal', async (name, input, status, body) => {
    expect(await run(name, input)).toMatchObject({ status, body })
  })

  it('lists the candidates of an ambiguous name', async () => {
    for (const fingerprint of ['one', 'two']) {
      await served.plane.agents.heartbeat({
        ...NOTHING,
        licenseId: served.licenseId,
        fingerprint,
        hostname: 'twin',
      })
    }
    expect(await run('fleet.drain', { host: 'twin' })).toMatchObject({
      status: 409,
      body: {
        error: 'ambiguous',
        code: 'ambiguous',
        candidates: [`agt_one of ${served.licenseId}`, `agt_two of ${served.licenseId}`],
      },
    })
  })

  it('copies no database that is in no folder', async () => {
    expect(await exchange(path, { method: 'POST', path: '/copies' })).toMatchObject({
      status: 409,
      body: { code: 'conflict', detail: 'this service keeps nothing in its data folder: set DATABASE_URL' },
    })
  })

  it('has no route of the public surface but probes and metrics', async () => {
    expect(await exchange(path, { path: '/healthz' })).toMatchObject({ status: 200 })
    expect(await exchange(path, { path: '/v1/fleet/servers' })).toMatchObject({ status: 404 })
    expect(await exchange(path, { method: 'GET', path: '/operations/jobs.list' })).toMatchObject({
      status: 405,
    })
  })
})

const NOTHING = {
  version: undefined,
  state: undefined,
  bootId: undefined,
  cpuPct: undefined,
  memPct: undefined,
  diskPct: undefined,
  diskTotalGb: undefined,
  lastCaptureAt: undefined,
  captureSuccess: undefined,
  lastDrillAt: undefined,
  drillPass: undefined,
  jobs: [],
}
