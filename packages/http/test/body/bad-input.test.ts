import { gzipSync } from 'node:zlib'
import { describe, expect, it } from '@jest/globals'
import { ofLicense } from '@svc/core'
import { serving } from '../support/serving.ts'

const served = serving()
const INVALID_JSON = { status: 400, body: { error: 'invalid JSON body' } }
const NOT_FOUND = { status: 404, body: { error: 'not found' } }
const CLAIM = '/v1/jobs/claim'

const alive = async () => expect(await served().get('/livez')).toMatchObject({ status: 200 })

describe('a body that is not what it should be', () => {
  it.each([
    ['broken', '{"fingerprint":'],
    ['text after the end', '{} {}'],
    ['blanks only', '  '],
    ['a byte order mark', '\ufeff{}'],
    ['single quotes', "{'fingerprint':'f'}"],
    ['a raw control character', '{"fingerprint":"\u0001"}'],
    ['nested 33 deep', `{"a":${'['.repeat(32)}${']'.repeat(32)}}`],
    ['nested 10,000 deep', '['.repeat(10_000) + ']'.repeat(10_000)],
    ['10,000 open brackets', '{"a":'.repeat(10_000)],
  ])('%s is invalid JSON', async (_, body) => {
    expect(await served().post(CLAIM, body)).toMatchObject(INVALID_JSON)
    await alive()
  })

  it.each([['[]'], ['"text"'], ['null'], ['1'], ['true'], ['[{"fingerprint":"f"}]']])(
    '%s is no object',
    async (body) => {
      expect(await served().post(CLAIM, body)).toMatchObject({
        status: 400,
        body: { error: 'invalid request body', details: ['expected an object'] },
      })
    },
  )

  it('nested 32 deep is taken', async () => {
    const body = `{"fingerprint":"f","a":${'['.repeat(31)}${']'.repeat(31)}}`
    expect(await served().post(CLAIM, body)).toMatchObject({ status: 204 })
  })

  it('nothing at all counts as an empty object', async () => {
    expect(await served().post(CLAIM)).toMatchObject({
      status: 400,
      body: { details: ['fingerprint: expected a string of 1 to 512 characters'] },
    })
  })

  it('is read whatever its Content-Type says', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect(await served().post(CLAIM, { fingerprint: 'f' }, headers)).toMatchObject({ status: 204 })
  })

  it('is not inflated, and a bomb stays small', async () => {
    const bomb = gzipSync(Buffer.alloc(10 * 1024 * 1024, ' '))
    expect(await served().post(CLAIM, bomb, { 'content-encoding': 'gzip' })).toMatchObject(INVALID_JSON)
    const identity = { 'content-encoding': 'identity' }
    expect(await served().post(CLAIM, { fingerprint: 'f' }, identity)).toMatchObject({ status: 204 })
  })

  it.each([
    '{"fingerprint":"f","__proto__":{"admin":true}}',
    '{"fingerprint":"f","constructor":{"prototype":{"admin":true}}}',
    '{"fingerprint":"f","\\u005f_proto__":{"admin":true}}',
    '{"fingerprint":"f","backup_health":{"__proto__":{"success":true}}}',
  ])('with hostile keys is taken without them: %s', async (body) => {
    expect(await served().post('/v1/telemetry/heartbeat', body)).toMatchObject({ status: 200 })
    const [agent] = await served().plane.agents.list(ofLicense(served().licenseId))
    expect(agent).toMatchObject({ captureSuccess: undefined })
    expect(({} as { admin?: unknown }).admin).toBeUndefined()
  })

  it('gives its fields no prototype: a required field cannot hide in one', async () => {
    expect(await served().post(CLAIM, '{"__proto__":{"fingerprint":"f"}}')).toMatchObject({ status: 400 })
  })

  it('loses NUL, and is empty when it was nothing else', async () => {
    expect(await served().post(CLAIM, '{"fingerprint":"\\u0000"}')).toMatchObject({ status: 400 })
    expect(await served().post(CLAIM, '{"fingerprint":"f\\u0000p"}')).toMatchObject({ status: 204 })
  })

  it.each([
    ['{"domain":"mail.example.com","n":1e400}', 'n: expected a number'],
    ['{"domain":"mail.example.com","n":9007199254740992}', 'n: expected a number'],
    ['{"domain":"mail.example.com","n":[-9007199254740993]}', 'n.0: expected a number'],
    ['{"domain":"mail\\u0000.example.com"}', 'domain: expected a text without NUL'],
  ])('names the place of what would not be kept as it was sent: %s', async (body, words) => {
    const answer = await served().post('/api/v1/attack-surface', body)
    expect(answer).toMatchObject({ status: 400, body: { details: [expect.stringContaining(words)] } })
  })

  it('may hold a lone surrogate', async () => {
    expect(await served().post(CLAIM, '{"fingerprint":"\\ud800"}')).toMatchObject({ status: 204 })
  })
})

