import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { CliBench } from '../support/cli-bench.ts'

let bench: CliBench
beforeEach(async () => {
  bench = await CliBench.open({ ATTACK_SURFACE_MAX_CONCURRENT: '2' })
})
afterEach(() => bench[Symbol.asyncDispose]())

const DOMAIN = 'shop.example'
const record = () => bench.plane.surface.challenge(bench.license.id, DOMAIN)
const add = () => bench.run('surface', 'add', DOMAIN, '--license', bench.license.id)

test('A domain is added with the line for its zone, and proven when it is published', async () => {
  const { name, value } = record()
  const added = await add()
  expect(added.exitCode).toBe(0)
  expect(added.out.text).toContain('not proven')
  expect(added.err.text).toContain(`${name}. IN TXT "${value}"`)
  const early = await bench.run('surface', 'verify', DOMAIN)
  expect([early.exitCode, early.out.text]).toEqual([1, expect.stringContaining('no TXT record')])
  bench.dns.answer(name, value)
  const proven = await bench.run('surface', 'verify', DOMAIN)
  expect([proven.exitCode, proven.out.text]).toEqual([0, expect.stringContaining('proven since')])
  const listed = await bench.run('surface', 'list')
  expect(listed.out.text).toMatch(/shop\.example +proven +never/)
})

test('A scan of a domain that is not proven ends with code 4, and says what to publish', async () => {
  await add()
  const refused = await bench.run('surface', 'scan', DOMAIN)
  expect(refused.exitCode).toBe(4)
  expect(refused.err.text).toContain(`${record().name} "${record().value}"`)
})

test('A watched scan shows what was skipped and found, and its end', async () => {
  bench.dns.answer(record().name, record().value)
  await add()
  bench.dns.answer(DOMAIN, '10.0.0.1')
  await bench.plane.scheduler.tick()
  const args = ['surface', 'scan', DOMAIN, '--watch', '--check', 'ports', 'files', '--ports', '22,80']
  const watched = await bench.run(...args)
  expect([watched.exitCode, watched.err.text]).toEqual([0, expect.any(String)])
  expect(watched.out.text).toContain('shop.example: private_address')
  expect(watched.out.text).toMatch(/state +done/)
  const shown = await bench.json('surface', 'show', DOMAIN)
  expect(shown).toMatchObject({
    target: { domain: DOMAIN },
    scan: { state: 'done', checks: ['ports', 'files'] },
  })
  expect((await bench.run('surface', 'show', DOMAIN)).out.text).toContain('private_address')
  const none = await bench.run('surface', 'findings', DOMAIN, '--open')
  expect([none.exitCode, none.err.text]).toEqual([0, 'No findings.\n'])
})

test('A scan that waits is ended, and a domain is removed with what was there', async () => {
  bench.dns.answer(record().name, record().value)
  await add()
  const { scan } = (await bench.json('surface', 'scan', DOMAIN)) as { scan: { id: string } }
  const aborted = await bench.run('surface', 'abort', scan.id)
  expect([aborted.exitCode, aborted.out.text]).toEqual([0, `${scan.id} is aborted\n`])
  const removed = await bench.run('surface', 'remove', DOMAIN)
  expect([removed.exitCode, removed.out.text]).toEqual([0, 'shop.example is removed\n'])
  expect((await bench.run('surface', 'show', DOMAIN)).exitCode).toBe(5)
  expect((await bench.run('surface', 'scan', DOMAIN, '--ports', '22,x')).exitCode).toBe(2)
})
