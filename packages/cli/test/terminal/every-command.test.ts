import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Answer, Problem, type ProblemCode } from '@svc/core'
import { commandsOf, inspectedProgram } from '../../../../scripts/generate/command-tree.ts'
import { RecordingIo, type RecordingIoParts } from '../../../../test/support/recording-io.ts'
import { runProgram } from '../../src/commands/program.ts'
import type { Connect } from '../../src/program/command-run.ts'
import { CliBench } from '../support/cli-bench.ts'
import { APART, PASSWORD, SPELLINGS, type Stage, stageOf } from './every-command.ts'
import { commandsIn, forgedIn, HOSTILE, spoilt } from './hostile-text.ts'

let stage: Stage
beforeAll(async () => {
  stage = await stageOf(await CliBench.open())
})
afterAll(() => stage.bench[Symbol.asyncDispose]())

const NAMES = Object.keys(SPELLINGS)
// Nothing leaves this machine: the receiver's answer is made up.
const MADE_UP: Readonly<Record<string, Answer>> = {
  'alerts.mail-test': { id: 'em_1' },
  'email-alerts.run': {
    ...{
      ok: true,
      planned: { license_expiry: 1, billing_dunning: 0, webhook_disabled: 0 },
      sent: 0,
      deferred: 0,
      failed: 0,
    },
    ...{ no_recipient: 1, cancelled: 0, remaining: 0 },
    items: [{ kind: 'license_expiry', license_id: 'lic_1', step: 7, due_at: 1 }],
  },
  'emails.send': { id: 'em_1', state: 'queued', recipients: 1, suppressed: ['gone@example.net'] },
  'alerts.webhook-test': { delivered: false, http_status: 500, error: 'refused' },
}
const LOGS = 'jobs logs'
const TERMINALS: readonly Omit<RecordingIoParts, 'args'>[] = [
  { isTty: true },
  { isTty: true, env: { NO_COLOR: '1' } },
  { isTty: false },
]

/** Answers each operation once, and as the first time ever after, all texts spoilt. */
function hostilePlane(): Connect {
  const answers = new Map<string, unknown>()
  return async ({ actor }) => ({
    run: async (name, input) => {
      const known = MADE_UP[name] ?? answers.get(name)
      const answer = known ?? (await stage.bench.plane.operations.run(name, { ...input }, actor))
      answers.set(name, answer)
      return spoilt(answer) as Answer
    },
    [Symbol.asyncDispose]: async () => {},
  })
}

const refusing =
  (code: ProblemCode): Connect =>
  async () => {
    throw new Problem(
      code,
      { detail: HOSTILE, details: [HOSTILE], candidates: [HOSTILE] },
      { cause: new Error(HOSTILE) },
    )
  }

async function run(args: readonly string[], connect: Connect, parts: Omit<RecordingIoParts, 'args'>) {
  const secrets = [PASSWORD, PASSWORD]
  const io = new RecordingIo({ secrets, ...parts, args })
  await runProgram(io, { clock: stage.bench.clock, connect })
  return io
}

const argsOf = (name: string) => [...name.split(' '), ...(SPELLINGS[name]?.(stage) ?? [])]

test('Every command of the program is tried here, or has its own tests', async () => {
  const { program } = await inspectedProgram()
  const leaves = commandsOf(program).filter(({ command }) => command.commands.length === 0)
  const names = leaves.map(({ words }) => words.slice(1).join(' '))
  expect([...NAMES, ...APART].toSorted()).toEqual(names.toSorted())
})

describe('A plane whose every text is hostile does not command the terminal', () => {
  test.each(NAMES)('of svc %s', async (name) => {
    const plane = hostilePlane()
    for (const terminal of TERMINALS) {
      const { out, err } = await run(argsOf(name), plane, terminal)
      expect(err.text).not.toContain('unexpected fault')
      expect(`${out.text}${err.text}`.length).toBeGreaterThan(0)
      expect(commandsIn(out.text, name === LOGS)).toEqual([])
      expect(commandsIn(err.text)).toEqual([])
      expect(forgedIn(`${out.text}\n${err.text}`)).toEqual([])
    }
    const json = await run([...argsOf(name), '--json'], plane, { isTty: true })
    expect(commandsIn(json.out.text)).toEqual([])
    expect(commandsIn(json.err.text)).toEqual([])
  })
})

describe('A refusal whose every text is hostile does not command the terminal', () => {
  const codes: readonly ProblemCode[] = ['ambiguous', 'invalid-input', 'unavailable', 'conflict']
  test.each(NAMES)('of svc %s', async (name) => {
    for (const code of codes) {
      const { out, err } = await run(argsOf(name), refusing(code), { isTty: true })
      expect(err.text).toContain('svc: ')
      expect(commandsIn(`${out.text}${err.text}`)).toEqual([])
      expect(forgedIn(err.text)).toEqual([])
    }
  })
})

test('A followed job whose every text is hostile does not command the terminal', async () => {
  const { ended } = stage
  for (const more of [[], ['--json']]) {
    const { out, err } = await run(['jobs', 'logs', ended, '--follow', ...more], hostilePlane(), {
      isTty: true,
    })
    expect(out.text).toContain('hidden')
    expect(commandsIn(`${out.text}${err.text}`, true)).toEqual([])
    expect(forgedIn(`${out.text}\n${err.text}`)).toEqual([])
  }
})

test('What was mistyped is repeated without its commands', async () => {
  for (const args of [[`jobs${HOSTILE}`], ['jobs', HOSTILE], ['jobs', 'list', `--${HOSTILE}`]]) {
    const { out, err } = await run(args, refusing('conflict'), { isTty: true })
    expect(err.text).toContain('hidden')
    expect(commandsIn(`${out.text}${err.text}`, true)).toEqual([])
  }
})

test('Whoever parses the document of --json gets every text as the plane said it', async () => {
  const { document } = await run(['fleet', 'servers', '--json'], hostilePlane(), { isTty: true })
  const [server] = (document as { servers: { hostname: string }[] }).servers
  expect(server?.hostname).toContain(HOSTILE)
})
