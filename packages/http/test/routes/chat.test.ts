import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type { Environment } from '@svc/core'
import { ScriptedModel } from '@svc/testing'
import { chatPost, eventsOf, openChat, type ServedChat, servedChat } from '../support/chat-scene.ts'

let chat: ServedChat
const serve = async (env: Environment = {}, model?: ScriptedModel) => {
  await chat?.[Symbol.asyncDispose]()
  chat = await servedChat(env, model === undefined ? {} : { languageModel: model })
}
beforeEach(() => serve())
afterEach(() => chat[Symbol.asyncDispose]())

const ORIGIN = 'https://svc.example'
const never = () => new Promise<never>(() => {})

describe('POST /api/chat', () => {
  it('streams one meta, the answer in parts, and one done with its sources', async () => {
    const answer = await chat.send(chatPost({ message: 'How do I install the agent?' }))
    expect(answer.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      vary: 'Origin',
    })
    const frames = answer.text.split('\n\n')
    expect(frames.at(-1)).toBe('')
    expect(frames.slice(0, -1).every((frame) => /^data: \{[^\n]*\}$/.test(frame))).toBe(true)
    const { events } = await chat.say()
    expect(events.map(({ type }) => type)).toEqual(['meta', 'delta', 'delta', 'delta', 'done'])
    const [meta] = events
    expect(meta).toEqual({ type: 'meta', conversationId: meta?.conversationId, grounded: true, mode: 'ai' })
    expect(meta?.conversationId).toMatch(/^chat_[0-9a-z]{26}$/)
    expect(events.at(-1)).toEqual({
      type: 'done',
      engine: 'canned',
      messageId: expect.stringMatching(/^msg_[0-9a-z]{26}$/),
      sources: [
        { title: 'Install the agent', url: '/docs/agents#install-the-agent' },
        { title: 'Agents', url: '/docs/agents' },
      ],
    })
  })

  it.each([{}, { message: '' }, { message: '  \n\t ' }, { message: '\u200b \ufeff' }])(
    'an empty message is refused: %j',
    async (body) => {
      const answer = await chat.send(chatPost(body))
      expect(answer).toMatchObject({ status: 400, body: { error: 'Empty message' } })
    },
  )

  it('an empty body is an empty message, a broken one is told apart', async () => {
    expect(await chat.send(chatPost(''))).toMatchObject({ status: 400, body: { error: 'Empty message' } })
    expect(await chat.send(chatPost('{'))).toMatchObject({
      status: 400,
      body: { error: 'invalid JSON body' },
    })
  })

  it.each([
    [{ message: 1 }, 'message: '],
    [{ message: 'x'.repeat(8001) }, 'message: '],
    [{ message: 'x', conversationId: 'x'.repeat(129) }, 'conversationId: '],
    [{ message: 'x', sessionId: 'x'.repeat(257) }, 'sessionId: '],
    [{ message: 'x', sessionId: null }, 'sessionId: '],
    [{ message: 'x', category: 'spam' }, 'category: '],
    [{ message: 'x', contact: 'x'.repeat(1001) }, 'contact: '],
    [{ message: 'x', contact: 7 }, 'contact: '],
  ])('a field outside its bounds is refused by name', async (body, prefix) => {
    const { status, body: refused } = await chat.send(chatPost(body))
    expect(status).toBe(400)
    expect(refused).toMatchObject({ error: 'invalid request body' })
    expect((refused as { details: string[] }).details).toEqual([expect.stringContaining(prefix)])
  })

  it('fields at their bounds pass, contact may be null, unknown keys are ignored', async () => {
    const body = {
      message: 'é'.repeat(8000),
      conversationId: 'x'.repeat(128),
      sessionId: 'y'.repeat(256),
      category: 'bug',
      contact: null,
      further: [1],
    }
    const { status, events } = await chat.say(body)
    expect(status).toBe(200)
    const id = String(events[0]?.conversationId)
    const { conversation, messages } = await chat.plane.chat.show(id, 10)
    expect(conversation).toMatchObject({ sessionId: 'y'.repeat(128), category: 'bug', contact: undefined })
    expect(messages[0]?.text).toBe('é'.repeat(4000))
  })

  it('the longest fields pass when every character of them is escaped, as some encoders do', async () => {
    const escaped = (characters: number) => '\\u00e9'.repeat(characters)
    const body = `{"message":"${escaped(8000)}","contact":"${escaped(1000)}","sessionId":"${escaped(256)}","conversationId":"${escaped(128)}"}`
    expect(body.length).toBeGreaterThan(56_000)
    expect(await chat.send(chatPost(body))).toMatchObject({ status: 200 })
  })

  it('a body over 64 KiB is refused', async () => {
    const answer = await chat.send(chatPost({ message: 'x', junk: 'x'.repeat(66_000) }))
    expect(answer).toMatchObject({ status: 413, body: { error: 'payload too large' } })
  })

  it('a conversation goes on with its id and session', async () => {
    const first = await chat.say({ message: 'How do I install the agent?', sessionId: 's' })
    const conversationId = first.events[0]?.conversationId
    const second = await chat.say({ message: 'and backups?', sessionId: 's', conversationId })
    expect(second.events[0]?.conversationId).toBe(conversationId)
    for (const body of [{ sessionId: 't' }, {}, { sessionId: 's', conversationId: 'chat_none' }]) {
      const other = await chat.say({ message: 'and backups?', conversationId, ...body })
      expect(other.status).toBe(200)
      expect(other.events[0]?.conversationId).not.toBe(conversationId)
    }
  })

  it('methods come before the origin, the origin before limits, limits before the body', async () => {
    await serve({ CHAT_RATE_LIMIT: '1' })
    const foreign = { origin: 'https://evil.test' }
    const put = await chat.send({ ...chatPost('{', foreign), method: 'PUT' })
    expect(put).toMatchObject({ status: 405, headers: { allow: 'POST, GET, HEAD, OPTIONS' } })
    for (let round = 0; round < 3; round += 1) {
      expect(await chat.send(chatPost('{', foreign))).toMatchObject({
        status: 403,
        body: { error: 'forbidden' },
      })
    }
    expect(await chat.send(chatPost('{'))).toMatchObject({ status: 400 })
    const limited = await chat.send(chatPost('{'))
    expect(limited).toMatchObject({ status: 429, headers: { 'retry-after': '60' } })
  })

  it('an address is limited by itself, and all together', async () => {
    await serve({ CHAT_RATE_LIMIT: '2', CHAT_GLOBAL_RATE_LIMIT: '3' })
    const from = (address: string) => ({ 'x-forwarded-for': address })
    const status = async (address: string) => (await chat.say(undefined, from(address))).status
    expect([await status('1.1.1.1'), await status('1.1.1.1'), await status('1.1.1.1')]).toEqual([
      200, 200, 429,
    ])
    expect([await status('2.2.2.2'), await status('3.3.3.3')]).toEqual([200, 429])
    chat.clock.advance({ minutes: 1 })
    expect(await status('3.3.3.3')).toBe(200)
  })

  it('without other settings 15 messages a minute pass from one address', async () => {
    const statuses = []
    for (let round = 0; round < 16; round += 1) statuses.push((await chat.send(chatPost({}))).status)
    expect(statuses.filter((status) => status === 400)).toHaveLength(15)
    expect(statuses.at(-1)).toBe(429)
  })

  it('bad settings of the chat close it', async () => {
    await serve({ CHAT_RATE_LIMIT: 'many' })
    expect(await chat.send(chatPost({ message: 'x' }))).toMatchObject({ status: 503 })
  })

  it('a person who has taken over silences the service: meta, then done', async () => {
    const first = await chat.say({ message: 'hello there', sessionId: 's' })
    const conversationId = String(first.events[0]?.conversationId)
    await chat.plane.chat.take(conversationId)
    const { events } = await chat.say({ message: 'anybody?', sessionId: 's', conversationId })
    expect(events).toEqual([
      { type: 'meta', conversationId, grounded: false, mode: 'human_active' },
      { type: 'done', sources: [], engine: 'none' },
    ])
    const { messages } = await chat.plane.chat.show(conversationId, 10)
    expect(messages.at(-1)).toMatchObject({ role: 'visitor', text: 'anybody?' })
  })

  const later = () => chat.timers.pause(300)
  it.each([
    ['that thinks', () => [never()]],
    ['that goes on speaking', () => Array.from({ length: 50 }, () => ['and on ', later]).flat()],
  ])(
    'A person who takes over while the answer streams ends it within a second: a model %s',
    async (_what, goOn) => {
      const model = new ScriptedModel(['First. ', 'Second. ', ...goOn()])
      await serve({}, model)
      const open = await openChat(chat.port, { message: 'How do I install the agent?', sessionId: 's' })
      await open.until('"delta"')
      const [{ id } = { id: '' }] = await chat.plane.chat.list(false, 1)
      await chat.plane.operations.run('chat.take', { conversation: id }, 'ada')
      const before = eventsOf(open.text()).events.length
      await chat.timers.advance({ seconds: 1 })
      await open.ended
      const { events, said } = eventsOf(open.text())
      expect(said).toMatch(/^First\. /)
      expect(events.map(({ type }) => type).filter((type) => type !== 'delta')).toEqual(['meta', 'done'])
      expect(events.at(-1)).toEqual({ type: 'done', sources: [], engine: 'none' })
      expect(events.length).toBeGreaterThan(before)
      expect(model.ended).toBe(1)
      const { conversation, messages } = await chat.plane.chat.show(id, 10)
      expect(conversation.mode).toBe('human_active')
      expect(messages.map(({ role }) => role)).toEqual(['visitor'])
    },
  )

  it('a comment goes out every 15 s while an answer takes its time', async () => {
    const later = () => chat.timers.pause(9000)
    await serve({}, new ScriptedModel(['Wait ', later, 'a ', later, 'while ', later, 'please.']))
    const open = await openChat(chat.port, { message: 'How do I install the agent?' })
    await open.until('Wait ')
    await chat.timers.advance({ seconds: 14 })
    expect(open.text()).not.toContain(': ping')
    await chat.timers.advance({ seconds: 2 })
    await open.until(': ping\n\n')
    await chat.timers.advance({ seconds: 12 })
    await open.until('"done"')
    expect(open.text().match(/: ping/g)).toHaveLength(1)
  })

  it('who leaves takes the call to the model along, and no half answer is stored', async () => {
    const model = new ScriptedModel(['Run the installer. ', 'And then ', never()])
    await serve({}, model)
    const open = await openChat(chat.port, { message: 'How do I install the agent?', sessionId: 's' })
    await open.until('And then')
    const [{ id } = { id: '' }] = await chat.plane.chat.list(false, 1)
    open.leave()
    while (model.ended === 0) await new Promise((resolve) => setImmediate(resolve))
    await chat.timers.advance({ seconds: 2 })
    expect((await chat.plane.chat.show(id, 10)).messages.map(({ role }) => role)).toEqual(['visitor'])
    expect(chat.timers.waiting).toBe(0)
  })
})

