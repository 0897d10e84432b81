import { describe, expect, it } from '@jest/globals'
import { ModelFailure } from '@svc/core/ports'
import { ScriptedModel } from '@svc/testing'
import { NOTHING_FOUND } from '../../../src/reach/chat/answer/canned-answer.ts'
import { ask, begin, chatScene, conversationOf, textOf } from './chat-scene.ts'

const never = () => new Promise<never>(() => {})
const INSTALL = 'How do I install the agent?'
const last = <T>(list: readonly T[]) => list.at(-1)

describe('answers without a model', () => {
  it('stand on the documents, and are stored as they were said', async () => {
    await using scene = chatScene()
    const events = await ask(scene.plane, { message: INSTALL })
    expect(events[0]).toMatchObject({ type: 'meta', grounded: true, mode: 'ai' })
    expect(events.filter(({ type }) => type === 'delta').length).toBeGreaterThanOrEqual(2)
    expect(last(events)).toMatchObject({
      type: 'done',
      engine: 'canned',
      sources: [{ title: 'Install the agent' }, {}],
    })
    const { conversation, messages } = await scene.plane.chat.show(conversationOf(events), 10)
    expect(messages).toMatchObject([
      { role: 'visitor', text: INSTALL },
      { role: 'bot', engine: 'canned', text: textOf(events), truncated: false },
    ])
    expect(conversation.waitingSince).toBeUndefined()
  })

  it('admit that nothing was found, and leave the visitor waiting for a person', async () => {
    await using scene = chatScene()
    const events = await ask(scene.plane, { message: 'What is the capital of France?' })
    expect(textOf(events)).toBe(NOTHING_FOUND.join(''))
    expect(last(events)).toMatchObject({ engine: 'canned', sources: [] })
    expect((await scene.plane.chat.list(true, 10)).map(({ id }) => id)).toEqual([conversationOf(events)])
  })

  it('come without documents too: a folder that cannot be read is told to the log', async () => {
    await using scene = chatScene({ docsDir: '/nowhere/at/all' })
    const events = await ask(scene.plane)
    expect(last(events)).toMatchObject({ engine: 'canned', sources: [] })
    expect(scene.log.messages('warn')).toEqual(['chat documents cannot be read'])
  })
})

