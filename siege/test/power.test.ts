// Tests of the checks of a siege: the siege must detect every service that does one thing wrong.
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { sample } from '../../test/support/sample.ts'
import { Siege } from '../src/siege.ts'
import { medianOf, type SiegeReport, shortcomings } from '../src/siege-report.ts'

const SEED = 2_062_746_614
const BAD = 1200
const QUIET_MS = 200
/** A fault takes up to 20 s, so a run tries a part of them. */
const PARTS = 8
const TIMEOUT_MS = 180_000

let siege: Siege
beforeAll(async () => {
  siege = await Siege.begin('postgresql')
}, TIMEOUT_MS)
afterAll(() => siege[Symbol.asyncDispose]())

/** Returns the verdict of a siege on a service with this fault, by the report that `judged` returns. */
async function verdict(fault: string, judged = (report: SiegeReport) => report): Promise<string> {
  expect(await siege.plant(fault)).toBe(fault !== 'nothing')
  try {
    const report = await siege.send({ bad: BAD, seed: SEED, quietMs: QUIET_MS })
    return shortcomings(judged(report), []).join('\n')
  } catch (error) {
    return String(error)
  }
}

it('nothing wrong: nothing is found', () => expect(verdict('nothing')).resolves.toBe(''), TIMEOUT_MS)

/** The report as of a machine where nothing else runs: a busy one has higher limits. */
const onQuietMachine = (report: SiegeReport): SiegeReport => {
  const { quiet } = report
  return { ...report, pace: 1, quiet: { ...quiet, bystander: { ...quiet.bystander, p99: 0 } } }
}

/** The median of a paced client shows it, where the time before the attack does not. */
async function slowedClient(): Promise<void> {
  await siege.plant('a slowed client')
  const paced = { requests: 1024, perSecond: 250 }
  const { paced: held, quiet } = await siege.send({ bad: 600, seed: SEED, quietMs: QUIET_MS, paced })
  expect(medianOf(held?.bystander ?? quiet.bystander)).toBeGreaterThan(50)
}

// A loop that is blocked for long makes the database look unreachable, too.
const blockedLoop = () =>
  expect(verdict('a blocked loop', onQuietMachine)).resolves.toMatch(
    /a turn of the event loop took \d+ ms|status 503 is not documented|a fault was logged: .*"code":"unavailable"/,
  )

const SAID = [
  ['a 500', /status 500 is not documented/],
  ['an undocumented status', /status 422 is not documented/],
  ['an echoed value', /the error repeats what was sent/],
  ['an echoed credential', /a header repeats what was sent/],
  ['13 details', /there are 13 details/],
  ['an error that is no JSON', /the error is not JSON/],
  ['an error with its inside', /the error has more fields: stack/],
  ['a value in the log', /the log repeats what was sent/],
  ['a fault in the log', /a fault was logged/],
  ['a row from a refused request', /refused requests changed rows: licenses was/],
  ['a row that a refused request changes', /refused requests changed rows: admins was/],
  ['a leak', /memory \(held\) went from/],
  ['a starved client', /requests of the good client failed/],
  ['no answer', /no answer to/],
  ['the end', /the service has ended/],
] as const

// The last fault ends the service.
const CASES: readonly (readonly [fault: string, find: () => Promise<void>])[] = [
  ['a slowed client', slowedClient],
  ['a blocked loop', blockedLoop],
  ...SAID.map(([fault, said]) => [fault, () => expect(verdict(fault)).resolves.toMatch(said)] as const),
]

it.each(sample(CASES, PARTS))('%s is found', (_fault, find) => find(), TIMEOUT_MS)