describe('origins', () => {
  const post = (origin: string) => chat.send(chatPost({ message: 'hello' }, { origin }))

  it.each([ORIGIN, 'https://www.svc.example', 'https://docs.svc.example'])(
    'the site’s own pages may use the chat: %s',
    async (origin) => {
      const answer = await post(origin)
      expect(answer.status).toBe(200)
      expect(answer.headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin' })
      expect(answer.headers).not.toHaveProperty('access-control-allow-credentials')
    },
  )

  it.each([
    'null',
    '',
    'https://evil.test',
    'http://svc.example',
    'https://svc.example:444',
    'https://svc.example.evil.test',
    'https://evil-svc.example',
    'https://svc.example/',
    'https://SVC.example',
    'https://svc.example, https://evil.test',
    'http://localhost:3000',
    'http://127.0.0.1',
  ])('others may not: %j', async (origin) => {
    const answer = await post(origin)
    expect(answer).toMatchObject({ status: 403, body: { error: 'forbidden' }, headers: { vary: 'Origin' } })
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
  })

  it('a list in the settings stands in the place of the site’s own', async () => {
    await serve({ CHAT_ALLOWED_ORIGINS: 'https://shop.example, https://help.example:8443' })
    expect((await post('https://shop.example')).status).toBe(200)
    expect((await post('https://help.example:8443')).status).toBe(200)
    expect((await post(ORIGIN)).status).toBe(403)
    for (const alike of ['http://shop.example', 'https://a.shop.example', 'https://evil-shop.example'])
      expect((await post(alike)).status).toBe(403)
  })

  it.each(['https://Shop.example/', 'HTTPS://SHOP.EXAMPLE', 'https://shop.example:443, https://b.example'])(
    'a site in the settings may be spelled as people do: %s',
    async (spelled) => {
      await serve({ CHAT_ALLOWED_ORIGINS: spelled })
      expect((await post('https://shop.example')).status).toBe(200)
      expect((await post('https://other.example')).status).toBe(403)
    },
  )

  it('a service that does not know its address takes pages of the host that it is asked by', async () => {
    await serve({ SERVICE_PUBLIC_URL: undefined, NODE_ENV: 'production' })
    const from = (origin: string, host: string) => chat.send(chatPost({ message: 'hello' }, { origin, host }))
    expect((await from('https://help.example', 'help.example')).status).toBe(200)
    expect((await from('https://help.example', 'Help.example:443')).status).toBe(200)
    expect((await from('http://help.example:8080', 'help.example:8080')).status).toBe(200)
    for (const other of ['https://evil.test', 'https://help.example:444', 'https://a.help.example', 'null']) {
      expect((await from(other, 'help.example')).status).toBe(403)
    }
    await serve({ SERVICE_PUBLIC_URL: undefined, CHAT_ALLOWED_ORIGINS: 'https://shop.example' })
    expect((await from('https://help.example', 'help.example')).status).toBe(403)
  })

  it.each(['http://localhost:3000', 'https://localhost', 'http://127.0.0.1:5173', 'http://[::1]:80'])(
    'outside production a page of this machine may: %s',
    async (origin) => {
      await serve({ NODE_ENV: 'development' })
      expect((await post(origin)).status).toBe(200)
      expect((await post('http://localhost.evil.test')).status).toBe(403)
      expect((await post('null')).status).toBe(403)
    },
  )

  it('refusals of allowed pages can be read by them', async () => {
    const answer = await chat.send(chatPost('{', { origin: ORIGIN }))
    expect(answer).toMatchObject({ status: 400, headers: { 'access-control-allow-origin': ORIGIN } })
  })

  it('a browser may ask first', async () => {
    const options = (headers: Record<string, string>) =>
      chat.send({ method: 'OPTIONS', path: '/api/chat', headers })
    const allowed = await options({ origin: ORIGIN, 'access-control-request-method': 'POST' })
    expect(allowed).toMatchObject({ status: 204, text: '' })
    expect(allowed.headers).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'Content-Type',
      vary: 'Origin',
    })
    expect(await options({ origin: 'https://evil.test' })).toMatchObject({ status: 403 })
    expect(await options({})).toMatchObject({ status: 204 })
  })
})