describe('answers of a model', () => {
  it('are what it says, with the sources of the search', async () => {
    const model = new ScriptedModel(['Download it ', 'and run ', 'svc agent run.'])
    await using scene = chatScene({ model })
    const events = await ask(scene.plane)
    expect(textOf(events)).toBe('Download it and run svc agent run.')
    expect(last(events)).toMatchObject({
      engine: 'llm',
      sources: [{ url: '/docs/agents#install-the-agent' }, {}],
    })
    expect(last(events)).not.toHaveProperty('truncated')
    const { messages } = await scene.plane.chat.show(conversationOf(events), 10)
    expect(messages[1]).toMatchObject({ engine: 'llm', text: 'Download it and run svc agent run.' })
  })

  it('rest on excerpts that are fenced as data, and on the last six messages', async () => {
    const model = new ScriptedModel(['Yes. '])
    await using scene = chatScene({ model })
    let conversationId: string | undefined
    for (let turn = 0; turn < 5; turn += 1) {
      conversationId = conversationOf(
        await ask(scene.plane, { message: `${INSTALL} (${turn})`, conversationId }),
      )
    }
    const { turns, maxTokens } = model.prompts.at(-1) ?? { turns: [], maxTokens: 0 }
    expect(maxTokens).toBe(500)
    expect(turns.map(({ role }) => role).join(' ')).toBe(
      'system user assistant user assistant user assistant user'.replace(
        'user assistant user assistant user assistant',
        'user assistant user assistant user assistant',
      ),
    )
    expect(turns[1]?.content).toBe(`${INSTALL} (1)`)
    expect(last(turns)?.content).toBe(`${INSTALL} (4)`)
    expect(turns[0]?.content).toMatch(
      /<<<excerpt ([\w-]{16}) 1\nInstall the agent\n[\s\S]*end of excerpt \1 1>>>/,
    )
  })

  it('without documents are short, and three in a conversation', async () => {
    const model = new ScriptedModel(['Hello! What about svc do you want to know?'])
    await using scene = chatScene({ model })
    let conversationId: string | undefined
    const engines = []
    for (let turn = 0; turn < 4; turn += 1) {
      const events = await ask(scene.plane, { message: 'hello', conversationId })
      conversationId = conversationOf(events)
      engines.push((last(events) as { engine: string }).engine)
      expect(last(events)).toMatchObject({ sources: [] })
    }
    expect(engines).toEqual(['llm', 'llm', 'llm', 'canned'])
    expect(model.prompts.map(({ maxTokens }) => maxTokens)).toEqual([120, 120, 120])
    expect(model.prompts[0]?.turns[0]?.content).not.toContain('<<<excerpt')
  })

  it('end with the day’s limit, which counts over all conversations', async () => {
    const model = new ScriptedModel()
    await using scene = chatScene({ model, env: { CHAT_LLM_DAILY_LIMIT: '2' } })
    const engine = async () => (last(await ask(scene.plane)) as { engine: string }).engine
    expect([await engine(), await engine(), await engine()]).toEqual(['llm', 'llm', 'canned'])
    scene.clock.advance({ days: 1 })
    expect(await engine()).toBe('llm')
  })

  it.each([
    ['an error', [new ModelFailure('refused')]],
    ['an error after blanks', ['  ', '\n', new ModelFailure('unreadable')]],
    ['nothing at all', []],
    ['only what is taken away', ['<script></script>', '<img src=x>']],
  ])('give way to the documents in the same stream: %s', async (_what, script) => {
    await using scene = chatScene({ model: new ScriptedModel(script) })
    const events = await ask(scene.plane)
    expect(events.filter(({ type }) => type === 'meta')).toHaveLength(1)
    expect(last(events)).toMatchObject({ type: 'done', engine: 'canned' })
    expect(last(events)).not.toHaveProperty('truncated')
    expect(textOf(events)).toContain('**Install the agent**\n\nDownload')
  })

  it('whose first words take 10 s give way to the documents', async () => {
    const model = new ScriptedModel([never()])
    await using scene = chatScene({ model })
    const answer = ask(scene.plane)
    await scene.timers.begun()
    await scene.timers.advance({ seconds: 9, ms: 900 })
    expect(model.ended).toBe(0)
    await scene.timers.advance({ ms: 200 })
    expect(last(await answer)).toMatchObject({ engine: 'canned' })
    expect(model.ended).toBe(1)
    expect(await scene.plane.metrics.exposition()).toContain('svc_chat_model_failures_total{reason="slow"} 1')
  })

  it('that break off are kept as far as they were said, and marked', async () => {
    await using scene = chatScene({
      model: new ScriptedModel(['Download the ag', new ModelFailure('broken-off')]),
    })
    const events = await ask(scene.plane)
    expect(textOf(events)).toBe('Download the ')
    expect(last(events)).toMatchObject({ engine: 'llm', truncated: true, messageId: expect.any(String) })
    const { messages } = await scene.plane.chat.show(conversationOf(events), 10)
    expect(messages[1]).toMatchObject({ text: 'Download the', truncated: true })
  })

  it('that never end are ended after a minute', async () => {
    let pause = () => never()
    const model = new ScriptedModel(Array.from({ length: 100 }, () => ['word ', () => pause()]).flat())
    await using scene = chatScene({ model })
    pause = () => scene.timers.pause(3000) as Promise<never>
    const answer = ask(scene.plane)
    await scene.timers.begun()
    await scene.timers.advance({ seconds: 61 })
    expect(last(await answer)).toMatchObject({ engine: 'llm', truncated: true })
    expect(scene.timers.waiting).toBe(0)
  })

  it('are not waited for once three in a row have failed, until 30 s have passed', async () => {
    const model = new ScriptedModel([new ModelFailure('refused')])
    await using scene = chatScene({ model })
    for (let turn = 0; turn < 5; turn += 1) await ask(scene.plane)
    expect(model.prompts).toHaveLength(3)
    await scene.timers.advance({ seconds: 30 })
    await ask(scene.plane)
    await ask(scene.plane)
    expect(model.prompts).toHaveLength(4)
    model.follow(['Fine.'])
    await scene.timers.advance({ seconds: 30 })
    expect(last(await ask(scene.plane))).toMatchObject({ engine: 'llm' })
    expect(last(await ask(scene.plane))).toMatchObject({ engine: 'llm' })
  })

  it('a fault of our own ends the stream with done, and nothing of it is shown', async () => {
    await using scene = chatScene({ model: new ScriptedModel([new TypeError('on purpose')]) })
    const events = await ask(scene.plane)
    expect(events.map(({ type }) => type)).toEqual(['meta', 'done'])
    expect(last(events)).toMatchObject({ engine: 'none', sources: [] })
    expect(scene.log.text()).not.toContain('on purpose')
  })
})

