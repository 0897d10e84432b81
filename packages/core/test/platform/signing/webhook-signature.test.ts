import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { newWebhookSecret, webhookHeaders } from '../../../src/platform/signing/webhook-signature.ts'

describe('webhook signatures', () => {
  it('are those of the reference implementation, for any message and secret', () => {
    const message = fc.record({
      id: fc.stringMatching(/^msg_[0-9a-z]{1,26}$/),
      at: fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }),
      body: fc.string({ unit: 'grapheme' }),
      secret: fc
        .uint8Array({ minLength: 24, maxLength: 64 })
        .map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`),
    })
    fc.assert(
      fc.property(message, ({ id, at, body, secret }) => {
        const headers = webhookHeaders({ id, at, body, secrets: [secret] })
        expect(headers['webhook-signature']).toBe(new Webhook(secret).sign(id, at, body))
        expect(headers['webhook-timestamp']).toBe(String(Math.floor(at.getTime() / 1000)))
      }),
    )
  })

  it('a new secret is whsec_ and 32 bytes in base64', () => {
    const secret = newWebhookSecret((bytes) => Buffer.alloc(bytes, 0xff).toString('base64url'))
    expect(secret).toBe(`whsec_${Buffer.alloc(32, 0xff).toString('base64')}`)
  })
})