describe('GET /api/chat', () => {
  const begun = async () => {
    const { events } = await chat.say({ message: 'I need a person', sessionId: 's' })
    return String(events[0]?.conversationId)
  }
  const read = (conversationId: string, more = '', headers = {}) =>
    chat.send({ path: `/api/chat?conversationId=${conversationId}&sessionId=s${more}`, headers })

  it('visitors read what people wrote, from where they were', async () => {
    const id = await begun()
    expect((await read(id)).body).toEqual({ conversationId: id, mode: 'ai', messages: [] })
    const { message } = await chat.plane.chat.reply(id, 'Here I am.')
    chat.clock.advance({ seconds: 5 })
    await chat.plane.chat.reply(id, 'Still here.')
    const { body } = await read(id)
    expect(body).toMatchObject({ conversationId: id, mode: 'human_active' })
    expect((body as { messages: unknown[] }).messages).toEqual([
      { id: message, role: 'human', text: 'Here I am.', at: expect.any(Number) },
      { id: expect.any(String), role: 'human', text: 'Still here.', at: expect.any(Number) },
    ])
    expect((await read(id, `&after=${message}`)).body).toMatchObject({ messages: [{ text: 'Still here.' }] })
  })

  it('a visitor who waits gets a reply when it comes', async () => {
    const id = await begun()
    const waiting = read(id, '&wait=25')
    await chat.timers.begun()
    await chat.timers.advance({ seconds: 5 })
    await chat.plane.chat.reply(id, 'Here I am.')
    await chat.timers.advance({ seconds: 1 })
    expect((await waiting).body).toMatchObject({ messages: [{ text: 'Here I am.' }] })
  })

  it('nobody waits longer than 25 s, nor longer than the service lives', async () => {
    const id = await begun()
    const long = read(id, '&wait=999')
    await chat.timers.begun()
    await chat.timers.advance({ seconds: 25 })
    expect((await long).body).toMatchObject({ messages: [] })
    const cut = read(id, '&wait=25')
    await chat.timers.begun()
    chat.plane.health.drain()
    await chat.timers.advance({ seconds: 1 })
    expect((await cut).status).toBe(200)
  })

  it('nobody is kept waiting for a conversation of others, or none', async () => {
    const id = await begun()
    const none = { status: 200, body: { mode: 'ai', messages: [] } }
    expect(await chat.send({ path: `/api/chat?conversationId=${id}&sessionId=t&wait=25` })).toMatchObject(
      none,
    )
    expect(await read('chat_none', '&wait=25')).toMatchObject(none)
    expect(await read(`chat_${'0'.repeat(26)}`, '&wait=25')).toMatchObject(none)
    expect(chat.timers.waiting).toBe(0)
  })

  it('of one address 25 wait at once, a further one is answered at once, and one from elsewhere waits', async () => {
    const id = await begun()
    const from = (address: string) => read(id, '&wait=25', { 'x-forwarded-for': address })
    const waiting = []
    for (let each = 0; each < 25; each += 1) {
      waiting.push(from(`2001:db8::${each}`))
      while (chat.timers.waiting <= each) await new Promise((resolve) => setImmediate(resolve))
    }
    expect((await from('2001:db8::ffff')).body).toMatchObject({ messages: [] })
    waiting.push(from('2001:db8:0:1::1'))
    while (chat.timers.waiting < 26) await new Promise((resolve) => setImmediate(resolve))
    await chat.timers.advance({ seconds: 25 })
    for (const each of waiting) expect((await each).status).toBe(200)
    const again = from('2001:db8::1')
    while (chat.timers.waiting < 1) await new Promise((resolve) => setImmediate(resolve))
    await chat.timers.advance({ seconds: 25 })
    expect((await again).status).toBe(200)
  })

  it('a conversation of others, or none, looks like a new one', async () => {
    const id = await begun()
    await chat.plane.chat.reply(id, 'Secret of the other.')
    const none = { mode: 'ai', messages: [] }
    const strange = await chat.send({ path: `/api/chat?conversationId=${id}&sessionId=t` })
    expect(strange).toMatchObject({ status: 200, body: { conversationId: id, ...none } })
    expect((await chat.send({ path: `/api/chat?conversationId=${id}` })).body).toMatchObject(none)
    expect((await read('chat_none')).body).toMatchObject(none)
    expect((await read('%00', '&after=%00')).body).toMatchObject(none)
  })

  it.each([
    ['none at all', '/api/chat'],
    ['an empty id', '/api/chat?conversationId='],
    ['an empty id beside a session', '/api/chat?conversationId=&sessionId=s'],
    ['an id of 129 characters', `/api/chat?conversationId=${'x'.repeat(129)}`],
  ])('The conversation must be named by 1 to 128 characters: %s', async (_what, path) => {
    expect(await chat.send({ path })).toMatchObject({
      status: 400,
      body: {
        error: 'invalid query',
        details: ['conversationId: expected a string of 1 to 128 characters'],
      },
    })
  })

  it('Ids of 1 and of 128 characters are looked up, and a wait that is no number is refused', async () => {
    expect(await read('x')).toMatchObject({ status: 200 })
    expect(await read('x'.repeat(128))).toMatchObject({ status: 200 })
    expect(await read('x', '&wait=soon')).toMatchObject({ status: 400 })
  })

  it('follows the same origins, and 60 looks a minute', async () => {
    expect(await read('x', '', { origin: 'https://evil.test' })).toMatchObject({ status: 403 })
    const allowed = await read('x', '', { origin: ORIGIN })
    expect(allowed).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': ORIGIN } })
    const statuses = []
    for (let round = 0; round < 60; round += 1) statuses.push((await read('x')).status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(59)
    expect(statuses.at(-1)).toBe(429)
    expect((await chat.say()).status).toBe(200)
  })
})
