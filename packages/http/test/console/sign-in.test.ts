import { describe, expect, it } from '@jest/globals'
import { serving } from '../support/serving.ts'
import { filledIn, visitorOf } from './console-client.ts'

const PASSWORD = 'correct horse battery'

describe('signing in to the console', () => {
  const served = serving()
  const email = 'ada@svc.example'
  const added = () =>
    served().plane.users.add({ email, role: 'operator', tenantId: undefined, password: PASSWORD })
  const visitor = (cookie?: string) => visitorOf(served(), cookie)
  const signedIn = async (fields: Readonly<Record<string, string>>) => {
    await added()
    return visitor().send('sign-in', { email, password: PASSWORD, ...fields })
  }
  const cookieOf = (answer: { headers: { 'set-cookie'?: string[] | undefined } }): string =>
    answer.headers['set-cookie']?.[0]?.split(';')[0] ?? ''

  it('leads a visitor without a session to the form, and back to the page that was asked for', async () => {
    const asked = await visitor().get('jobs?state=failed')
    expect(asked.status).toBe(303)
    expect(asked.headers.location).toBe('./sign-in?next=jobs%3Fstate%3Dfailed')
    const { page } = await visitor().get('sign-in?next=jobs%3Fstate%3Dfailed')
    const form = page.querySelector('form.sign-in')
    expect(form && filledIn(form)).toMatchObject({ next: 'jobs?state=failed', email: '', password: '' })
    const answer = await signedIn({ next: 'jobs?state=failed' })
    expect([answer.status, answer.headers.location]).toEqual([303, './jobs?state=failed'])
    expect((await visitor(cookieOf(answer)).get('jobs')).status).toBe(200)
  })

  it.each([
    '//evil.example',
    'https://evil.example',
    '/etc',
    'jobs"onclick',
    'javascript:alert(1)',
    'jobs\r\nx: y',
    'jobs ☃',
  ])('leads to no other site: next=%s', async (next) => {
    const { status, headers } = await signedIn({ next })
    expect(status).toBe(303)
    const to = new URL(String(headers.location), 'https://svc.example/console/sign-in')
    expect(to.origin).toBe('https://svc.example')
    expect(to.pathname).toMatch(/^\/console/)
  })

  it('does not say whether the email or the password is wrong, and keeps the email', async () => {
    await added()
    for (const fields of [
      { email, password: 'a guess of somebody' },
      { email: 'nobody@svc.example', password: PASSWORD },
    ]) {
      const { status, page, text } = await visitor().send('sign-in', fields)
      expect(status).toBe(401)
      expect(page.querySelector('[role=alert]')?.textContent).toBe('Email, password or code is wrong.')
      expect(page.querySelector('#email')?.getAttribute('value')).toBe(fields.email)
      expect(text).not.toContain(fields.password)
    }
  })

  it('counts tries by address, as the sign-in of programs does', async () => {
    await added()
    const statuses: number[] = []
    for (let tries = 0; tries < 6; tries += 1)
      statuses.push((await visitor().send('sign-in', { email, password: 'a guess of somebody' })).status)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
  })

  it('refuses a sign-in that another site sends', async () => {
    await added()
    const fields = { email, password: PASSWORD }
    const answer = await visitor().send('sign-in', fields, { origin: 'https://evil.example' })
    expect(answer.status).toBe(403)
    expect(answer.headers['set-cookie']).toBeUndefined()
  })

  it('ends the session on sign-out, for good', async () => {
    const cookie = cookieOf(await signedIn({}))
    const { page } = await visitor(cookie).get('jobs')
    const form = page.querySelector('form.person')
    const answer = await visitor(cookie).send('sign-out', form ? filledIn(form) : {})
    expect([answer.status, answer.headers.location]).toEqual([303, './sign-in'])
    expect(cookieOf(answer)).toBe('svc_session=')
    expect((await visitor(cookie).get('jobs')).status).toBe(303)
  })
})

describe('a person who lacks a demanded second factor', () => {
  const served = serving({ env: { SERVICE_SECOND_FACTOR: 'all' } })

  it('is shown the way to one, and nothing else', async () => {
    const { plane, licenseId } = served()
    const user = await plane.users.add({
      email: 'ada@svc.example',
      role: 'super_admin',
      tenantId: undefined,
      password: 'correct horse battery',
    })
    const { cookie } = await plane.sessions.mint(user)
    for (const path of ['jobs', 'licenses', `licenses/${licenseId}`, 'do/licenses.issue']) {
      const { status, page, text } = await visitorOf(served(), cookie).get(path)
      expect([path, status]).toEqual([path, 403])
      expect(page.querySelector('[role=alert]')?.textContent).toContain('svc account second-factor add')
      expect(text.replaceAll(path, '')).not.toContain(licenseId)
    }
    const { page } = await visitorOf(served(), cookie).get('jobs')
    const form = page.querySelector('form.person')
    const answer = await visitorOf(served(), cookie).send('sign-out', form ? filledIn(form) : {})
    expect(answer.status).toBe(303)
    expect(await plane.sessions.authenticate(cookie)).toBeUndefined()
  })
})
