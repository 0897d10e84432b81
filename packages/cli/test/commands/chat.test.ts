import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { docsFolder } from '../../src/shipped.ts'
import { CliBench } from '../support/cli-bench.ts'

let bench: CliBench
let id: string

beforeEach(async () => {
  bench = await CliBench.open()
  id = await said('Is anybody there?')
})
afterEach(() => bench[Symbol.asyncDispose]())

async function said(message: string, conversationId?: string): Promise<string> {
  const incoming = {
    conversationId,
    sessionId: 's',
    message,
    category: 'bug' as const,
    contact: 'ada@example.com',
  }
  const events = await bench.plane.chat.converse(incoming, new AbortController().signal)
  let conversation = ''
  for await (const event of events ?? []) if (event.type === 'meta') conversation = event.conversationId
  return conversation
}

describe('svc chat', () => {
  test('list shows who waits and for how long, and show what was said', async () => {
    bench.clock.advance({ minutes: 3 })
    const listed = await bench.run('chat', 'list', '--waiting')
    expect(listed.out.text).toMatch(new RegExp(`${id} +service +3m ago +2 +bug +3m ago`))
    expect(listed.err.text).toContain(`svc chat show ${id}`)
    const shown = await bench.run('chat', 'show', id)
    expect(shown.out.text).toMatch(/contact +ada@example\.com/)
    expect(shown.out.text).toContain('visitor, 3m ago\n  Is anybody there?\n')
    expect(shown.out.text).toContain('service, 3m ago (canned)\n  I found nothing about this')
    expect(await bench.json('chat', 'show', id, '--limit', '1')).toMatchObject({
      conversation: { id, mode: 'ai', messages: 2 },
      messages: [{ role: 'bot' }],
    })
  })

  test('a text that commands a terminal is shown and not obeyed', async () => {
    await said('\u001b]0;evil\u0007\u001b[2Jhello', id)
    const { text } = (await bench.run('chat', 'show', id)).out
    expect(text).toContain('hello')
    expect(text).not.toContain('\u001b')
    expect(text).not.toContain('\u0007')
  })

  test('reply takes over and reaches the visitor, release gives back, close ends', async () => {
    expect(await bench.json('chat', 'reply', id, 'I am here.')).toMatchObject({
      conversation: { id, mode: 'human_active' },
    })
    const query = { conversationId: id, sessionId: 's', after: undefined, waitSeconds: 0, network: 'local' }
    const { messages } = await bench.plane.chat.replies(query, new AbortController().signal)
    expect(messages.map(({ text }) => text)).toEqual(['I am here.'])
    expect((await bench.run('chat', 'list', '--waiting')).err.text).toContain('Nobody waits.')
    expect(await bench.json('chat', 'release', id)).toMatchObject({ conversation: { mode: 'ai' } })
    expect(await bench.json('chat', 'take', id)).toMatchObject({ conversation: { mode: 'human_active' } })
    expect(await bench.json('chat', 'close', id)).toMatchObject({ conversation: { mode: 'closed' } })
    expect(await bench.run('chat', 'reply', id, 'too late')).toMatchObject({ exitCode: 1 })
  })

  test('a conversation that is not there is exit code 5, an empty reply is refused', async () => {
    expect(await bench.run('chat', 'show', 'chat_none')).toMatchObject({ exitCode: 5 })
    expect(await bench.run('chat', 'take', 'chat_none')).toMatchObject({ exitCode: 5 })
    expect((await bench.run('chat', 'reply', id, ' ')).exitCode).not.toBe(0)
  })

  test('ask says what the documents cover, and where there are none', async () => {
    const asked = await bench.run('chat', 'ask', 'install the agent')
    expect(asked.out.text).toContain('not grounded: 0 % of install, agent covered')
    expect(asked.err.text).toContain('CHAT_CONTENT_DIR')
    expect(await bench.json('chat', 'list')).toMatchObject({ conversations: [{ id }] })
  })

  test('changes are in the audit log, without the secrets of a reply', async () => {
    await bench.run('chat', 'reply', id, 'your password is hunter2x')
    const { audit } = await bench.json('audit', 'list')
    expect(audit).toMatchObject([{ operation: 'chat.reply', outcome: 'ok', input: { conversation: id } }])
    expect(JSON.stringify(audit)).not.toContain('hunter2x')
  })

  test('the documentation is found beside the sources', () => {
    expect(docsFolder()).toMatch(/\/docs\/?$/)
  })
})
