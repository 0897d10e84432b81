import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type { ChatEvent } from '@svc/core/ports'
import {
  chunk,
  type ModelServer,
  modelServer,
  saying,
  streamed,
} from '../../../../../../test/support/model-server.ts'
import { HttpLanguageModel } from '../../../../src/outside/language-model/language-model-http.ts'
import { ask, begin, chatScene, textOf } from '../chat-scene.ts'

const KEY = 'not-a-key-0123456789abcdef'
const PROMPT = { turns: [{ role: 'user', content: 'hello' }], maxTokens: 500 } as const
const last = <T>(list: readonly T[]) => list.at(-1)

let server: ModelServer
beforeEach(async () => {
  server = await modelServer()
})
afterEach(async () => server[Symbol.asyncDispose]())

const scene = () => chatScene({ env: { LLM_API_KEY: KEY, LLM_BASE_URL: server.url, LLM_MODEL: 'small-one' } })

async function said(): Promise<string[]> {
  const model = new HttpLanguageModel({ apiKey: KEY, baseUrl: `${server.url}/` })
  const parts: string[] = []
  for await (const part of model.answer(PROMPT, new AbortController().signal)) parts.push(part)
  return parts
}

describe('the wire to the model', () => {
  it('is a streamed chat completion with the key as bearer', async () => {
    server.answer(saying('Run ', 'the ', 'installer.'))
    expect(await said()).toEqual(['Run ', 'the ', 'installer.'])
    const [request] = server.seen
    expect(request?.url).toBe('/v1/chat/completions')
    expect(request?.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
    })
    expect(request?.body).toEqual({
      model: 'gpt-4o-mini',
      messages: PROMPT.turns,
      max_tokens: 500,
      temperature: 0.2,
      stream: true,
    })
  })

  it('is read however it is cut, in bytes', async () => {
    server.answer(async (response) => {
      streamed(response)
      for (const byte of Buffer.from(`${chunk('Grüße, ')}${chunk('你好 😀')}data: [DONE]\n\n`)) {
        response.write(Buffer.of(byte))
        await turn()
      }
      response.end()
    })
    expect((await said()).join('')).toBe('Grüße, 你好 😀')
  })

  it.each([
    ['an answer without an end', 'broken-off', (response) => streamed(response).end(chunk('Half'))],
    [
      'a cut connection',
      'broken-off',
      (response) => streamed(response).write(chunk('Half'), () => response.destroy()),
    ],
    ['too few tokens', 'broken-off', (response) => streamed(response).end(chunk('Half', 'length'))],
    ['a filtered answer', 'broken-off', (response) => streamed(response).end(chunk('', 'content_filter'))],
    ['429', 'busy', (response) => response.writeHead(429, { 'retry-after': '9' }).end('{"error":{}}')],
    ['401', 'refused', (response) => response.writeHead(401).end('{"error":{"message":"bad key"}}')],
    ['500', 'refused', (response) => response.writeHead(500).end()],
    [
      'a redirect',
      'refused',
      (response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
    ],
    [
      'a page',
      'unreadable',
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hi'),
    ],
    [
      'plain JSON',
      'unreadable',
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
    ],
    ['garbage in the stream', 'unreadable', (response) => streamed(response).end('data: {"choi\n\n')],
    ['a number', 'unreadable', (response) => streamed(response).end('data: 7\n\n')],
    ['no choices', 'unreadable', (response) => streamed(response).end('data: {"ok":true}\n\n')],
    [
      'text that is none',
      'unreadable',
      (response) => streamed(response).end('data: {"choices":[{"delta":{"content":7}}]}\n\n'),
    ],
    [
      'an error in the stream',
      'refused',
      (response) => streamed(response).end('data: {"error":{"message":"x"}}\n\n'),
    ],
    ['an endless line', 'unreadable', (response) => streamed(response).end(`data: ${'x'.repeat(200_000)}`)],
  ] as [string, string, Parameters<ModelServer['answer']>[0]][])(
    '%s is a failure: %s',
    async (_what, reason, how) => {
      server.answer(how)
      await expect(said()).rejects.toMatchObject({ name: 'ModelFailure', reason })
    },
  )

  it('nobody there is a failure, and neither key nor prompt is in it', async () => {
    const { url } = server
    await server[Symbol.asyncDispose]()
    const model = new HttpLanguageModel({ apiKey: KEY, baseUrl: url })
    const failure = await model
      .answer(PROMPT, new AbortController().signal)
      .next()
      .catch((error) => error)
    expect(failure).toMatchObject({ reason: 'refused' })
    expect(`${failure.stack} ${failure.message}`).not.toContain(KEY)
    server = await modelServer()
  })
})

