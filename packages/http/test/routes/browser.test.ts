import { afterEach, describe, expect, it } from '@jest/globals'
import { type Mounted, mounted } from '../../../../test/support/mounted.ts'

const SCRAPE = '/api/v1/browser/scrape'
const TOKEN = 'a-browser-token-of-the-settings'
const SHOP = { url: 'https://www.example.com/' }

let served: Mounted
const open = async (env: Readonly<Record<string, string | undefined>> = { BROWSER_WORKER_TOKENS: TOKEN }) => {
  served = await mounted(undefined, { env })
}
const ask = (token: string | undefined, body: object = SHOP, path = SCRAPE) =>
  served.post(path, body, token === undefined ? {} : { authorization: `Bearer ${token}` })
const issue = async (input: object = {}) => {
  const made = await served.plane.operations.run('browser-tokens.issue', input, 'ann')
  return made as unknown as { readonly secret: string; readonly token: { readonly id: string } }
}
afterEach(async () => served[Symbol.asyncDispose]())

describe('the browser worker', () => {
  it('takes a token of the settings, and a stored one until it is revoked', async () => {
    await open()
    expect(await ask(TOKEN)).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } })
    const { secret, token } = await issue()
    expect((await ask(secret)).status).toBe(200)
    await served.plane.operations.run('browser-tokens.revoke', { token: token.id }, 'ann')
    expect(await ask(secret)).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
  })

  it('tells a license key that it is not enough', async () => {
    await open()
    expect(await ask(undefined)).toMatchObject({ status: 403, body: { error: 'browser token required' } })
  })

  it('refuses everybody while there is no token at all', async () => {
    await open({})
    expect(await ask(undefined)).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
    expect(await ask(TOKEN)).toMatchObject({ status: 401 })
    await issue()
    expect(await ask(undefined)).toMatchObject({ status: 403 })
  })

  it.each([
    ['none', ''],
    ['a short one of the settings', 'short'],
    ['one character less', TOKEN.slice(0, -1)],
    ['one that nobody issued', `svcb_${'B'.repeat(43)}`],
  ])('refuses a bad token: %s', async (_name, token) => {
    await open({ BROWSER_WORKER_TOKENS: TOKEN })
    expect(await ask(token)).toMatchObject({ status: 401 })
  })

  it('takes no token while one of the settings is too short', async () => {
    await open({ BROWSER_WORKER_TOKENS: `${TOKEN},short` })
    expect(await ask(TOKEN)).toMatchObject({
      status: 503,
      body: { error: 'browser worker not configured', missing: ['BROWSER_WORKER_TOKENS'] },
    })
    const { secret } = await issue()
    expect(await ask(secret)).toMatchObject({ status: 503 })
  })

  it('refuses a token whose license has ended', async () => {
    await open()
    const { secret } = await issue({ license: served.licenseId })
    expect((await ask(secret)).status).toBe(200)
    await served.plane.licenses.suspend(served.licenseId)
    expect((await ask(secret)).status).toBe(401)
  })

  it('is 503 without a browser, after the credential', async () => {
    await open()
    served.browser.lack = 'there is no Chromium'
    expect(await ask(TOKEN)).toMatchObject({ status: 503, body: { error: 'browser worker not configured' } })
    expect((await ask('x'.repeat(30))).status).toBe(401)
  })

  it('says that a run has no model, and that a session is unknown', async () => {
    await open()
    const agent = (body: object) => ask(TOKEN, body, '/api/v1/browser/agent')
    expect(await agent({ ...SHOP, goal: 'x' })).toMatchObject({
      status: 503,
      body: { error: 'agent model not configured' },
    })
    expect(await agent({ mode: 'observe', session_id: 'brs_none' })).toMatchObject({
      status: 404,
      body: { error: 'session not found' },
    })
    expect(await agent({ ...SHOP, mode: 'observe' })).toMatchObject({ status: 200, body: { ok: true } })
  })

  it('limits scrapes and agents of a token by the minute', async () => {
    await open()
    const statuses = async (path: string, count: number) => {
      const found: number[] = []
      for (let asked = 0; asked < count; asked += 1)
        found.push((await ask(TOKEN, { ...SHOP, mode: 'observe' }, path)).status)
      return found
    }
    expect(await statuses(SCRAPE, 31)).toEqual([...Array(30).fill(200), 429])
    expect(await statuses('/api/v1/browser/agent', 7)).toEqual([...Array(6).fill(200), 429])
    const { secret } = await issue()
    expect((await ask(secret)).status).toBe(200)
  })

  it('keeps tokens out of its log and its rows', async () => {
    await open()
    const { secret } = await issue()
    await ask(secret)
    await ask(TOKEN)
    const runs = JSON.stringify(await served.plane.browserWorker.runs(10))
    for (const text of [served.log.text(), runs]) {
      expect(text).not.toContain(secret)
      expect(text).not.toContain(TOKEN)
    }
  })
})
