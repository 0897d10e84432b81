import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import { CliBench } from '../support/cli-bench.ts'

describe('what the keys of licenses may do', () => {
  let bench: CliBench
  beforeEach(async () => {
    bench = await CliBench.open()
  })
  afterEach(() => bench[Symbol.asyncDispose]())

  const agentOnly = async () => (await bench.plane.licenses.named(PLATFORM, bench.license.id)).agentOnly

  test('a dry run tells the calls of 30 days and changes nothing; without it they are refused, and the way back opens', async () => {
    const { id } = bench.license
    await bench.plane.licenseDeeds.admitKey(id, 'git-hooks')
    await bench.plane.licenseDeeds.admitKey(id, 'git-hooks')
    const dry = await bench.run('licenses', 'restrict', '--all', '--dry-run')
    expect(dry.out.text).toMatch(/^the key of 1 license would act for hosts alone\n/)
    expect(dry.out.text).toMatch(/git-hooks +2 /)
    expect(dry.err.text).toContain('docs/api-tokens.md')
    expect(await agentOnly()).toBe(false)

    expect(await bench.json('licenses', 'restrict', id)).toMatchObject({
      licenses: [{ id, agent_only: true }],
      calls: [{ license: id, deed: 'git-hooks', calls: 2 }],
    })
    await expect(bench.plane.licenseDeeds.admitKey(id, 'git-hooks')).rejects.toMatchObject({
      code: 'credential-refused',
    })
    expect((await bench.run('licenses', 'show', id)).out.text).toContain('act for hosts alone')
    expect((await bench.run('doctor')).err.text).not.toContain('restrict')

    await bench.json('licenses', 'unrestrict', id)
    await bench.plane.licenseDeeds.admitKey(id, 'git-hooks')
  })

  test('all leaves revoked licenses alone, and takes no license beside it', async () => {
    const { license } = await bench.json('licenses', 'issue', '--agent-only')
    expect(license).toMatchObject({ agent_only: true })
    const { licenses } = await bench.json('licenses', 'restrict', '--all')
    expect(licenses).toMatchObject([{ id: bench.license.id }])
    for (const args of [[], [bench.license.id, '--all']])
      expect((await bench.run('licenses', 'restrict', ...args)).exitCode).toBe(2)
    await bench.json('licenses', 'unrestrict', bench.license.id)
    await bench.json('licenses', 'revoke', bench.license.id)
    expect(await bench.json('licenses', 'restrict', '--all')).toMatchObject({ licenses: [] })
  })

  test('calls are forgotten after 30 days', async () => {
    await bench.plane.licenseDeeds.admitKey(bench.license.id, 'scans')
    bench.clock.advance({ days: 30 })
    expect(await bench.plane.licenseDeeds.calls()).toEqual([])
    await bench.plane.scheduler.tick()
    expect(await bench.plane.licenseDeeds.purge()).toBe(0)
  })

  test('the doctor counts the keys that do more', async () => {
    const { err, exitCode } = await bench.run('doctor')
    expect(err.text).toContain(
      'The key of 1 license does more than act for hosts: svc licenses restrict --all',
    )
    expect(exitCode).toBe(0)
  })
})