describe('a conversation over it', () => {
  it('streams what the model says', async () => {
    await using test = scene()
    server.answer(saying('Download ', 'the agent ', 'and run it.'))
    const events = await ask(test.plane)
    expect(textOf(events)).toBe('Download the agent and run it.')
    expect(last(events)).toMatchObject({ engine: 'llm', sources: [{ title: 'Install the agent' }, {}] })
    expect(server.seen[0]?.body).toMatchObject({ model: 'small-one', max_tokens: 500 })
  })

  it.each([
    ['429', (response) => response.writeHead(429).end()],
    ['garbage', (response) => streamed(response).end('data: <<<>>>\n\n')],
    [
      'death before the first words',
      (response) => streamed(response).write(': hi\n\n', () => response.destroy()),
    ],
  ] as [string, Parameters<ModelServer['answer']>[0]][])(
    'falls back to the documents on %s',
    async (_what, how) => {
      await using test = scene()
      server.answer(how)
      const events = await ask(test.plane)
      expect(last(events)).toMatchObject({ engine: 'canned' })
      expect(events.filter(({ type }) => type === 'meta')).toHaveLength(1)
      expect(test.log.text()).not.toContain(KEY)
    },
  )

  it('falls back when the first words are late, and hangs up', async () => {
    await using test = scene()
    server.answer(streamed)
    const answer = ask(test.plane)
    await test.timers.begun()
    while (server.seen.length === 0) await turn()
    await test.timers.advance({ seconds: 10 })
    expect(last(await answer)).toMatchObject({ engine: 'canned' })
    while (server.left === 0) await turn()
  })

  it('keeps what was said when the model dies in the middle', async () => {
    await using test = scene()
    server.answer((response) =>
      streamed(response).write(chunk('Download the agent and r'), () => response.destroy()),
    )
    const events = await ask(test.plane)
    expect(textOf(events)).toBe('Download the agent and ')
    expect(last(events)).toMatchObject({ engine: 'llm', truncated: true })
  })

  it('ends a model that never ends', async () => {
    await using test = scene()
    server.answer((response) => {
      streamed(response)
      const more = () => response.write(chunk('and so on '), () => response.destroyed || setImmediate(more))
      more()
    })
    const events = await ask(test.plane)
    expect(last(events)).toMatchObject({ engine: 'llm', truncated: true })
    expect(textOf(events).length).toBeLessThanOrEqual(8000)
    while (server.left === 0) await turn()
  })

  it('Ends a model that drips for ever after a minute, though every word comes in time', async () => {
    await using test = scene()
    let drip = (): unknown => undefined
    server.answer((response) => {
      streamed(response)
      drip = () => response.write(chunk('and so on '))
    })
    const events = await begin(test.plane)
    await events.next()
    const heard: ChatEvent[] = []
    let next = events.next()
    while (server.seen.length === 0) await turn()
    // After each word four seconds of the fake clock pass, so the time limit needs no real time.
    while (last(heard)?.type !== 'done' && heard.length < 30) {
      drip()
      heard.push((await next).value as ChatEvent)
      next = events.next()
      await test.timers.advance({ seconds: 4 })
    }
    expect(last(heard)).toMatchObject({ type: 'done', engine: 'llm', truncated: true })
    // The fifteenth word came after 56 s.
    expect(heard.filter(({ type }) => type === 'delta')).toHaveLength(15)
    while (server.left === 0) await turn()
    expect(await test.plane.metrics.exposition()).toContain('svc_chat_model_failures_total{reason="slow"} 1')
  })

  it('Does not wait for a model that drips signs of life for ever and says nothing', async () => {
    await using test = scene()
    server.answer((response) => {
      streamed(response)
      const more = () => response.write(': alive\n\n', () => response.destroyed || setImmediate(more))
      more()
    })
    const answer = ask(test.plane)
    while (server.seen.length === 0) await turn()
    await test.timers.begun()
    await test.timers.advance({ seconds: 10 })
    expect(last(await answer)).toMatchObject({ engine: 'canned' })
    while (server.left === 0) await turn()
  })

  it('hangs up when the visitor leaves', async () => {
    await using test = scene()
    server.answer((response) => streamed(response).write(chunk('Download the agent ')))
    const leaving = new AbortController()
    const events = await begin(test.plane, {}, leaving.signal)
    await events.next()
    expect((await events.next()).value).toMatchObject({ type: 'delta' })
    const rest = events.next()
    leaving.abort()
    expect((await rest).done).toBe(true)
    while (server.left === 0) await turn()
    const [conversation] = await test.plane.chat.list(false, 1)
    expect(conversation?.messages).toBe(1)
  })

  it('does without a model when its settings are bad or its key is unset', async () => {
    for (const env of [{ LLM_API_KEY: KEY, LLM_BASE_URL: 'nonsense' }, { LLM_BASE_URL: server.url }]) {
      await using test = chatScene({ env })
      expect(last(await ask(test.plane))).toMatchObject({ engine: 'canned' })
    }
    expect(server.seen).toEqual([])
  })
})
