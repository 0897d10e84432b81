import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type ConsoleFleet, consoleFleet } from '../../../../test/support/console-fleet.ts'
import { byListen, type Mounted, mounted } from '../../../../test/support/mounted.ts'
import { filledIn, formOf, type Visitor, visitorOf } from './console-client.ts'

const SITE = 'https://svc.example'
const ENV = {
  RELAY_MODE: 'embedded',
  RELAY_URL: 'wss://relay.example',
  SERVICE_PUBLIC_URL: SITE,
}
const OF_BROWSER = { origin: SITE }

describe('the terminal of a host', () => {
  let served: Mounted
  let fleet: ConsoleFleet
  let ada: Visitor
  let olga: Visitor
  beforeAll(async () => {
    served = await mounted(byListen({ console: true }), { env: ENV })
    fleet = await consoleFleet(served)
    ada = visitorOf(served, (await served.plane.sessions.mint(fleet.admin)).cookie)
    olga = visitorOf(served, (await served.plane.sessions.mint(fleet.owner)).cookie)
  }, 60_000)
  afterAll(() => served[Symbol.asyncDispose]())

  const sessions = async () => (await served.plane.operations.run('ssh.sessions', {}, 'test')).sessions
  const path = 'hosts/web-2/terminal'
  const formAt = async (visitor = ada) => filledIn(formOf(await visitor.get(path)))

  it('is opened by a form alone, and the answer has a ticket for the relay', async () => {
    const before = await sessions()
    const fields = await formAt()
    expect(await sessions()).toEqual(before)
    const { status, headers, page } = await ada.send(
      path,
      { ...fields, user: 'deploy', reason: 'a look' },
      { ...OF_BROWSER, 'accept-encoding': 'gzip, br' },
    )
    expect(status).toBe(200)
    const [session] = await sessions()
    expect(session).toMatchObject({
      mode: 'shell',
      operator: fleet.admin.email,
      user: 'deploy',
      reason: 'a look',
      state: 'pending',
    })
    const box = page.querySelector('#terminal')
    expect(box?.getAttribute('data-relay')).toBe('wss://relay.example/relay/v1/operator')
    expect(box?.getAttribute('data-ticket')).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
    expect(headers['content-encoding']).toBeUndefined()
    expect(headers['cache-control']).toContain('no-store')
    // The same form opens no second one.
    expect((await ada.send(path, fields, OF_BROWSER)).status).toBe(409)
    expect(await sessions()).toHaveLength(before.length + 1)
  })

  it('lets in styles with its nonce and its relay, and nothing more; other pages have neither', async () => {
    const policyOf = async (answer: Promise<{ headers: object }>) =>
      String((await answer).headers['content-security-policy' as never])
    const fields = await formAt()
    const answer = await ada.send(path, fields, OF_BROWSER)
    const nonce = answer.page.querySelector('#terminal')?.getAttribute('data-nonce') ?? ''
    expect(nonce).toMatch(/^[\w-]{22}$/)
    const policy = String(answer.headers['content-security-policy'])
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      `style-src-elem 'self' 'nonce-${nonce}'`,
      "img-src 'self'",
      "connect-src 'self' wss://relay.example",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ])
    for (const other of [path, 'hosts/web-2', '']) {
      const plain = await policyOf(ada.get(other))
      expect(plain).not.toMatch(/nonce|relay|unsafe/)
      expect(plain).toContain("style-src 'self'; img-src")
    }
    const again = await ada.send(path, await formAt(), OF_BROWSER)
    expect(again.page.querySelector('#terminal')?.getAttribute('data-nonce')).not.toBe(nonce)
  })

  it('has files of its own, of at most 120 KiB, which no other page loads', async () => {
    const filesOf = (page: { querySelectorAll: Visitor extends never ? never : (s: string) => unknown[] }) =>
      (page.querySelectorAll('link,script') as { getAttribute(name: string): string | undefined }[])
        .map((each) => each.getAttribute('href') ?? each.getAttribute('src') ?? '')
        .map((address) => address.replace(/^.*assets\//, ''))
    const common = filesOf((await ada.get(path)).page)
    const { page } = await ada.send(path, await formAt(), OF_BROWSER)
    const own = filesOf(page).filter((name) => !common.includes(name))
    expect(own.map((name) => name.replace(/-\w{12}\./, '.'))).toEqual([
      'xterm.css',
      'xterm.mjs',
      'addon-fit.mjs',
      'terminal.js',
    ])
    let bytes = 0
    for (const name of own) {
      const headers = { 'accept-encoding': 'br' }
      const answer = await served.send({ path: `/console/assets/${name}`, headers })
      expect([name, answer.status, answer.headers['content-encoding']]).toEqual([name, 200, 'br'])
      expect(answer.headers['cache-control']).toContain('immutable')
      bytes += Number(answer.headers['content-length'])
    }
    expect(bytes).toBeLessThan(120 * 1024)
    const plain = await served.send({ path: `/console/assets/${own[1]}` })
    expect(plain.text).not.toContain('sourceMappingURL')
    expect((await served.send({ path: '/console/assets/xterm-000000000000.mjs' })).status).toBe(404)
  })

  it('is refused before a session is opened where the relay would refuse the page', async () => {
    const before = (await sessions()).length
    const { status, page } = await ada.send(path, await formAt())
    expect(status).toBe(409)
    expect(page.querySelector('main')?.textContent).toContain('RELAY_ALLOWED_ORIGINS')
    expect((await ada.send(path, await formAt(), { origin: 'https://evil.example' })).status).toBe(403)
    expect(await sessions()).toHaveLength(before)
  })

  it('of another tenant’s host is not there', async () => {
    expect((await olga.get(path)).status).toBe(200)
    const before = (await sessions()).length
    const asked = async (host: string) => {
      const shown = await olga.get(`hosts/${host}/terminal`)
      const sent = await olga.send(`hosts/${host}/terminal`, await formAt(olga), OF_BROWSER)
      const text = (each: typeof shown) =>
        each.page.querySelector('main')?.textContent.replaceAll(host, 'HOST')
      return [shown.status, text(shown), sent.status, text(sent)]
    }
    const theirs = await asked('db-3')
    expect(theirs[0]).toBe(404)
    expect(theirs[2]).toBe(404)
    expect(theirs).toEqual(await asked('db-999'))
    expect(await sessions()).toHaveLength(before)
  })

  it('is for people who may open sessions, and others see no tab of it', async () => {
    const viewer = await served.plane.users.add({
      email: 'vic@acme.example',
      role: 'developer',
      tenantId: fleet.owner.tenantId,
      password: 'correct horse battery',
    } as never)
    const vic = visitorOf(served, (await served.plane.sessions.mint(viewer)).cookie)
    expect((await vic.get(path)).status).toBe(403)
    const tabs = async (who: Visitor) =>
      (await who.get('hosts/web-2')).page.querySelectorAll('.tabs a').map((each) => each.textContent)
    expect(await tabs(vic)).not.toContain('Terminal')
    expect(await tabs(olga)).toContain('Terminal')
  })

  it('says what is missing without a relay', async () => {
    await using plain = await mounted(byListen({ console: true }), { env: { SERVICE_PUBLIC_URL: SITE } })
    const others = await consoleFleet(plain)
    const visitor = visitorOf(plain, (await plain.plane.sessions.mint(others.admin)).cookie)
    const { page } = await visitor.send(path, filledIn(formOf(await visitor.get(path))), OF_BROWSER)
    expect(page.querySelector('main')?.textContent).toContain('RELAY_MODE')
  })
})
