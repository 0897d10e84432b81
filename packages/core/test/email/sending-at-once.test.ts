// Requests at once, over two replicas on one PostgreSQL: a fake takes one after the other.
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { createControlPlane, readConfig, type Storage } from '@svc/core'
import { postgresStorage, TEST_ENVIRONMENT } from '@svc/testing'
import { verifiedDomain } from '../../../../test/support/sending-domain.ts'
import { SERVER } from '../storage/backends.ts'

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

it('twenty requests of one Idempotency-Key are one message, one answer and one recipient of the day', async () => {
  const env = { ...TEST_ENVIRONMENT, EMAIL_SMTP_URL: 'smtps://relay.example', EMAIL_DAILY_LIMIT: '1' }
  const planes = [1, 2].map(() => createControlPlane({ config: readConfig(env), storage, threads: false }))
  const [plane] = planes
  if (plane === undefined) throw new Error('no plane')
  const { license } = await plane.licenses.issue({})
  const owner = license.id
  await verifiedDomain(plane, owner, 'mail.example.com')
  const request = { owner, fields: FIELDS, idempotencyKey: 'order-42' }
  const sends = Array.from({ length: 20 }, (_, at) => (planes[at % 2] ?? plane).emails.sending.send(request))
  const answers = await Promise.all(sends)
  expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
  const { messages } = await plane.emails.list({ owner, limit: 100 })
  expect(messages.map(({ id }) => id)).toEqual([answers[0]?.id])
  expect((await storage.deliveries.counts('email', undefined)).remaining).toBe(1)
  await expect(plane.emails.sending.send({ owner, fields: FIELDS })).rejects.toMatchObject({
    code: 'email-quota',
  })
})