describe('a person who takes over', () => {
  const taken = async (script: ConstructorParameters<typeof ScriptedModel>[0], steps: number) => {
    const model = new ScriptedModel(script)
    const scene = chatScene({ model })
    const events = await begin(scene.plane)
    const seen = [(await events.next()).value]
    const id = conversationOf(seen.flatMap((event) => event ?? []))
    for (let step = 0; step < steps; step += 1) seen.push((await events.next()).value)
    await scene.plane.chat.take(id)
    return { scene, model, events, id, seen }
  }

  it('before the first words: there are none', async () => {
    const { scene, events, id } = await taken(['Too late.'], 0)
    const { value } = await events.next()
    expect(value).toEqual({ type: 'done', sources: [], engine: 'none' })
    expect((await scene.plane.chat.show(id, 10)).messages).toHaveLength(1)
    await scene[Symbol.asyncDispose]()
  })

  it('while the model speaks: it falls silent within a second, and nothing of it is stored', async () => {
    const { scene, model, events, id, seen } = await taken(['One. ', 'Two. ', never()], 2)
    expect(seen.slice(1)).toMatchObject([{ text: 'One. ' }, { text: 'Two. ' }])
    const rest = events.next()
    await scene.timers.advance({ seconds: 1 })
    expect((await rest).value).toEqual({ type: 'done', sources: [], engine: 'none' })
    expect(model.ended).toBe(1)
    expect((await scene.plane.chat.show(id, 10)).messages.map(({ role }) => role)).toEqual(['visitor'])
    await scene[Symbol.asyncDispose]()
  })

  it('after the last words: the answer is not stored', async () => {
    const { scene, events, id } = await taken(['All of it. '], 1)
    expect((await events.next()).value).toEqual({ type: 'done', sources: [], engine: 'none' })
    expect((await scene.plane.chat.show(id, 10)).messages).toHaveLength(1)
    await scene[Symbol.asyncDispose]()
  })

  it('gives the conversation back, and the service answers again', async () => {
    await using scene = chatScene()
    const conversationId = conversationOf(await ask(scene.plane))
    await scene.plane.chat.reply(conversationId, 'I am here.')
    expect(last(await ask(scene.plane, { conversationId }))).toMatchObject({ engine: 'none' })
    expect((await scene.plane.chat.list(true, 10)).map(({ id }) => id)).toEqual([conversationId])
    await scene.plane.chat.release(conversationId)
    expect(last(await ask(scene.plane, { conversationId }))).toMatchObject({ engine: 'canned' })
  })

  it('closes it: the next message begins another, and nobody takes it up again', async () => {
    await using scene = chatScene()
    const conversationId = conversationOf(await ask(scene.plane))
    await scene.plane.chat.close(conversationId)
    expect(conversationOf(await ask(scene.plane, { conversationId }))).not.toBe(conversationId)
    await expect(scene.plane.chat.take(conversationId)).rejects.toMatchObject({ code: 'conflict' })
    await expect(scene.plane.chat.reply(conversationId, 'x')).rejects.toMatchObject({ code: 'conflict' })
    await expect(scene.plane.chat.take('chat_none')).rejects.toMatchObject({ code: 'not-found' })
  })
})

