import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { OPERATIONS, type Problem } from '@svc/core'
import type { ChatEvent as SentEvent } from '@svc/core/ports'
import { type Mounted, mounted, started } from '../../../../test/support/mounted.ts'
import { type ChatEvent, type Client, ClientError, createClient } from '../../src/client/index.ts'
import { READING_OPERATIONS } from '../../src/client/reading-operations.ts'
import { createApp } from '../../src/index.ts'

type Fault = (request: IncomingMessage, response: ServerResponse, pass: () => void) => void

/** The service on a socket, with faults for its next requests, first to last. */
let served: Mounted
let faults: Fault[] = []
let asked: string[] = []
let authorizations: (string | undefined)[] = []
let token = ''

beforeEach(async () => {
  faults = []
  asked = []
  authorizations = []
  served = await mounted(({ plane }) => {
    const app = createApp(plane)
    return started(
      createServer((request, response) => {
        asked.push(request.url ?? '')
        authorizations.push(request.headers.authorization)
        const pass = () => app.nodeHandler(request, response)
        const fault = faults.shift()
        if (fault === undefined) pass()
        else fault(request, response, pass)
      }),
    )
  })
  const role = {
    role: 'super_admin',
    tenantId: undefined,
    label: 'test',
    expiresAt: undefined,
    createdBy: 'ann',
  }
  token = (await served.plane.apiTokens.issue(role)).secret
})
afterEach(() => served[Symbol.asyncDispose]())

const url = () => `http://127.0.0.1:${served.port}`
const client = (retries?: number): Client =>
  createClient({ url: url(), token, ...(retries !== undefined && { retries }) })

