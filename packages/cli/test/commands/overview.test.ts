import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { CliBench } from '../support/cli-bench.ts'

let bench: CliBench
beforeEach(async () => {
  bench = await CliBench.open({})
})
afterEach(() => bench[Symbol.asyncDispose]())

test('svc overview counts, and names what the last system check found once there was one', async () => {
  await bench.host('f'.repeat(40), 'web-1')
  const before = (await bench.run('overview')).out.text
  expect(before).toMatch(/hosts +1 up, 0 silent, 0 draining/)
  expect(before).not.toContain('system')
  await bench.plane.scheduler.tick()
  const { checks = [] } = bench.plane.systemCheck.last ?? {}
  const found = checks.filter(({ status }) => status === 'warn' || status === 'fail')
  const line = (await bench.run('overview')).out.text.split('\n').find((each) => /^ *system/.test(each))
  for (const { name, detail } of found) expect(line).toContain(`${name} ${detail}`)
  expect(line).toContain('see svc doctor')
  for (const { name } of checks.filter((each) => !found.includes(each)))
    expect(line).not.toContain(`${name},`)
  expect((await bench.json('overview')) as object).toMatchObject({ system: { findings: found } })
})
