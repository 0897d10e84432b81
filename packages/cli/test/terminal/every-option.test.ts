import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Answer, Problem } from '@svc/core'
import { commandsOf, inspectedProgram } from '../../../../scripts/generate/command-tree.ts'
import { RecordingIo } from '../../../../test/support/recording-io.ts'
import { runProgram } from '../../src/commands/program.ts'
import type { Connect } from '../../src/program/command-run.ts'
import { CliBench } from '../support/cli-bench.ts'
import { PASSWORD, SPELLINGS, type Stage, stageOf } from './every-command.ts'

// An option that a command forgets to hand on is accepted, and nothing happens. So each option of each
// command must change the request to the control plane, or stand here with the suite that sees it.
const APART: Readonly<Record<string, string>> = {
  'users set-password --password-stdin': 'where the password comes from: program/secret-input',
  'users add --password-stdin': 'where the password comes from: program/secret-input',
  'provision order create --key-stdin': 'where the key comes from: program/connect',
  'provision credential set --stdin': 'where the token comes from: program/secret-input',
  'provision template render --redact': 'it says what is always done',
  'jobs logs --raw': 'no line of this log has a colour: commands/jobs',
  'jobs cancel --wait': 'what follows a cancel: commands/jobs',
  'security deny --force': 'there is nothing to close here: commands/security',
  'security deny --rollback-seconds': 'there is nothing to close here: commands/security',
  'ssh config --write': 'a file: commands/ssh-config',
  'browser scrape --output': 'a file: commands/browser',
}
/** Options that change the output, and nothing else. */
const PRINTS: ReadonlySet<string> = new Set([
  'jobs logs --times',
  'transfer mint --quiet',
  'email domains add --zone',
  'email domains show --zone',
  'email domains rotate-dkim --zone',
])
/** More arguments, without which an option means nothing. */
const WITH: Readonly<Record<string, readonly string[]>> = {
  'provision reconcile --yes': ['--destroy', '4711'],
}
/** Options of every command, which have suites of their own: `program/connect`, `program/render`. */
const COMMON: ReadonlySet<string> = new Set(['--data-dir', '--url', '--json', '--key', '--key-file'])
/** Commands after which others find nothing. A removal that makes a job needs a license that is open. */
const ENDS = /^(?!apps domains).*(?:forget|remove|revoke|suspend)/

let stage: Stage
beforeAll(async () => {
  stage = await stageOf(await CliBench.open())
  // Each operation runs, so that there are answers of all.
  for (const name of NAMES) await asked(argsOf(name))
})
afterAll(() => stage.bench[Symbol.asyncDispose]())

const argsOf = (name: string) => [...name.split(' '), ...(SPELLINGS[name]?.(stage) ?? [])]
const { program } = await inspectedProgram()
const COMMANDS = commandsOf(program)
  .map(({ command, words }) => ({ name: words.slice(1).join(' '), options: command.options }))
  .filter(({ name }) => SPELLINGS[name] !== undefined)
const NAMES = COMMANDS.map(({ name }) => name).sort((one, other) => +ENDS.test(one) - +ENDS.test(other))

// Each operation runs once: a command that ends something does so for itself alone.
const answers = new Map<string, Answer>()
const MOST_CALLS = 12

function recorded(calls: unknown[]): Connect {
  return async ({ actor }) => ({
    run: async (name, input) => {
      calls.push([name, input])
      // A command that waits for something asks again and again.
      if (calls.length > MOST_CALLS) throw new Problem('conflict')
      const answer = answers.get(name) ?? (await stage.bench.plane.operations.run(name, { ...input }, actor))
      answers.set(name, answer)
      return answer
    },
    [Symbol.asyncDispose]: async () => {},
  })
}

async function asked(args: readonly string[]) {
  const calls: unknown[] = []
  const io = new RecordingIo({ secrets: [PASSWORD, PASSWORD], isTty: true, args })
  await runProgram(io, { clock: stage.bench.clock, connect: recorded(calls) })
  return { calls: JSON.stringify(calls), printed: io.out.text, words: io.err.text }
}

async function pair(name: string, { long, flags }: { readonly long: string; readonly flags: string }) {
  const args = [...argsOf(name), ...(WITH[`${name} ${long}`] ?? [])]
  // An option that the command is called with anyway is left out instead.
  const at = args.indexOf(long)
  const takesValue = flags.includes('<')
  const other =
    at < 0
      ? [...args, long, ...(takesValue ? ['7'] : [])]
      : args.filter((_, place) => place !== at && !(takesValue && place === at + 1))
  return [await asked(args), await asked(other)] as const
}

const TRIED = COMMANDS.flatMap(({ name, options }) =>
  options
    .map(({ long, flags }) => ({ name, long: long ?? '', flags }))
    .filter(({ long }) => !COMMON.has(long) && APART[`${name} ${long}`] === undefined),
)

describe('An option is not forgotten', () => {
  test.each(TRIED)('svc $name $flags', async ({ name, ...option }) => {
    const [one, other] = await pair(name, option)
    const what = PRINTS.has(`${name} ${option.long}`) ? 'printed' : 'calls'
    expect(one[what] === other[what] ? `it changes nothing: ${other.words}` : '').toBe('')
  })
})

test('What is listed apart is there', () => {
  const all = COMMANDS.flatMap(({ name, options }) => options.map(({ long }) => `${name} ${long}`))
  const listed = [...Object.keys(APART), ...PRINTS, ...Object.keys(WITH)]
  expect(listed.filter((each) => !all.includes(each))).toEqual([])
})