describe('a visitor who leaves', () => {
  it('while waiting for a person makes room for the next one of their network', async () => {
    await using scene = chatScene()
    const conversationId = conversationOf(await ask(scene.plane))
    await scene.plane.chat.take(conversationId)
    const query = { conversationId, sessionId: 's1', after: undefined, network: '192.0.2.0/24' }
    for (let left = 0; left < 30; left += 1) {
      const leaving = new AbortController()
      const waiting = scene.plane.chat.replies({ ...query, waitSeconds: 25 }, leaving.signal)
      leaving.abort()
      await waiting
    }
    let isAnswered = false
    const stays = scene.plane.chat
      .replies({ ...query, waitSeconds: 25 }, new AbortController().signal)
      .finally(() => {
        isAnswered = true
      })
    await scene.timers.advance(20_000)
    expect(isAnswered).toBe(false)
    await scene.timers.advance(10_000)
    expect(await stays).toMatchObject({ mode: 'human_active' })
  })

  it.each([0, 1, 2])(
    'after %i deltas: the model is let go at once and no half answer is stored',
    async (deltas) => {
      const model = new ScriptedModel(['One. ', 'Two. ', never()])
      await using scene = chatScene({ model })
      const leaving = new AbortController()
      const events = await begin(scene.plane, {}, leaving.signal)
      const meta = (await events.next()).value
      for (let seen = 0; seen < deltas; seen += 1) await events.next()
      const rest = events.next()
      if (deltas === 0) await rest
      leaving.abort()
      await rest
      const after = await events.next()
      expect(after.done).toBe(true)
      expect(model.ended).toBe(1)
      await scene.timers.advance({ seconds: 20 })
      const { messages } = await scene.plane.chat.show(conversationOf(meta === undefined ? [] : [meta]), 10)
      expect(messages.map(({ role }) => role)).toEqual(['visitor'])
      expect(scene.timers.waiting).toBe(0)
    },
  )
})

describe('conversations', () => {
  it('one that is unknown, old or of another session silently becomes a new one', async () => {
    await using scene = chatScene({ env: { CHAT_RETENTION_DAYS: '30' } })
    const first = conversationOf(await ask(scene.plane))
    expect(conversationOf(await ask(scene.plane, { conversationId: first }))).toBe(first)
    const others = [
      { conversationId: 'chat_00000000000000000000000000' },
      { conversationId: '\0' },
      { conversationId: first, sessionId: 's2' },
      { conversationId: first, sessionId: undefined },
    ]
    for (const fields of others) expect(conversationOf(await ask(scene.plane, fields))).not.toBe(first)
    scene.clock.advance({ days: 30 })
    expect(conversationOf(await ask(scene.plane, { conversationId: first }))).not.toBe(first)
  })

  it('sessions are told apart by their first 128 characters', async () => {
    await using scene = chatScene()
    const first = conversationOf(await ask(scene.plane, { sessionId: `${'x'.repeat(128)}one` }))
    const more = await ask(scene.plane, { sessionId: `${'x'.repeat(128)}two`, conversationId: first })
    expect(conversationOf(more)).toBe(first)
  })

  it('are removed when nobody has spoken for the days of retention, and the tick counts every row', async () => {
    await using scene = chatScene({ env: { CHAT_RETENTION_DAYS: '7' } })
    for (let count = 0; count < 3; count += 1) await ask(scene.plane)
    scene.clock.advance({ days: 6, hours: 23 })
    expect(await scene.plane.chat.purge()).toBe(0)
    scene.clock.advance({ hours: 1 })
    expect(await scene.plane.scheduler.tick()).toMatchObject({ purgedChats: 9 })
    expect(await scene.plane.chat.list(false, 10)).toEqual([])
  })

  it('are kept while the settings of the chat are bad: the days may have been meant longer', async () => {
    await using scene = chatScene({ env: { CHAT_RETENTION_DAYS: '10 years' } })
    await ask(scene.plane)
    scene.clock.advance({ days: 400 })
    expect(await scene.plane.scheduler.tick()).toMatchObject({ purgedChats: 0 })
    expect(await scene.plane.chat.list(false, 10)).toHaveLength(1)
  })

  it('are counted by who answered', async () => {
    await using scene = chatScene()
    const conversationId = conversationOf(await ask(scene.plane))
    await scene.plane.chat.take(conversationId)
    await ask(scene.plane, { conversationId })
    const exposition = await scene.plane.metrics.exposition()
    expect(exposition).toContain('svc_chat_answers_total{engine="canned"} 1')
    expect(exposition).toContain('svc_chat_answers_total{engine="none"} 1')
    expect(exposition).toContain('svc_chat_answers_total{engine="llm"} 0')
  })
})
