import { describe, expect, test } from '@jest/globals'
import { farSide } from '../../../../../test/support/far-side.ts'
import { RecordingLog } from '../../../../testing/src/recording-log.ts'
import { machineResolver } from '../../../src/platform/net/dns-machine.ts'
import { operatorOutbound } from '../../../src/platform/net/operator-outbound.ts'
import { ScriptedResolver } from './scripted-resolver.ts'

const NOT_PUBLIC = { ok: false, refusal: 'not-public' }

describe('the client for an address that the operator has set', () => {
  test.each(['127.0.0.1', 'localhost'])('calls this machine: %s', async (host) => {
    await using far = await farSide()
    await using client = operatorOutbound()
    const answer = await client.request(`http://${host}:${far.port}/`, { plainHttp: true })
    expect(answer).toMatchObject({ ok: true, status: 200 })
  })

  test.each(['10.1.2.3', '172.31.0.1', '192.168.1.1', '100.64.0.7', '[fd12:3456::1]'])(
    'admits a private address: %s',
    async (host) => {
      await using client = operatorOutbound({ limits: { connectMs: 200 } })
      // The test environment blocks connections to other machines, so an admitted call fails to connect.
      expect(await client.request(`http://${host}:11434/`, { plainHttp: true })).toEqual({
        ok: false,
        refusal: expect.stringMatching(/connect|timeout/),
      })
    },
  )

  test.each([
    '169.254.169.254',
    '169.254.170.2',
    '[fe80::1]',
    '[::ffff:169.254.169.254]',
    '[64:ff9b::a9fe:a9fe]',
    '[fd00:ec2::254]',
    '[fd20:ce::254]',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '0.0.0.0',
    '[::]',
    '224.0.0.1',
    '192.0.2.1',
    '255.255.255.255',
  ])('refuses metadata, link-local and special addresses all the same: %s', async (host) => {
    await using client = operatorOutbound()
    expect(await client.stream(`http://${host}/latest/`, { plainHttp: true })).toEqual(NOT_PUBLIC)
  })

  test('refuses a name that turns into the metadata service, alone or beside a good address', async () => {
    await using far = await farSide()
    const resolver = new ScriptedResolver({
      'model.example': [['127.0.0.1'], ['169.254.169.254'], ['127.0.0.1', '169.254.169.254']],
    })
    const log = new RecordingLog()
    await using client = operatorOutbound({ resolver, log })
    const call = () => client.request(`http://model.example:${far.port}/s3cret`, { plainHttp: true })
    expect(await call()).toMatchObject({ ok: true })
    expect(await call()).toEqual(NOT_PUBLIC)
    expect(await call()).toEqual(NOT_PUBLIC)
    expect(far.connections()).toBe(1)
    expect(log.lines).toMatchObject([
      { level: 'warn', fields: { refusal: 'not-public', host: 'model.example' } },
      { fields: { refusal: 'not-public' } },
    ])
    expect(log.text()).not.toMatch(/s3cret|169\.254/)
  })
})

describe('the resolver of the machine', () => {
  test('knows localhost, which DNS servers need not', async () => {
    const found = await machineResolver().resolve('localhost')
    expect(found.length).toBeGreaterThan(0)
    for (const address of found) expect(['127.0.0.1', '::1']).toContain(address)
  })

  test('asks once for those who ask at the same time, and anew for those who come later', async () => {
    const resolver = machineResolver()
    const [one, other] = [resolver.resolve('localhost'), resolver.resolve('localhost')]
    expect(other).toBe(one)
    await one
    expect(resolver.resolve('localhost')).not.toBe(one)
  })

  test('rejects for a name that there is not, each time it is asked', async () => {
    const resolver = machineResolver()
    // A label has at most 63 characters, so no server is asked.
    const name = `${'x'.repeat(64)}.invalid`
    await expect(resolver.resolve(name)).rejects.toMatchObject({ code: expect.any(String) })
    await expect(resolver.resolve(name)).rejects.toMatchObject({ code: expect.any(String) })
  })
})
