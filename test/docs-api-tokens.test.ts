import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import { blockOf } from './docs/page.ts'
import { byListen, type Mounted, mounted } from './support/mounted.ts'

const PAGE = 'docs/api-tokens.md'
const exec = promisify(execFile)

/** Runs a program of the page as its pipeline does; returns its output. */
async function run(program: string, env: Readonly<Record<string, string>>): Promise<string> {
  const { stdout } = await exec('sh', ['-c', program], { env: { PATH: process.env.PATH ?? '', ...env } })
  return stdout
}

const [enqueue = '', show = ''] = ['jobs.enqueue', 'jobs.show'].map((name) => {
  const first = 'printf \'Authorization: Bearer %s\\n\' "$SERVICE_TOKEN" |\n'
  const head = '  curl --silent --show-error --fail-with-body --header @- \\\n'
  return blockOf(PAGE, `${first}${head}    "$SERVICE_URL/api/v1/operations/${name}"`)
})

describe('the pipeline of docs/api-tokens.md', () => {
  let served: Mounted
  beforeEach(async () => {
    served = await mounted(byListen())
  })
  afterEach(async () => served[Symbol.asyncDispose]())

  async function environment(role: string) {
    const { plane, port } = served
    const tenantId = (await plane.tenants.add('acme')).id
    const { license } = await plane.licenses.issue({ tenantId })
    const token = { role, tenantId, label: 'pipeline', expiresAt: undefined, createdBy: 'ann' }
    const { secret } = await plane.apiTokens.issue(token)
    return {
      SERVICE_TOKEN: secret,
      SERVICE_URL: `http://127.0.0.1:${port}`,
      LICENSE: license.id,
      COMMIT: 'a'.repeat(40),
    }
  }

  test('enqueues a deployment, once, and shows the job', async () => {
    const env = await environment('developer')
    const { job, created } = JSON.parse(await run(enqueue, env))
    expect([job.kind, job.license_id, created]).toEqual(['deploy', env.LICENSE, true])
    expect(JSON.parse(await run(enqueue, env))).toMatchObject({ job: { id: job.id }, created: false })
    const shown = JSON.parse(await run(show, { ...env, JOB: job.id }))
    expect(shown).toMatchObject({ job: { id: job.id, state: 'pending' } })
    expect(await served.plane.jobs.list(PLATFORM, { limit: 9 })).toHaveLength(1)
  })

  test('fails when the token may not deploy, or is none, and says why', async () => {
    const env = await environment('viewer')
    const failed = { code: 22, stdout: expect.stringContaining('jobs.enqueue needs platform.deploy') }
    await expect(run(enqueue, env)).rejects.toMatchObject(failed)
    const other = { ...env, SERVICE_TOKEN: `svcat_${'A'.repeat(43)}` }
    await expect(run(enqueue, other)).rejects.toMatchObject({ code: 22 })
    expect(await served.plane.jobs.list(PLATFORM, { limit: 9 })).toEqual([])
  })
})
