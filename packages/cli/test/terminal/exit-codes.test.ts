import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { FakeClock } from '@svc/testing'
import { RecordingIo } from '../../../../test/support/recording-io.ts'
import { runProgram } from '../../src/commands/program.ts'
import '../../../../test/support/standard-input.ts'

// A script sees the exit code alone: a command that finds something bad must not end with 0. Each row has the
// answers of the control plane in good scenes and in bad ones.
interface Scene {
  readonly command: string
  /** The file of the command. */
  readonly file: string
  readonly good: readonly Answers[]
  readonly bad: readonly Answers[]
}
/** Answers by operation; of a list one each time. */
type Answers = Readonly<Record<string, object | readonly object[]>>

const SHA = 'a'.repeat(40)
const gates = (missing: readonly string[], faults: readonly string[] = []) => ({
  'provision.check': { missing, template_faults: faults },
})
const server = { id: '7', name: 'web', is_running: true, labels: {} }
const agreed = { provider: 'hetzner', plane_id: 'pln_1', orphans: [], missing: [], over_price: [] }
const order = {
  id: 'pord_1',
  state: 'active',
  plan: 'small',
  provider: 'hetzner',
  license_id: 'lic_1',
  created_at: 0,
}
const target = (verified: boolean) => ({
  'surface.verify': {
    target: { id: 'srt_1', domain: 'shop.example', license_id: 'lic_1', verified, created_at: 0 },
    challenge: { type: 'TXT', name: '_svc-challenge.shop.example', value: 'svc-site-verification=x' },
  },
})
const scan = (state: string) => ({
  id: 'scn_1',
  state,
  progress: 1,
  hosts: [],
  errors: [],
  skipped: [],
  params: {},
})
const watched = (...states: readonly string[]) => ({
  'surface.scan': { scan: scan('queued') },
  'surface.show': states.map((state) => ({
    ...target(true)['surface.verify'],
    scan: scan(state),
    findings: [],
  })),
})
const goal = (ok: boolean, status: string) => ({
  'browser.run': { ok, status, steps: [], answer: 'x', final_url: 'https://shop.example/', usage: {} },
})

const SCENES: readonly Scene[] = [
  {
    command: 'provision check',
    file: 'provision/provision-desk',
    good: [gates([])],
    bad: [gates(['live']), gates(['token', 'ceiling']), gates(['template'], ['no {{nonce}}'])],
  },
  {
    command: 'provision template check',
    file: 'provision/provision-desk',
    good: [gates([]), gates(['live'])],
    bad: [gates([], ['no {{nonce}}'])],
  },
  {
    command: 'provision step',
    file: 'provision/provision-desk',
    good: [{ 'provision.step': { results: [], remaining: 0 } }],
    bad: [{ 'provision.step': { missing: ['live'] } }],
  },
  {
    command: 'provision reconcile',
    file: 'provision/provision-desk',
    good: [{ 'provision.reconcile': agreed }],
    bad: [
      { 'provision.reconcile': { ...agreed, orphans: [server] } },
      { 'provision.reconcile': { ...agreed, missing: [order] } },
      { 'provision.reconcile': { ...agreed, over_price: [{ order_id: 'pord_1', price: '7.00 EUR' }] } },
    ],
  },
  {
    command: 'email relay check',
    file: 'email/email-queue',
    good: [{ 'email-relay.check': { ok: true, tls: true } }],
    bad: [{ 'email-relay.check': { ok: false, fault: 'unreachable', detail: 'ECONNREFUSED' } }],
  },
  {
    command: `git test shop --sha ${SHA}`,
    file: 'git/git-arrivals',
    good: [{ 'git.test': { delivered: true, http_status: 202 } }],
    bad: [
      { 'git.test': { delivered: false, http_status: 502 } },
      { 'git.test': { delivered: false, error: 'refused' } },
    ],
  },
  {
    command: 'alerts webhook-test',
    file: 'alerts/alerts-webhooks',
    good: [{ 'alerts.webhook-test': { delivered: true, http_status: 200 } }],
    bad: [{ 'alerts.webhook-test': { delivered: false, error: 'refused' } }],
  },
  {
    command: 'secrets rotate',
    file: 'secrets',
    good: [
      {
        'secrets.rotate': [
          { rotated: 2, unreadable: 0, next: 'a' },
          { rotated: 0, unreadable: 0 },
        ],
      },
    ],
    bad: [
      { 'secrets.rotate': { rotated: 0, unreadable: 1 } },
      // An earlier batch that could not be read is not forgotten.
      {
        'secrets.rotate': [
          { rotated: 2, unreadable: 1, next: 'a' },
          { rotated: 1, unreadable: 0 },
        ],
      },
    ],
  },
  {
    command: 'surface verify shop.example',
    file: 'surface/surface',
    good: [target(true)],
    bad: [target(false)],
  },
  {
    command: 'surface scan shop.example --watch',
    file: 'surface/surface',
    good: [watched('done'), watched('running', 'done')],
    bad: [watched('failed'), watched('running', 'aborted')],
  },
  {
    command: 'browser run prices --page https://shop.example/',
    file: 'browser/browser-run',
    good: [goal(true, 'completed')],
    bad: [goal(false, 'failed'), goal(false, 'blocked'), goal(false, 'needs_confirmation')],
  },
]

