import { expect, test } from '@jest/globals'
import { CertificateWatch } from '../../src/host-apps/system/certificate-watch.ts'
import type { Certificate } from '../../src/host-apps/system/proxy-sight.ts'

const DAY_MS = 86_400_000
const START = Date.parse('2026-03-01T00:00:00Z')
const after = (days: number) => new Date(START + days * DAY_MS)
const lasting = (days: number): Certificate => ({ from: after(0), until: after(days) })

test.each([
  ['90 days, 23 left', 90, 67, false],
  ['90 days, 22 left', 90, 68, true],
  ['90 days, ended', 90, 91, true],
  ['12 hours, 4 left', 0.5, 8 / 24, false],
  ['12 hours, 2 left', 0.5, 10 / 24, true],
])('a certificate is told when less than a quarter of its time is left: %s', async (_, days, at, isTold) => {
  using watch = new CertificateWatch(
    () => ['shop.example.com'],
    async () => lasting(days),
  )
  await watch.look()
  const until = after(days).getTime() / 1000
  const told = watch.of('shop.example.com', after(at))
  expect(told).toEqual(isTold ? [{ domain: 'shop.example.com', until }] : [])
})

test('a domain without a certificate is told after two looks, until it has one, and forgotten with its exposure', async () => {
  const shown = new Map<string, Certificate>()
  let domains = ['a.example.com', 'b.example.com']
  using watch = new CertificateWatch(
    () => domains,
    async (domain) => shown.get(domain),
  )
  const told = () => ['a.example.com', 'b.example.com'].flatMap((domain) => watch.of(domain, after(0)))
  shown.set('b.example.com', lasting(90))
  await watch.look()
  expect(told()).toEqual([])
  await watch.look()
  expect(told()).toEqual([{ domain: 'a.example.com' }])
  domains = ['b.example.com']
  await watch.look()
  expect(told()).toEqual([])
  domains = ['a.example.com', 'b.example.com']
  await watch.look()
  shown.set('a.example.com', lasting(90))
  await watch.look()
  shown.delete('b.example.com')
  await watch.look()
  expect(told()).toEqual([])
  await watch.look()
  expect(told()).toEqual([{ domain: 'b.example.com' }])
})
