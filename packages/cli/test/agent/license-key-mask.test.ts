import { expect, test } from '@jest/globals'
import { withoutKey } from '../../src/agent/run/license-key-mask.ts'
import { AgentBench } from './agent-bench.ts'

test.each([
  ['once', 'a svc_k b', 'svc_k', 'a [license key] b'],
  ['twice', 'svc_k and svc_k', 'svc_k', '[license key] and [license key]'],
  ['twice without a gap', 'svc_ksvc_k', 'svc_k', '[license key][license key]'],
  ['three times, overlapping', 'xabababay', 'aba', 'x[license key]y'],
  ['overlapping, then alone', 'ababa aba', 'aba', '[license key] [license key]'],
  ['not at all', 'nothing', 'svc_k', 'nothing'],
])('A line that holds the key %s keeps no part of it', (_, line, key, said) => {
  expect(withoutKey(line, key, 8192)).toBe(said)
})

test.each([
  ['in the middle of the key', 'xxxxxsvc', 8, 'xxxxx[license key]'],
  ['one character before its end', 'xxxxxxxxxsvc_', 13, 'xxxxxxxxx[license key]'],
  ['between a surrogate pair before the key', 'xxxxxxxsv', 10, 'xxxxxxx[license key]'],
  ['elsewhere', 'xxxxxxxx', 8, 'xxxxxxxx'],
])('A line that was cut %s keeps nothing of the key', (_, line, maxChars, said) => {
  expect(withoutKey(line, 'svc_k', maxChars)).toBe(said)
})

test('A line that was not cut may end as a key begins', () => {
  expect(withoutKey('ends', 'svc_k', 8192)).toBe('ends')
})

test.each(['', ' >&2'])(
  'A license key that a handler prints, however often in a line, is masked in the log and in the error: echo%s',
  async (where) => {
    await using bench = await AgentBench.open()
    const { licenseKey } = bench.plane
    const long = 'x'.repeat(8192 - licenseKey.length + 1)
    bench.handler(
      'deploy',
      [
        `echo "${licenseKey} and ${licenseKey}"`,
        `echo "${long}${licenseKey}"`,
        `echo "last ${licenseKey}${licenseKey}"`,
      ]
        .map((line) => line + where)
        .concat('exit 3')
        .join('\n'),
    )
    const job = bench.plane.enqueue('deploy')
    await bench.start({ once: true }).done
    expect(job.lines).toEqual([
      '[license key] and [license key]',
      `${long}[license key]`,
      'last [license key][license key]',
    ])
    expect(job.error).toBe(where === '' ? 'exit code 3' : 'exit code 3: last [license key][license key]')
    expect(JSON.stringify(bench.plane.calls.map(({ body }) => body))).not.toContain(licenseKey.slice(0, 12))
  },
)
