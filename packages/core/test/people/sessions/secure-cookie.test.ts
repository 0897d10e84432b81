import { expect, it } from '@jest/globals'
import { testPlane } from '@svc/testing'

it.each([
  ['production', undefined, true],
  ['production', 'https://svc.example', true],
  ['production', 'http://10.0.0.5:8080', false],
  ['development', undefined, false],
  ['development', 'https://svc.example', true],
])('The cookie of %s at %s is for https only: %s', async (mode, address, isSecure) => {
  await using faked = testPlane({ env: { NODE_ENV: mode, SERVICE_PUBLIC_URL: address } })
  const user = await faked.plane.users.add({
    email: 'ada@svc.example',
    role: 'viewer',
    tenantId: undefined,
    password: undefined,
  })
  const { setCookie } = await faked.plane.sessions.mint(user)
  expect(setCookie.split('; ').includes('Secure')).toBe(isSecure)
})
