import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { OPERATION_ENTRIES } from '../../../../test/support/features.ts'
import { holds } from './asks.ts'
import { memoryGlass, type OpenGlass, postgresGlass } from './contents.ts'
import { PEOPLE, type Person, stagedWorld, type World } from './world.ts'

// None of these has a pattern that the redactor recognizes.
const SECRETS_SENT = {
  env: 'Zx9-plain-words',
  user: 'bob-of-git',
  password: 's3cretpw99',
  deep: 'Qy8-deeper',
}
const PAYLOAD = {
  app: 'shop',
  source: {
    type: 'git',
    repo_url: `https://${SECRETS_SENT.user}:${SECRETS_SENT.password}@git.example/shop.git`,
    sha: 'b5aacadc99c7ade9073dfb9e1ce5b36914e55229',
  },
  env: { DB_PASS: SECRETS_SENT.env },
  extra: {
    env: { TOKEN_NAME: SECRETS_SENT.deep },
    mirrors: [`ssh://x:${SECRETS_SENT.password}@git.example/`],
  },
}
const SHOWN = {
  ...PAYLOAD,
  source: { ...PAYLOAD.source, repo_url: 'https://***@git.example/shop.git' },
  env: { DB_PASS: '***' },
  extra: { env: { TOKEN_NAME: '***' }, mirrors: ['ssh://***@git.example/'] },
}
/** For those who may deploy, and on the machine: without the values of its `env`. */
const WHOLE = { ...PAYLOAD, env: SHOWN.env }
const staff = (Object.keys(PEOPLE) as Person[]).filter((who) => PEOPLE[who].of === 'staff')

const secretsIn = (text: string): readonly string[] =>
  Object.values(SECRETS_SENT).filter((secret) => text.includes(secret))

describe.each<readonly [string, OpenGlass]>([
  ['memory', memoryGlass],
  [`PostgreSQL ${process.env.SVC_TEST_POSTGRES_VERSION}`, postgresGlass],
])('secrets in the payload of a job: %s', (_storage, open) => {
  let world: World
  let job: string
  const run = async (who: Person, name: string, input: object) => {
    const path = `/api/v1/operations/${name}`
    const headers = { cookie: world.cookies[who] }
    return world.send({ method: 'POST', path, headers, body: JSON.stringify(input) })
  }
  beforeAll(async () => {
    world = await stagedWorld(open)
    const input = { kind: 'deploy', license: world.own.licenseId, payload: PAYLOAD }
    const enqueued = await run('operator', 'jobs.enqueue', input)
    expect(enqueued).toMatchObject({ status: 200, body: { job: { payload: WHOLE } } })
    job = (enqueued.body as { job: { id: string } }).job.id
  }, 60_000)
  afterAll(async () => world[Symbol.asyncDispose]())

  it.each(staff)(
    '%s: jobs.show and jobs.why show them to those alone who may deploy, values of env to nobody, and jobs.list no payload',
    async (who) => {
      const payload = holds(who, 'platform.deploy') ? WHOLE : SHOWN
      for (const name of ['jobs.show', 'jobs.why'])
        expect((await run(who, name, { job })).body).toMatchObject({ job: { payload } })
      const { jobs } = (await run(who, 'jobs.list', {})).body as { jobs: readonly { id: string }[] }
      const listed = jobs.find(({ id }) => id === job)
      expect([listed?.id, listed]).toEqual([job, expect.not.objectContaining({ payload: expect.anything() })])
    },
  )

  it('no operation of those who may not deploy answers them', async () => {
    for (const who of staff.filter((each) => !holds(each, 'platform.deploy'))) {
      for (const [name, { asks, input }] of Object.entries(OPERATION_ENTRIES)) {
        if (!holds(who, asks)) continue
        const given = input(world)
        const { status, text } = await run(who, name, 'job' in given ? { ...given, job } : given)
        expect([name, status, secretsIn(text)]).toEqual([name, 200, []])
      }
    }
  })

  it('the audit log keeps names of env and addresses without credentials, whoever enqueued', async () => {
    const input = { kind: 'deploy', license: world.own.licenseId, payload: PAYLOAD } as const
    await world.plane.operations.run('jobs.enqueue', input, 'cli:ann@desk')
    expect(await run('reader', 'jobs.enqueue', input)).toMatchObject({ status: 403 })
    const [refused, local] = await world.storage.audit.list(1000)
    expect(refused).toMatchObject({ outcome: 'forbidden', input: { payload: SHOWN } })
    expect(local).toMatchObject({ outcome: 'ok', input: { payload: SHOWN } })
    const { text } = await run('admin', 'audit.list', {})
    expect(secretsIn(text)).toEqual([])
    expect(text).toContain('DB_PASS')
  })

  it('the host that takes the job gets them, and on the machine all but env are shown', async () => {
    expect(await world.plane.operations.run('jobs.show', { job }, 'cli:ann@desk')).toMatchObject({
      job: { payload: WHOLE },
    })
    const claim = () =>
      world.send({
        method: 'POST',
        path: '/v1/jobs/claim',
        headers: { authorization: `Bearer ${world.own.key}` },
        body: JSON.stringify({ fingerprint: 'a-host-of-this-test' }),
      })
    const claimed = [await claim(), await claim()].map(({ body }) => body)
    expect(claimed).toContainEqual({ job: expect.objectContaining({ id: job, payload: PAYLOAD }) })
  })
})
