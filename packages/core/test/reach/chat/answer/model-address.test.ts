import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { operatorOutbound } from '@svc/core/ports'
import {
  chunk,
  type ModelServer,
  modelServer,
  streamed,
} from '../../../../../../test/support/model-server.ts'
import { HttpLanguageModel } from '../../../../src/outside/language-model/language-model-http.ts'
import { ScriptedResolver } from '../../../platform/net/scripted-resolver.ts'
import { ask, chatScene, textOf } from '../chat-scene.ts'

const KEY = 'not-a-key-0123456789abcdef'
const PROMPT = { turns: [{ role: 'user', content: 'hello' }], maxTokens: 500 } as const

let server: ModelServer
beforeEach(async () => {
  server = await modelServer()
})
afterEach(async () => server[Symbol.asyncDispose]())

async function said(model: HttpLanguageModel): Promise<string> {
  const parts: string[] = []
  for await (const part of model.answer(PROMPT, new AbortController().signal)) parts.push(part)
  return parts.join('')
}

describe('the address of the model', () => {
  it('is asked for with each question, and never called when it turned into the metadata service', async () => {
    const resolver = new ScriptedResolver({ 'model.example': [['127.0.0.1'], ['169.254.169.254']] })
    await using outbound = operatorOutbound({ resolver })
    const baseUrl = server.url.replace('127.0.0.1', 'model.example')
    const model = new HttpLanguageModel({ apiKey: KEY, baseUrl, outbound })
    expect(await said(model)).toBe('Run the installer.')
    await expect(said(model)).rejects.toMatchObject({ reason: 'refused', cause: { code: 'not-public' } })
    expect(server.seen).toHaveLength(1)
  })

  it('is not changed by a redirect: neither key nor question go on', async () => {
    await using other = await modelServer()
    server.answer((response) => response.writeHead(307, { location: `${other.url}/chat/completions` }).end())
    const model = new HttpLanguageModel({ apiKey: KEY, baseUrl: server.url })
    await expect(said(model)).rejects.toMatchObject({ reason: 'refused', cause: { code: 'redirect' } })
    expect(other.seen).toEqual([])
  })

  it('may be a name of this machine', async () => {
    const model = new HttpLanguageModel({
      apiKey: KEY,
      baseUrl: server.url.replace('127.0.0.1', 'localhost'),
    })
    expect(await said(model)).toBe('Run the installer.')
  })
})

describe('an answer of the model', () => {
  it('is broken off at the cap of its bytes', async () => {
    server.answer((response) => {
      streamed(response)
      const more = () =>
        response.write(`: ${'x'.repeat(1_000)}\n`, () => response.destroyed || setImmediate(more))
      response.write(chunk('Half'))
      more()
    })
    await using outbound = operatorOutbound({ limits: { maxBytes: 50_000 } })
    const model = new HttpLanguageModel({ apiKey: KEY, baseUrl: server.url, outbound })
    await expect(said(model)).rejects.toMatchObject({ reason: 'broken-off', cause: { refusal: 'too-large' } })
  })
})

describe('a metadata address that the operator has set', () => {
  const env = { LLM_API_KEY: KEY, LLM_BASE_URL: 'http://169.254.169.254/v1/s3cret' }

  it('leaves the chat to the documents, and the log tells why', async () => {
    await using test = chatScene({ env })
    const events = await ask(test.plane)
    expect(events.at(-1)).toMatchObject({ engine: 'canned' })
    expect(textOf(events)).not.toBe('')
    expect(test.log.lines).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ fields: expect.objectContaining({ refusal: 'not-public' }) }),
        expect.objectContaining({
          fields: expect.objectContaining({ reason: 'refused', code: 'not-public' }),
        }),
      ]),
    )
    expect(test.log.text()).not.toMatch(/s3cret|169\.254|not-a-key/)
  })
})
