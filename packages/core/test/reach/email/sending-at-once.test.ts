// Requests at once, over two replicas on one PostgreSQL: a fake takes one after the other.
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { createControlPlane, readConfig, type Storage } from '@svc/core'
import { postgresStorage, TEST_ENVIRONMENT } from '@svc/testing'
import { verifiedDomain } from '../../../../../test/support/sending-domain.ts'
import { SERVER } from '../../platform/storage/backends.ts'

const FIELDS = {
  from: 'ann@mail.example.com',
  to: 'bob@example.net',
  subject: 'hello',
  text: 'Good morning.',
}
let storage: Storage

beforeAll(async () => {
  storage = await postgresStorage(SERVER)
})
afterAll(async () => storage[Symbol.asyncDispose]())

/** Twenty requests of one key over two replicas, with a daily limit. */
async function twenty(limit: string) {
  const env = { ...TEST_ENVIRONMENT, EMAIL_SMTP_URL: 'smtps://relay.example', EMAIL_DAILY_LIMIT: limit }
  const planes = [1, 2].map(() => createControlPlane({ config: readConfig(env), storage, threads: false }))
  const [plane] = planes
  if (plane === undefined) throw new Error('no plane')
  const { id: owner } = (await plane.licenses.issue({})).license
  await verifiedDomain(plane, owner, 'mail.example.com')
  const request = { owner, fields: FIELDS, idempotencyKey: 'order-42' }
  const sends = Array.from({ length: 20 }, (_, at) => (planes[at % 2] ?? plane).emails.sending.send(request))
  const answers = await Promise.all(sends)
  return { plane, owner, answers, messages: (await plane.emails.list({ owner, limit: 100 })).messages }
}

it.each(['1000', '1'])(
  'twenty requests of one Idempotency-Key are one message and one answer, of %s recipients a day',
  async (limit) => {
    const { plane, owner, answers, messages } = await twenty(limit)
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
    expect(messages.map(({ id }) => id)).toEqual([answers[0]?.id])
    const next = plane.emails.sending.send({ owner, fields: FIELDS })
    if (limit === '1') await expect(next).rejects.toMatchObject({ code: 'email-quota' })
    else await next
  },
)
