import { describe, expect, it } from '@jest/globals'
import { serving } from '../support/serving.ts'
import { visitorOf } from './console-client.ts'

const PASSWORD = 'correct horse battery'
const EMAIL = 'ada@svc.example'

describe('the first administrator', () => {
  const served = serving()
  const visitor = (cookie?: string) => visitorOf(served(), cookie)
  const code = () => served().plane.sessions.firstCode().code
  const fields = (given: Readonly<Record<string, string>> = {}) => ({
    code: code(),
    email: EMAIL,
    password: PASSWORD,
    ...given,
  })
  const people = async () => (await served().plane.users.list()).map(({ email, role }) => [email, role])

  it('is made with a code, is signed in at once, and leaves a row in the audit log', async () => {
    expect((await visitor().get('sign-in')).page.querySelector('a[href="./first"]')).not.toBeNull()
    const answer = await visitor().send('first', fields({ email: ` ${EMAIL.toUpperCase()} ` }))
    expect([answer.status, answer.headers.location]).toEqual([303, './../console'])
    const cookie = answer.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
    expect((await visitor(cookie).get('users')).text).toContain(EMAIL)
    expect(await people()).toEqual([[EMAIL, 'super_admin']])
    expect(await served().plane.storage.audit.list(10)).toMatchObject([
      {
        actor: 'local:first-code',
        operation: 'users.add',
        input: { email: EMAIL, role: 'super_admin' },
        outcome: 'ok',
      },
    ])
  })

  it('is made once: afterwards the page is not there, as a page that never was', async () => {
    const spare = code()
    await visitor().send('first', fields())
    const asked = [await visitor().get('first'), await visitor().send('first', fields({ code: spare }))]
    expect(asked.map(({ status }) => status)).toEqual([404, 404])
    expect(await people()).toEqual([[EMAIL, 'super_admin']])
    expect((await visitor().get('sign-in')).text).not.toContain('first')
    expect(await served().plane.operations.run('users.first-code', {}, 'somebody')).toEqual({ needed: false })
  })

  it('of two who come at once one is made', async () => {
    const answers = await Promise.all(
      ['one', 'two', 'three'].map((name) =>
        visitor().send('first', fields({ email: `${name}@svc.example` })),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 404, 404])
    expect(await people()).toHaveLength(1)
  })

  it('is not made with a code that is wrong or too old, nor from another site', async () => {
    const old = code()
    served().clock.advance({ minutes: 15 })
    const wrong = `${code().slice(0, -1)}${code().endsWith('0') ? '1' : '0'}`
    for (const given of [old, wrong, '']) {
      const { status, page, text } = await visitor().send('first', fields({ code: given }))
      expect(status).toBe(given === '' ? 400 : 401)
      expect(page.querySelector('#email')?.getAttribute('value')).toBe(EMAIL)
      expect(text).not.toContain(PASSWORD)
    }
    const foreign = await visitor().send('first', fields(), { origin: 'https://evil.example' })
    expect(foreign.status).toBe(403)
    expect(await people()).toEqual([])
  })

  it('says what is wrong with an address or a password, and keeps the code that was typed', async () => {
    const given = code()
    for (const [field, value] of [
      ['email', 'ada'],
      ['email', 'local:ada@svc.example'],
      ['password', 'short'],
      ['password', 'svc.example ada'],
    ] as const) {
      const { status, page } = await visitor().send('first', fields({ code: given, [field]: value }))
      expect([value, status]).toEqual([value, 400])
      expect(page.querySelector('[role=alert]')?.textContent).toContain(`${field}:`)
      expect(page.querySelector('#code')?.getAttribute('value')).toBe(given)
      served().clock.advance({ seconds: 20 })
    }
    expect((await visitor().send('first', fields({ code: given }))).status).toBe(303)
  })

  it('counts five tries an address and minute, good ones too', async () => {
    const statuses: number[] = []
    for (let tries = 0; tries < 6; tries += 1)
      statuses.push((await visitor().send('first', fields({ code: 'a guess' }))).status)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
    expect((await visitor().send('first', fields())).status).toBe(429)
    expect(await people()).toEqual([])
  })
})