describe('a body over the limit', () => {
  const TOO_LARGE = { status: 413, body: { error: 'payload too large' } }

  it('of 64 KiB is 413, the limit itself is not', async () => {
    const filled = (bytes: number) => {
      const frame = '{"fingerprint":"f","x":""}'
      return `${frame.slice(0, -2)}${'x'.repeat(bytes - frame.length)}"}`
    }
    expect(await served().post(CLAIM, filled(65_536))).toMatchObject({ status: 204 })
    expect(await served().post(CLAIM, filled(65_537))).toMatchObject(TOO_LARGE)
  })

  it('of 26 MB is 413 on every route with a body', async () => {
    const body = Buffer.alloc(26_000_000, '[')
    const paths = [
      '/license/activate',
      '/telemetry/heartbeat',
      '/jobs/claim',
      '/jobs/j/status',
      '/jobs/j/logs',
      '/jobs/j/cancel',
    ]
    for (const path of paths) expect(await served().post(`/api/v1${path}`, body)).toMatchObject(TOO_LARGE)
    await alive()
  })

  it('is 413 without a declared length too', async () => {
    const headers = { 'transfer-encoding': 'chunked' }
    expect(await served().post(CLAIM, 'x'.repeat(100_000), headers)).toMatchObject(TOO_LARGE)
  })

  it('loses to 401', async () => {
    const headers = { authorization: 'Bearer unknown' }
    expect(await served().post(CLAIM, 'x'.repeat(100_000), headers)).toMatchObject({ status: 401 })
  })
})

describe('credentials', () => {
  const refused = { status: 401, body: { error: 'unauthorized' }, headers: { 'www-authenticate': 'Bearer' } }

  it.each([
    ['none', undefined],
    ['an empty one', ''],
    ['a scheme without a key', 'Bearer'],
    ['a scheme and a blank', 'Bearer '],
    ['two blanks and no key', 'Bearer  '],
    ['a tab', 'Bearer\tKEY'],
    ['something after the key', 'Bearer KEY more'],
    ['another scheme', 'Basic KEY'],
    ['no scheme', 'KEY'],
    ['an unknown key', 'Bearer unknown'],
    ['a key of 513 characters', `Bearer ${'k'.repeat(513)}`],
    ['16,000 blanks', `Bearer${' '.repeat(15_000)}x`],
  ])('%s: 401', async (_, template) => {
    const authorization = template?.replace('KEY', served().key)
    const headers = authorization === undefined ? {} : { authorization }
    const sent = { method: 'POST', path: CLAIM, headers, body: '{"fingerprint":"f"}' }
    expect(await served().send(sent)).toMatchObject(refused)
  })

  it('the scheme may be written in any case', async () => {
    const headers = { authorization: `BEARER ${served().key}` }
    expect(await served().post(CLAIM, { fingerprint: 'f' }, headers)).toMatchObject({ status: 204 })
  })

  it('two Authorization headers are none, even when both are good', async () => {
    const bearer = `Bearer ${served().key}`
    const headers = { authorization: [bearer, bearer] }
    expect(await served().send({ path: '/v1/fleet/servers', headers })).toMatchObject(refused)
  })
})

describe('a path or method that is not ours', () => {
  it.each([
    '/v1',
    '/v1/',
    '/v2/jobs/claim',
    '//v1/jobs/claim',
    '/v1//jobs/claim',
    '/V1/jobs/claim',
    '/v1/jobs/Claim',
    '/v1/jobs/claim/',
    '/v1/jobs/%63laim',
    '/v1/%2e%2e/v1/jobs/claim',
    '/v1/x/../jobs/claim',
    '/v1/jobs//status',
    '/v1/jobs/a/b/status',
    '/v1/jobs/j/status/',
    '/api/healthz',
    '/api/metrics',
    '/operations/jobs.list',
    '/__proto__',
    '/constructor',
    `/${'x'.repeat(8000)}`,
  ])('%s: 404', async (path) => {
    expect(await served().post(path, {})).toMatchObject(NOT_FOUND)
  })

  it.each([
    ['GET', CLAIM, 'POST'],
    ['HEAD', CLAIM, 'POST'],
    ['OPTIONS', CLAIM, 'POST'],
    ['TRACE', CLAIM, 'POST'],
    ['PUT', '/v1/jobs/j/status', 'POST'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['POST', '/', 'GET, HEAD'],
    ['DELETE', '/api/v1/fleet/servers', 'GET, HEAD'],
    ['PROPFIND', '/metrics', 'GET, HEAD'],
  ])('%s %s: 405 with Allow, before anybody is asked who they are', async (method, path, allow) => {
    const answer = await served().send({ method, path })
    expect(answer).toMatchObject({ status: 405, headers: { allow } })
    if (method !== 'HEAD') expect(answer.body).toEqual({ error: 'method not allowed' })
  })

  it('HEAD is GET without its body, behind the same gate', async () => {
    const { text } = await served().get('/v1/fleet/servers')
    const head = (headers: Record<string, string>) =>
      served().send({ method: 'HEAD', path: '/v1/fleet/servers', headers })
    const answer = await head({ authorization: `Bearer ${served().key}` })
    expect(answer).toMatchObject({
      status: 200,
      text: '',
      headers: { 'content-length': String(text.length) },
    })
    expect(await head({})).toMatchObject({ status: 401, text: '' })
  })

  it('a query does not change which route answers', async () => {
    expect(await served().post(`${CLAIM}?x=/y/..`, { fingerprint: 'f' })).toMatchObject({ status: 204 })
  })
})

describe('every answer', () => {
  it.each([
    ['GET', '/healthz'],
    ['GET', '/nothing'],
    ['POST', CLAIM],
    ['PUT', CLAIM],
    ['GET', '/metrics'],
  ])('%s %s is not stored by caches and names its request', async (method, path) => {
    const { headers } = await served().send({ method, path })
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'svc-request-id': expect.stringMatching(/^req_[\w-]{12}\.\w+$/),
    })
  })

  it('is JSON in UTF-8', async () => {
    const { headers } = await served().get('/nothing')
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
  })
})
