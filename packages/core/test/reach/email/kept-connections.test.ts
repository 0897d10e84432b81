import { afterEach, describe, expect, it } from '@jest/globals'
import type { SMTPServerOptions } from 'smtp-server'
import { type LoopbackSmtp, loopbackSmtp } from '../../../../../test/support/smtp-server.ts'
import { SmtpRelay } from '../../../src/outside/smtp/mail-relay-smtp.ts'

describe('connections to the relay', () => {
  let relay: LoopbackSmtp
  afterEach(async () => relay[Symbol.asyncDispose]())

  async function opened(options: SMTPServerOptions = {}) {
    relay = await loopbackSmtp(options)
    const own = new SmtpRelay({ url: relay.url, plaintext: true })
    let begun = 0
    const send = async (to: string) => {
      const { status, ...more } = await own.send({
        envelope: { from: 'ann@acme.example', to: [to] },
        bytes: Buffer.from(`To: ${to}\r\n\r\nGood morning.\r\n`),
        signal: AbortSignal.timeout(10_000),
        started: async () => {
          begun += 1
        },
      })
      return 'replies' in more ? more.replies.get(to)?.code : status
    }
    return { send, begun: () => begun, arrived: () => relay.received.map(({ to }) => to[0]) }
  }

  it('are kept for the next message, as many as messages are sent at once', async () => {
    const { send, arrived } = await opened()
    for (const to of ['a@x.example', 'b@x.example', 'c@x.example']) expect(await send(to)).toBe(250)
    expect(relay.seen.connections).toBe(1)
    await Promise.all(Array.from({ length: 5 }, (_, n) => send(`${n}@x.example`)))
    await Promise.all(Array.from({ length: 5 }, (_, n) => send(`again-${n}@x.example`)))
    expect(relay.seen.connections).toBe(5)
    expect(new Set(arrived()).size).toBe(13)
  })

  it('are made anew when the relay has left meanwhile: the message goes once', async () => {
    const { send, begun, arrived } = await opened()
    await send('a@x.example')
    await relay.stop()
    await relay.start()
    expect(await send('b@x.example')).toBe(250)
    expect([arrived(), begun(), relay.seen.connections]).toEqual([['a@x.example', 'b@x.example'], 2, 2])
  })

  it('are made anew when the relay says that it leaves', async () => {
    const uses = new Map<string, number>()
    const { send, arrived } = await opened({
      onMailFrom: (_address, { id }, callback) => {
        uses.set(id, (uses.get(id) ?? 0) + 1)
        const isOver = uses.get(id) === 2
        callback(isOver ? Object.assign(new Error('too many messages here'), { responseCode: 421 }) : null)
      },
    })
    for (const to of ['a@x.example', 'b@x.example', 'c@x.example']) expect(await send(to)).toBe(250)
    expect([arrived().length, relay.seen.connections]).toEqual([3, 3])
  })

  it('are not tried again once the bytes have left: nobody knows whether the message was taken', async () => {
    const { send, begun, arrived } = await opened()
    await send('a@x.example')
    relay.message = 'vanishes'
    expect(await send('b@x.example')).toBe('unknown')
    relay.message = undefined
    expect([arrived(), begun()]).toEqual([['a@x.example', 'b@x.example'], 2])
    expect(await send('c@x.example')).toBe(250)
  })

  it('end with a refusal, which is the word on that message alone', async () => {
    const { send, arrived } = await opened()
    await send('a@x.example')
    relay.message = [554, 'no thanks']
    expect(await send('b@x.example')).toBe(554)
    relay.message = undefined
    relay.recipients.set('c@x.example', [550, 'unknown'])
    expect(await send('c@x.example')).toBe(550)
    expect(await send('d@x.example')).toBe(250)
    expect(arrived()).toEqual(['a@x.example', 'd@x.example'])
  })

  it('carry a hundred messages each', async () => {
    const { send } = await opened()
    for (let n = 0; n < 101; n += 1) await send(`${n}@x.example`)
    expect(relay.seen.connections).toBe(2)
  })
})