/** The failure of a call; one that does not fail is a fault of the test. */
async function failure(call: Promise<unknown>): Promise<ClientError> {
  const error = await call.then(
    () => new Error('the call succeeded'),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(ClientError)
  return error as ClientError
}

const busy =
  (status: number, after?: string): Fault =>
  (_, response) => {
    const headers = {
      'content-type': 'application/json',
      ...(after !== undefined && { 'retry-after': after }),
    }
    response.writeHead(status, headers).end('{"error":"service unavailable","code":"unavailable"}')
  }
const cut: Fault = (request) => void request.socket.destroy()
/** Answers, and breaks off within the body. */
const cutWithin: Fault = (request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
  response.write('{"tenants":[', () => request.socket.destroy())
}
/** The service has done the work, and its answer is lost. */
const lostAnswer: Fault = (request, response, pass) => {
  response.end = (() => {
    request.socket.destroy()
    return response
  }) as typeof response.end
  pass()
}

describe('a call', () => {
  it('returns the answer of the operation', async () => {
    const { tenant } = await client().run('tenants.add', { name: 'acme' })
    const { tenants } = await client().run('tenants.list', {})
    expect(tenants.map(({ id, name }) => [id, name])).toEqual([[tenant.id, 'acme']])
    expect(asked).toEqual(['/api/v1/operations/tenants.add', '/api/v1/operations/tenants.list'])
  })

  it('knows its input and its answer when it is compiled', async () => {
    const { tenant } = await client().run('tenants.add', { name: 'acme' })
    const name: string = tenant.name
    expect(name).toBe('acme')
    const wrong = async () => {
      // @ts-expect-error the name of the operation is misspelled
      await client().run('tenants.ad', { name: 'acme' })
      // @ts-expect-error a number is no name
      await client().run('tenants.add', { name: 7 })
      // @ts-expect-error the answer has no such field
      void tenant.surname
      // @ts-expect-error tenants come as a whole
      client().pages('tenants.list', {})
    }
    expect(wrong).toBeInstanceOf(Function)
    // Each event that the service sends is one that the client has.
    const event: ChatEvent = {} as SentEvent
    expect(event).toEqual({})
  })

  it('finds a service under a prefix, with and without a slash at the end', async () => {
    for (const prefix of ['/svc', '/svc/']) {
      faults = [(_, response) => void response.end('{"tenants":[]}')]
      await createClient({ url: url() + prefix, token }).run('tenants.list', {})
    }
    expect(asked).toEqual(Array(2).fill('/svc/api/v1/operations/tenants.list'))
  })

  it('fails with the word of the service, its reasons, and the next step', async () => {
    await client().run('tenants.add', { name: 'acme' })
    expect(await failure(client().run('tenants.add', { name: 'acme' }))).toMatchObject({
      status: 409,
      code: 'conflict' satisfies Problem['code'],
      message: expect.stringMatching(/^tenants\.add: .*acme/),
    })
    const bad = await failure(client().run('jobs.list', { limit: 0 }))
    expect(bad).toMatchObject({
      status: 400,
      code: 'invalid-input',
      details: [expect.stringMatching(/^limit: /)],
    })
    expect(bad.message).toContain(bad.details[0])
    const stranger = createClient({ url: url(), token: 'svcat_0123456789' })
    const refused = await failure(stranger.run('tenants.list', {}))
    expect(refused).toMatchObject({ status: 401, message: expect.stringContaining('svc tokens issue') })
    expect(refused.message).not.toContain('svcat_0123456789')
  })

  it('tells an answer that is not of the service', async () => {
    faults = [(_, response) => void response.writeHead(502).end('<h1>Bad gateway</h1>')]
    const error = await failure(client().run('tenants.list', {}))
    expect(error).toMatchObject({ status: 502, code: 'unreadable-answer' })
    faults = [(_, response) => void response.end('[]')]
    expect(await failure(client().run('tenants.list', {}))).toMatchObject({ code: 'unreadable-answer' })
    expect(asked).toHaveLength(2)
  })

  it('does not follow to another address', async () => {
    faults = [(_, response) => void response.writeHead(307, { location: `${url()}/elsewhere` }).end()]
    expect((await failure(client(0).run('tenants.list', {}))).code).toBe('no-answer')
    expect(asked).toEqual(['/api/v1/operations/tenants.list'])
  })
})

describe('a call is made again', () => {
  it.each([
    ['a read after 503', busy(503, '0')],
    ['a read after 429', busy(429, '0')],
    ['a read whose connection breaks', cut],
    ['a read whose answer breaks off', cutWithin],
  ])('%s', async (_, fault) => {
    faults = [fault]
    expect(await client().run('tenants.list', {})).toEqual({ tenants: [] })
    expect(asked).toHaveLength(2)
  })

  it('after the time that the service asks for', async () => {
    faults = [busy(503, '1')]
    const begun = performance.now()
    await client().run('tenants.list', {})
    expect(performance.now() - begun).toBeGreaterThanOrEqual(1000)
  })

  it('a change after 429, with which nothing was done', async () => {
    faults = [busy(429, '0')]
    expect((await client().run('tenants.add', { name: 'acme' })).tenant.name).toBe('acme')
    expect(asked).toHaveLength(2)
  })

  it('not more often than it was said', async () => {
    faults = [cut, cut, cut]
    expect((await failure(client(1).run('tenants.list', {}))).code).toBe('no-answer')
    expect(asked).toHaveLength(2)
    faults = [busy(503, '0')]
    expect((await failure(client(0).run('tenants.list', {}))).retryAfterSeconds).toBe(0)
    expect(asked).toHaveLength(3)
  })

  it.each([
    ['503 without a time', busy(503)],
    ['503 with a time that is too long', busy(503, '31')],
    ['503 with a time that is no number', busy(503, 'soon')],
    ['500', busy(500, '0')],
  ])('not after %s', async (_, fault) => {
    faults = [fault]
    expect((await failure(client().run('tenants.list', {}))).code).toBe('unavailable')
    expect(asked).toHaveLength(1)
  })

  it.each([
    ['its connection breaks', cut],
    ['its answer is lost', lostAnswer],
    ['503', busy(503, '0')],
  ])('never a change, when %s', async (_, fault) => {
    faults = [fault]
    const error = await failure(client().run('tenants.add', { name: 'acme' }))
    if (error.code === 'no-answer') expect(error.message).toContain('look before you run it again')
    expect(asked).toHaveLength(1)
    const { tenants } = await client().run('tenants.list', {})
    expect(tenants).toHaveLength(fault === lostAnswer ? 1 : 0)
  })

  it('if the operations say that it changes nothing', () => {
    const reads = OPERATIONS.flatMap(({ name, changes }) => (changes ? [] : [name]))
    expect([...READING_OPERATIONS]).toEqual(reads)
  })
})

describe('a signal', () => {
  const REASON = new Error('enough')

  it.each(['before the call', 'while the service is slow', 'while a call waits to be made again'])(
    'ends a call %s',
    async (when) => {
      const stop = new AbortController()
      const begun = performance.now()
      if (when === 'before the call') stop.abort(REASON)
      faults = [when.includes('slow') ? () => stop.abort(REASON) : busy(503, '30')]
      if (when.includes('waits')) setTimeout(() => stop.abort(REASON), 300)
      await expect(client().run('tenants.list', {}, { signal: stop.signal })).rejects.toBe(REASON)
      expect(performance.now() - begun).toBeLessThan(20_000)
      expect(asked).toHaveLength(when === 'before the call' ? 0 : 1)
    },
  )

  it('ends a change, and is no failure of it', async () => {
    const stop = new AbortController()
    faults = [() => stop.abort(REASON)]
    const changing = client().run('tenants.add', { name: 'acme' }, { signal: stop.signal })
    await expect(changing).rejects.toBe(REASON)
  })
})

describe('pages', () => {
  const enqueue = async (count: number) => {
    const ids: string[] = []
    for (let index = 0; index < count; index += 1) {
      const input = { kind: 'prune', license: served.licenseId, payload: {} } as const
      ids.unshift((await served.plane.operations.run('jobs.enqueue', input, 'ann')).job.id)
    }
    return ids
  }

  it('come one after the other, and each row once', async () => {
    const ids = await enqueue(5)
    const sizes: number[] = []
    const seen: string[] = []
    for await (const { jobs } of client().pages('jobs.list', { limit: 2 })) {
      sizes.push(jobs.length)
      seen.push(...jobs.map(({ id }) => id))
    }
    expect(sizes).toEqual([2, 2, 1])
    expect(seen).toEqual(ids)
  })

  it('are asked for when they are used', async () => {
    await enqueue(5)
    for await (const { jobs } of client().pages('jobs.list', { limit: 2 })) {
      expect(jobs).toHaveLength(2)
      break
    }
    expect(asked).toHaveLength(1)
  })

  it('that fail half way go on from the last cursor', async () => {
    const ids = await enqueue(5)
    faults = [(_, __, pass) => pass(), busy(500)]
    const seen: string[] = []
    let cursor: string | undefined
    const failing = async () => {
      for await (const { jobs, next_cursor } of client().pages('jobs.list', { limit: 2 })) {
        seen.push(...jobs.map(({ id }) => id))
        cursor = next_cursor
      }
    }
    expect((await failure(failing())).status).toBe(500)
    expect(seen).toEqual(ids.slice(0, 2))
    for await (const { jobs } of client().pages('jobs.list', { limit: 2, cursor }))
      seen.push(...jobs.map(({ id }) => id))
    expect(seen).toEqual(ids)
  })

  it('that lead to themselves end', async () => {
    const same: Fault = (_, response) => void response.end('{"jobs":[],"next_cursor":"job_a"}')
    faults = [same, same, same]
    const endless = async () => {
      for await (const page of client().pages('jobs.list', {})) expect(page.jobs).toEqual([])
    }
    expect(await failure(endless())).toMatchObject({ code: 'unreadable-answer' })
    expect(asked).toHaveLength(2)
  })
})

describe('the chat', () => {
  const collect = async (events: AsyncIterable<ChatEvent>) => {
    const all: ChatEvent[] = []
    for await (const event of events) all.push(event)
    return all
  }
  /** Sends one event, and no more until the client is gone. */
  const endless =
    (gone: () => void): Fault =>
    (request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(': ping\n\ndata: {"type":"delta","text":"a')
      response.write('\u2028b"}\r\n\r\n')
      request.socket.once('close', gone)
    }

  it('is answered event by event, without the token', async () => {
    const events = await collect(client().chat({ message: 'How do I install the agent?' }))
    expect(events.map(({ type }) => type)).toEqual([
      'meta',
      expect.stringMatching(/^(delta|done)$/),
      ...events.slice(2).map(({ type }) => type),
    ])
    expect(events.at(-1)?.type).toBe('done')
    expect(authorizations).toEqual([undefined])
  })

  it('refuses as the service does, once', async () => {
    const error = await failure(collect(client().chat({ message: ' ' })))
    expect(error).toMatchObject({ status: 400, message: expect.stringContaining('Empty message') })
    expect(asked).toHaveLength(1)
  })

  it.each(['break', 'signal'])('ends by a %s, and the service sees it', async (way) => {
    const left = new Promise<void>((resolve) => {
      faults = [endless(resolve)]
    })
    const stop = new AbortController()
    const reading = async () => {
      for await (const event of client().chat({ message: 'Hello' }, { signal: stop.signal })) {
        expect(event).toEqual({ type: 'delta', text: 'a\u2028b' })
        if (way === 'break') break
        stop.abort(new Error('enough'))
      }
    }
    if (way === 'break') await reading()
    else await expect(reading()).rejects.toThrow('enough')
    await left
  })

  it.each([
    ['ends', 'the stream ended early', (response: ServerResponse) => response.end()],
    ['breaks', 'no whole answer', (response: ServerResponse) => response.socket?.destroy()],
    ['sends no JSON', 'no JSON object', (response: ServerResponse) => response.end('data: hello\n\n')],
    ['has no end of line', 'too long', (response: ServerResponse) => response.end('x'.repeat(1_100_000))],
  ])('fails when the stream %s before it is done', async (_, said, end) => {
    faults = [
      (__, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write('data: {"type":"delta","text":"a"}\n\n', () => end(response))
      },
    ]
    const seen: ChatEvent[] = []
    const reading = async () => {
      for await (const event of client().chat({ message: 'Hello' })) seen.push(event)
    }
    expect((await failure(reading())).message).toContain(said)
    expect(seen).toHaveLength(1)
    expect(asked).toHaveLength(1)
  })
})

describe('an option', () => {
  it.each([
    [{ url: 'svc.example' }, 'url: expected an http or https address'],
    [{ url: 'file:///etc/passwd' }, 'url: expected an http or https address'],
    [{ url: 'https://ann:secret@svc.example' }, 'give an API token as token'],
    [{ url: 'https://svc.example', token: 'svcat_secret\n' }, 'token: expected an API token alone'],
    [{ url: 'https://svc.example', token: '' }, 'token: expected an API token alone'],
    [{ url: 'https://svc.example', retries: 11 }, 'retries: expected a whole number from 0 to 10'],
    [{ url: 'https://svc.example', retries: 0.5 }, 'retries: expected a whole number from 0 to 10'],
  ])('that is none is refused, and no secret is told: %j', (options, said) => {
    expect(() => createClient(options)).toThrow(said)
    expect(() => createClient(options)).not.toThrow('secret')
  })

  it('names the function that sends', async () => {
    const sent: string[] = []
    const send: typeof fetch = async (to) => {
      sent.push(String(to))
      return Response.json({ tenants: [] })
    }
    await createClient({ url: 'https://svc.example/', token, fetch: send }).run('tenants.list', {})
    expect(sent).toEqual(['https://svc.example/api/v1/operations/tenants.list'])
  })
})
