import { describe, expect, it } from '@jest/globals'
import { serving } from '../support/serving.ts'
import { type Fields, filledIn, formOf, type ReadPage, visitorOf } from './console-client.ts'

const PASSWORD = 'correct horse battery'

describe('a form that is sent', () => {
  const served = serving()
  const person = async (name: string, role = 'super_admin') => {
    const { plane } = served()
    const email = `${name}@svc.example`
    const user = await plane.users.add({ email, role, tenantId: undefined, password: PASSWORD })
    const { cookie } = await plane.sessions.mint(user)
    return { email, cookie, visitor: visitorOf(served(), cookie) }
  }
  const tenants = async () => (await served().plane.operations.run('tenants.list', {}, 'test')).tenants
  const added = async (cookie: string, fields: Fields, headers = {}) =>
    visitorOf(served(), cookie).send('do/tenants.add', { name: 'acme', ...fields }, headers)

  it('does its work once, and says so when it comes again', async () => {
    const { visitor, cookie } = await person('ada')
    const fields = filledIn(formOf(await visitor.get('do/tenants.add?back=tenants')))
    const first = await added(cookie, { ...fields, name: 'acme' })
    expect([first.status, first.headers.location]).toEqual([303, '../tenants?done=tenants.add'])
    const { page } = await visitor.get('tenants?done=tenants.add')
    expect(page.querySelector('[role=status]')?.textContent).toContain('Done:')
    const again = await added(cookie, { ...fields, name: 'acme' })
    expect(again.status).toBe(409)
    expect(again.page.querySelector('[role=alert]')?.textContent).toContain('was sent before')
    expect(await tenants()).toHaveLength(1)
  })

  it('is refused from another site, without its token, and with the token of another session', async () => {
    const { visitor, cookie } = await person('ada')
    const other = await person('bob')
    const token = () => visitor.get('do/tenants.add').then((answer) => String(filledIn(formOf(answer)).form))
    const foreign = String(filledIn(formOf(await other.visitor.get('do/tenants.add'))).form)
    const good = await token()
    const refused = [
      await added(cookie, { form: good }, { origin: 'https://evil.example' }),
      await added(cookie, { form: good }, { 'sec-fetch-site': 'cross-site' }),
      await added(cookie, {}),
      await added(cookie, { form: '' }),
      await added(cookie, { form: foreign }),
      await added(cookie, { form: `${good.split('.')[0]}.${foreign.split('.')[1]}` }),
      await added(cookie, { form: `${good}x` }),
    ]
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403))
    expect(await tenants()).toEqual([])
    expect((await added(cookie, { form: good })).status).toBe(200)
    // The pages of another site are told nothing; a form of another sign-in keeps what was typed.
    const kept = refused.map(({ page }) => page.querySelector('#f-name')?.getAttribute('value'))
    expect(kept).toEqual([undefined, undefined, 'acme', 'acme', 'acme', 'acme', 'acme'])
    const again = filledIn(formOf(refused.at(-1) as ReadPage))
    expect((await added(cookie, { ...again, name: 'globex' })).status).toBe(200)
  })

  it('is no JSON document, and no larger than 1 MiB', async () => {
    const { cookie } = await person('ada')
    const send = (body: string, type: string) =>
      served().send({
        method: 'POST',
        path: '/console/do/tenants.add',
        headers: { cookie, 'content-type': type },
        body,
      })
    expect((await send('{"name":"acme"}', 'application/json')).status).toBe(400)
    const large = `name=${'x'.repeat(1024 * 1024)}`
    expect((await send(large, 'application/x-www-form-urlencoded')).status).toBe(413)
  })

  it('has no more fields than somebody can fill, and few bytes before a sign-in', async () => {
    const { cookie } = await person('ada')
    const send = (path: string, body: string, headers = {}) =>
      served().send({
        method: 'POST',
        path: `/console/${path}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body,
      })
    expect((await send('do/tenants.add', 'a&'.repeat(5001), { cookie })).status).toBe(413)
    expect((await send('do/tenants.add', 'a&'.repeat(4000), { cookie })).status).toBe(403)
    // Nobody's form is not read: it leads to the sign-in.
    expect((await send('do/tenants.add', 'a&'.repeat(400_000))).status).toBe(303)
    expect((await send('sign-in', `email=${'x'.repeat(9000)}`)).status).toBe(413)
  })

  it('leads back to the page with its filter, to the overview, and nowhere else', async () => {
    const { visitor } = await person('ada')
    const backs = async (back: string) => {
      const form = formOf(await visitor.get(`do/tenants.add?back=${encodeURIComponent(back)}`))
      return form.querySelector('a')?.getAttribute('href')
    }
    expect(await backs('jobs?state=failed')).toBe('../jobs?state=failed')
    expect(await backs('overview')).toBe('../../console')
    for (const back of [
      '../x',
      'x/../../api',
      'x/%2e%2E/y',
      '//evil.example',
      'x//y',
      'javascript:alert(1)//',
    ])
      expect([back, await backs(back)]).toEqual([back, undefined])
  })

  it('shows an answer that says more than that it is done', async () => {
    const { visitor } = await person('ada')
    const { licenseId } = served()
    const fields = filledIn(formOf(await visitor.get('do/licenses.restrict?back=licenses')))
    const answer = await visitor.send('do/licenses.restrict', {
      ...fields,
      license: licenseId,
      dry_run: 'yes',
    })
    expect(answer.status).toBe(200)
    expect(answer.text).toContain(licenseId.slice(-6))
    expect(answer.page.querySelector('main p a')?.getAttribute('href')).toBe('../licenses')
  })

  it('shows what is wrong with each field, and keeps what was typed', async () => {
    const { visitor } = await person('ada')
    const fields = filledIn(formOf(await visitor.get('do/jobs.enqueue')))
    const answer = await visitor.send('do/jobs.enqueue', {
      ...fields,
      kind: 'prune',
      license: 'lic_none',
      max_attempts: 'many',
    })
    expect(answer.status).toBe(400)
    expect(answer.page.querySelector('[role=alert]')?.textContent).toContain('max_attempts')
    expect(filledIn(formOf(answer))).toMatchObject({
      kind: 'prune',
      license: 'lic_none',
      max_attempts: 'many',
    })
  })

  it('leads to the job that it made', async () => {
    const { visitor } = await person('ada')
    const fields = filledIn(formOf(await visitor.get('do/jobs.enqueue?back=jobs')))
    const { licenseId } = served()
    const answer = await visitor.send('do/jobs.enqueue', { ...fields, kind: 'prune', license: licenseId })
    expect(answer.status).toBe(303)
    expect(answer.headers.location).toMatch(/^\.\.\/jobs\/job_\w+$/)
  })

  it('shows a warning that comes with a job, and the way to it', async () => {
    const { visitor } = await person('ada')
    const { licenseId, post } = served()
    await post('/v1/telemetry/heartbeat', { fingerprint: 'fp' })
    await post('/v1/jobs/claim', { fingerprint: 'fp', kinds: ['deploy'] })
    const fields = filledIn(formOf(await visitor.get('do/jobs.enqueue?back=jobs')))
    const answer = await visitor.send('do/jobs.enqueue', { ...fields, kind: 'prune', license: licenseId })
    expect(answer.status).toBe(200)
    expect(answer.page.querySelector('main')?.textContent).toContain('prune')
    expect(answer.page.querySelectorAll('dt').map((term) => term.textContent)).toContain('Warning')
    expect(answer.page.querySelector('main > p a')?.getAttribute('href')).toMatch(/^\.\.\/jobs\/job_/)
  })

  it('asks for the name of a thing that it ends', async () => {
    const { visitor } = await person('ada')
    const { licenseId } = served()
    const form = async () =>
      filledIn(formOf(await visitor.get(`do/licenses.revoke?license=${licenseId}&back=licenses`)))
    const status = async () =>
      (
        (await served().plane.operations.run('licenses.show', { license: licenseId }, 'test')).license as {
          status: string
        }
      ).status
    for (const typed of ['', 'lic_other']) {
      expect((await visitor.send('do/licenses.revoke', { ...(await form()), typed })).status).toBe(409)
      expect(await status()).toBe('active')
    }
    expect((await visitor.send('do/licenses.revoke', { ...(await form()), typed: licenseId })).status).toBe(
      303,
    )
    expect(await status()).toBe('revoked')
  })

  it('asks for the password where the operation does, and counts the tries', async () => {
    const { visitor, email } = await person('ada')
    const send = async (password: string) => {
      const fields = filledIn(formOf(await visitor.get('do/users.add')))
      const given = { ...fields, email: 'new@svc.example', role: 'viewer', 'own.password': password }
      return visitor.send('do/users.add', given)
    }
    const wrong = await send('a guess of somebody')
    expect(wrong.status).toBe(401)
    expect(wrong.text).not.toContain('a guess of somebody')
    expect((await send(PASSWORD)).status).toBe(200)
    const { users } = await served().plane.operations.run('users.list', {}, 'test')
    expect(users.map((user) => user.email).sort()).toEqual([email, 'new@svc.example'])
    const statuses: number[] = []
    for (let tries = 0; tries < 4; tries += 1) statuses.push((await send('a guess of somebody')).status)
    expect(statuses).toEqual([401, 401, 401, 429])
  })

  it('shows a secret in its own answer alone, uncompressed, and puts none back into a page', async () => {
    const { visitor, cookie } = await person('ada')
    const fields = filledIn(formOf(await visitor.get('do/licenses.issue?back=licenses')))
    const path = '/console/do/licenses.issue'
    const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded', 'accept-encoding': 'br' }
    const body = `${new URLSearchParams({ ...fields, label: 'new' })}`
    const issued = await served().send({ method: 'POST', path, headers, body })
    expect([issued.status, issued.headers['content-encoding']]).toEqual([200, undefined])
    expect(issued.headers['cache-control']).toBe('no-store')
    const [, key = ''] = /<code data-copy>([^<]+)<\/code>/.exec(issued.text) ?? []
    const bearer = { authorization: `Bearer ${key}` }
    expect((await served().send({ path: '/api/v1/fleet/servers', headers: bearer })).status).toBe(200)
    expect((await visitor.get('licenses')).text).not.toContain(key)
    const tried = filledIn(formOf(await visitor.get('do/users.set-password')))
    const secret = 'a secret that is too'
    const refused = await visitor.send('do/users.set-password', {
      ...tried,
      email: 'nobody@svc.example',
      password: secret,
      'own.password': secret,
    })
    expect(refused.status).toBe(401)
    expect(refused.text).not.toContain(secret)
  })

  it('puts no value of a variable back into a page, however the form ends', async () => {
    const { visitor } = await person('ada')
    const fields = filledIn(formOf(await visitor.get('do/apps.env-set')))
    const value = 'a value that nobody reads'
    const given = { app: 'nothing', 'variables.0.name': 'SECRET', 'variables.0.value': value }
    const { status, text, page } = await visitor.send('do/apps.env-set', { ...fields, ...given })
    expect(status).toBe(404)
    expect(text).not.toContain(value)
    expect(page.querySelector('[name="variables.0.name"]')?.getAttribute('value')).toBe('SECRET')
  })

  it('leaves an audit row, with the outcome', async () => {
    const { visitor, email } = await person('ada')
    const fields = filledIn(formOf(await visitor.get('do/tenants.add?back=tenants')))
    await visitor.send('do/tenants.add', { ...fields, name: 'acme' })
    const { audit } = await served().plane.operations.run('audit.list', { who: email }, 'test')
    expect(audit).toMatchObject([
      { actor: email, operation: 'tenants.add', outcome: 'ok', input: { name: 'acme' } },
    ])
  })

  it('is offered to those who may run it, and refused to others', async () => {
    const { visitor } = await person('vera', 'viewer')
    expect((await visitor.get('tenants')).page.querySelector('.head .button')).toBeNull()
    const { status, page } = await visitor.get('do/tenants.add')
    expect(status).toBe(403)
    expect(page.querySelector('[role=alert]')?.textContent).toContain('platform.admin')
    expect((await visitor.send('do/tenants.add', { name: 'acme' })).status).toBe(403)
    expect(page.querySelectorAll('header nav a').map((link) => link.textContent)).not.toContain('Users')
  })
})