/** Files whose exit codes other suites see, because no answer alone decides them. */
const APART: Readonly<Record<string, string>> = {
  'doctor/doctor': 'commands/doctor',
  'jobs/jobs-cancel': 'commands/jobs',
  'jobs/follow': 'commands/follow',
  'transfer-keys/transfer-verify': 'commands/transfer',
  'webhooks/webhook-verify': 'commands/webhooks',
  'retention/retention-verify': 'commands/retention',
  'browser/browser-doctor': 'browser/leaks',
  'serve/serve': 'process/serve',
  'serve/stop-request': 'process/drain',
  'agent/agent-doctor': '../../../test/packed/hosting',
  'agent/agent-run': 'process/agent-run',
  'relay/relay-serve': 'process/ssh',
  migrate: 'process/migrate',
}

async function exitCodeOf(command: string, answers: Answers): Promise<number | undefined> {
  const io = new RecordingIo({ args: [...command.split(' '), '--json'], isTty: true })
  const clock = new FakeClock()
  const taken = new Map<string, number>()
  const run = async (name: string) => {
    const answer = answers[name]
    if (answer === undefined) throw new Error(`the row has no answer of ${name}`)
    const turn = taken.get(name) ?? 0
    taken.set(name, turn + 1)
    return Array.isArray(answer) ? answer[Math.min(turn, answer.length - 1)] : answer
  }
  const ended = runProgram(io, {
    clock,
    connect: async () => ({ run, [Symbol.asyncDispose]: async () => {} }),
  })
  // The time between two looks of a command passes at once.
  const passing = setInterval(() => clock.advance({ seconds: 5 }), 5)
  await ended.finally(() => clearInterval(passing))
  expect(io.err.text).not.toContain('unexpected fault')
  return io.exitCode
}

describe('svc', () => {
  test.each(
    SCENES.flatMap(({ command, good, bad }) => [
      ...good.map((answers) => ({ command, answers, code: 0 })),
      ...bad.map((answers) => ({ command, answers, code: 1 })),
    ]),
  )('$command ends with $code: $answers', async ({ command, answers, code }) => {
    expect(await exitCodeOf(command, answers)).toBe(code)
  })
})

const COMMANDS = join(import.meta.dirname, '../../src/commands')

test('Each command that can end badly has a row, or stands with the suite that sees it', () => {
  const files = globSync('**/*.ts', { cwd: COMMANDS })
    .filter((path) => readFileSync(join(COMMANDS, path), 'utf8').includes('EXIT.failed'))
    .map((path) => path.replace(/\.ts$/, ''))
  const known = new Set([...SCENES.map(({ file }) => file), ...Object.keys(APART)])
  expect([...known].sort()).toEqual(files.sort())
  const suites = Object.values(APART).map((name) => join(import.meta.dirname, '..', `${name}.test.ts`))
  expect(globSync(suites)).toHaveLength(new Set(suites).size)
  // A number in the place of a name would escape this test.
  expect(
    files.filter((path) => / \? undefined : 1$/m.test(readFileSync(join(COMMANDS, `${path}.ts`), 'utf8'))),
  ).toEqual([])
})
