// Many sign-ins from one network, and an honest one from another network.
import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from '@jest/globals'
import { MemoryRateCounter, type RateCounter } from '@svc/core'
import { FakeClock, type TestPlane } from '@svc/testing'
import { mounted } from '../../../../test/support/mounted.ts'

/** Ten networks of a /48, each with its allowed tries per minute, together use up the limit of the /48. */
const CROWD = 50
const TRIES = 5

/** Adds a user whose password hash has these costs. */
const add = ({ storage }: TestPlane, name: string, costs: string) =>
  storage.users.add({
    id: `usr_${name}`,
    email: `${name}@example.com`,
    role: 'viewer',
    tenantId: undefined,
    passwordHash: `scrypt$${costs}$${'A'.repeat(22)}$${'A'.repeat(43)}`,
  })

it('a crowd of sign-ins waits behind itself: one from another network is the next but one', async () => {
  const clock = new FakeClock()
  const windows = new MemoryRateCounter(clock)
  let begun = 0
  const rateCounter: RateCounter = {
    backend: 'memory',
    count: (limit, subject, now) => {
      if (limit.name === 'login-per-account') begun += 1
      return windows.count(limit, subject, now)
    },
  }
  await using served = await mounted(undefined, { clock, parts: { rateCounter } })
  await add(served, 'slow', '17$8$6')
  await add(served, 'honest', '4$8$1')
  for (let each = 0; each < CROWD; each += 1) await add(served, `quick${each}`, '4$8$1')
  const order: string[] = []
  const signIn = async (name: string, address: string) => {
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': address }
    const body = JSON.stringify({ email: `${name}@example.com`, password: 'nope' })
    const { status } = await served.send({ method: 'POST', path: '/login', headers, body })
    order.push(`${name} ${status}`)
  }
  const arrived = async (count: number) => {
    while (begun < count) await turn()
  }
  // At most two passwords are checked at a time; these take so long that all other sign-ins arrive meanwhile.
  const all = [signIn('slow', '192.0.2.1'), signIn('slow', '192.0.2.2')]
  await arrived(2)
  for (let each = 0; each < CROWD; each += 1) {
    all.push(signIn(`quick${each}`, `2001:db8:7:${Math.floor(each / TRIES)}::${each}`))
  }
  await arrived(CROWD + 2)
  all.push(signIn('honest', '2001:db8:8::1'))
  await Promise.all(all)
  const answered = order.filter((each) => each.endsWith(' 401') && !each.startsWith('slow'))
  expect(answered.slice(0, 4)).toContain('honest 401')
  expect(answered).toHaveLength(CROWD + 1)
}, 120_000)
