import { describe, expect, it, test } from '@jest/globals'
import { envSecretsOf, withoutSecrets } from '../../src/agent/run/env-secrets.ts'
import { AgentBench } from './agent-bench.ts'

const KEY = '-----BEGIN KEY-----\nline-one-of-it\nshort\n-----END KEY-----'
const payload = {
  env: { TOKEN: 'abcdefgh-1', LONGER: 'abcdefgh-1-and-more', TINY: 'seven77', KEY, LEVEL: 'debugging' },
}
const raw = { env_secrets: ['TOKEN', 'LONGER', 'TINY', 'KEY', 'NONE'] }

describe('the secrets of a job', () => {
  it('are the values that it names, each line by itself, the longest first, from 8 characters on', () => {
    expect(envSecretsOf({ payload, raw })).toEqual([
      'abcdefgh-1-and-more',
      '-----BEGIN KEY-----',
      '-----END KEY-----',
      'line-one-of-it',
      'abcdefgh-1',
    ])
  })

  it.each([
    [{}, {}],
    [{ env: 'text' }, { env_secrets: ['A'] }],
    [{ env: { A: 'a long value' } }, {}],
    [{ env: { A: 'a long value' }, env_secrets: ['A'] }, {}],
    [{ env: null }, { env_secrets: [1] }],
  ])('are none for %j beside %j', (payloadOf, rawOf) => {
    expect(envSecretsOf({ payload: payloadOf, raw: rawOf })).toEqual([])
  })

  it('are masked wherever they stand in a line, and where a line was cut within one', () => {
    const secrets = envSecretsOf({ payload, raw })
    expect(withoutSecrets('a abcdefgh-1-and-more b abcdefgh-1 seven77 debugging', secrets, 8192)).toBe(
      'a *** b *** seven77 debugging',
    )
    expect(withoutSecrets('0123456789abcdefgh-', secrets, 19)).toBe('0123456789***')
  })
})

test('The output of a deploy shows no secret of its app, and its handler gets the values', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', '. "$SVC_ENV_FILE"; echo "token $TOKEN level $LEVEL"; test "$TOKEN" = abcdefgh-1')
  const job = bench.plane.enqueue('deploy', payload, raw)
  await bench.start({ once: true }).done
  expect(job).toMatchObject({ state: 'succeeded', lines: ['token *** level debugging'] })
})

test('A deploy whose variables were withheld says why to its handler', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', 'echo "withheld: $SVC_ENV_WITHHELD"')
  const job = bench.plane.enqueue(
    'deploy',
    { app: 'shop' },
    { env_withheld: 'the claim does not prove the key' },
  )
  await bench.start({ once: true }).done
  expect(job.lines).toEqual(['withheld: the claim does not prove the key'])
})
