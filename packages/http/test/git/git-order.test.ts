import { describe, expect, it } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import type { Answer } from '../../../../test/support/exchange.ts'
import { githubPush } from '../../../../test/support/git-payloads/github.ts'
import { cloudPush } from '../../../../test/support/git-payloads/others.ts'
import { sha } from '../../../../test/support/git-payloads/pushed.ts'
import { SIGNERS } from '../../../../test/support/git-payloads/signed.ts'
import { gitScene } from './git-scene.ts'

const scene = gitScene()
const A = githubPush({ before: sha('0').replace('0', '9'), after: sha('a') }, 'A')
const B = githubPush({ before: sha('a'), after: sha('b') }, 'B')
const C = githubPush({ before: sha('b'), after: sha('c') }, 'C')
const ignoredOf = ({ body }: Answer) => (body as { ignored?: string }).ignored
const jobIn = ({ body }: Answer) => (body as { jobs: { job_id: string }[] }).jobs[0]?.job_id ?? ''
const job = (id: string) => scene().served.plane.jobs.get(PLATFORM, id)

describe('of pushes the newest wins', () => {
  it('one that no host has begun gives way, and cannot come back', async () => {
    const hook = await scene().hook()
    const first = jobIn(await scene().push(hook, A))
    await scene().push(hook, B)
    expect(await job(first)).toMatchObject({ state: 'failed', error: 'superseded by bbbbbbbbbbbb' })
    const again = await scene().push(hook, A)
    expect(again).toMatchObject({ status: 200, body: { ignored: 'stale', job_id: first } })
    const renamed = githubPush({ before: sha('9'), after: sha('a'), commits: [['Other', 'x']] }, 'A2')
    expect(ignoredOf(await scene().push(hook, renamed))).toBe('stale')
    expect((await scene().claim())?.payload.source.sha).toBe(sha('b'))
    expect(await scene().claim()).toBeUndefined()
    expect(await scene().jobs()).toHaveLength(2)
  })

  it('one that runs goes on, unless the hook says to stop it', async () => {
    const hook = await scene().hook()
    const first = jobIn(await scene().push(hook, A))
    await scene().claim()
    await scene().push(hook, B)
    expect((await job(first)).cancel).toBeUndefined()
    await scene().hook({ cancel_in_progress: true })
    await scene().push(hook, C)
    expect((await job(first)).cancel).toMatchObject({ reason: 'superseded by cccccccccccc' })
    const states = (await scene().jobs()).map(({ state }) => state)
    expect(states).toEqual(['pending', 'failed', 'claimed'])
  })

  it('a push that goes back to an older commit is no stale one', async () => {
    const hook = await scene().hook()
    await scene().push(hook, A)
    await scene().push(hook, B)
    const back = githubPush({ before: sha('b'), after: sha('a'), forced: true }, 'back')
    expect((await scene().push(hook, back)).status).toBe(202)
    expect((await scene().claim())?.payload.source.sha).toBe(sha('a'))
  })

  it('a push that goes back over one that was ignored is no stale one', async () => {
    const hook = await scene().hook()
    await scene().push(hook, B)
    await scene().hook({ enabled: false })
    await scene().push(hook, C)
    await scene().hook({ enabled: true })
    const back = githubPush({ before: sha('c'), after: sha('a'), forced: true }, 'back')
    expect((await scene().push(hook, back)).status).toBe(202)
  })

  it('a job that somebody ordered by hand is nobody’s to supersede', async () => {
    const hook = await scene().hook()
    const { licenseId } = scene().served
    const ordered = await scene().served.plane.jobs.enqueue({
      licenseId,
      kind: 'stop',
      payload: { app: 'shop' },
    })
    await scene().push(hook, B)
    expect(await job(ordered.job.id)).toMatchObject({ state: 'pending' })
  })

  it('other refs have an order of their own', async () => {
    const hook = await scene().hook({ tags: 'v*' })
    await scene().push(hook, B)
    const tag = githubPush({ ref: 'refs/tags/v1', before: sha('0'), after: sha('a') }, 'tag')
    expect((await scene().push(hook, tag)).status).toBe(202)
  })
})

describe('the same delivery again', () => {
  it('makes no job while its job waits, runs or has succeeded; a failed one is done again', async () => {
    const hook = await scene().hook()
    const first = jobIn(await scene().push(hook, A))
    const duplicate = {
      status: 200,
      body: { ok: true, accepted: false, ignored: 'duplicate', job_id: first },
    }
    expect(await scene().push(hook, A)).toMatchObject(duplicate)
    await scene().claim()
    expect(await scene().push(hook, A)).toMatchObject(duplicate)
    await scene().served.post(`/v1/jobs/${first}/status`, {
      fingerprint: 'builder-0123456789',
      state: 'failed',
    })
    const second = jobIn(await scene().push(hook, A))
    expect(second).not.toBe(first)
    expect(ignoredOf(await scene().push(hook, A))).toBe('duplicate')
    await scene().run('succeeded')
    expect(await scene().push(hook, A)).toMatchObject({ body: { ignored: 'duplicate', job_id: second } })
    expect(await scene().jobs()).toHaveLength(2)
    expect(await scene().deliveries(hook)).toMatchObject([
      { deliveryId: 'A', jobId: second, ignored: undefined },
    ])
  })

  it('under another name is a replay for a day', async () => {
    const hook = await scene().hook()
    const { body, headers } = A
    const named = (id: string) => ({ body, headers: { ...headers, 'x-github-delivery': id } })
    await scene().push(hook, A)
    await scene().run('succeeded')
    scene().served.clock.advance({ hours: 23 })
    expect(ignoredOf(await scene().push(hook, named('A2')))).toBe('duplicate')
    scene().served.clock.advance({ hours: 25 })
    expect((await scene().push(hook, named('A3'))).status).toBe(202)
  })

  it('of which 50 arrive at once makes one job', async () => {
    const hook = await scene().hook()
    const answers = await Promise.all(Array.from({ length: 50 }, () => scene().push(hook, A)))
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1)
    expect(answers.filter((answer) => ignoredOf(answer) === 'duplicate')).toHaveLength(49)
    expect(await scene().jobs()).toHaveLength(1)
  })

  it('of which one ref failed does that ref again', async () => {
    const hook = await scene().hook({ tags: 'v*' })
    const tag = { type: 'tag', name: 'v1', before: null, after: sha('c') } as const
    const both = cloudPush([{}, tag])
    await scene().push(hook, both, SIGNERS.bitbucket)
    await scene().run('succeeded')
    await scene().run('failed')
    const { body } = await scene().push(hook, both, SIGNERS.bitbucket)
    expect((body as { jobs: object[] }).jobs).toMatchObject([{ ref: 'refs/tags/v1' }])
  })
})
