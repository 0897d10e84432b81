import { parseArgs } from 'node:util'

/** Options of the command line. */
export interface Options {
  /** Names of scenarios; empty: all. */
  readonly scenarios: readonly string[]
  readonly rounds: number
  readonly seconds: number
  readonly warmSeconds: number
  readonly isQuick: boolean
  readonly isSmall: boolean
  readonly isGate: boolean
  readonly isProfiled: boolean
  readonly isJson: boolean
  readonly isList: boolean
  readonly isReport: boolean
  readonly isKept: boolean
}

/** Usage text of the command line. */
export const USAGE = `npm run bench -- [scenario …] [options]
npm run bench -- year [--scale 1/30]: each statement on a year of history, beside none

  --list          the scenarios, their questions and goals
  --quick         the few that say most, three rounds of a second
  --rounds N      rounds to measure (5)
  --seconds S     seconds of a round (2)
  --warm S        seconds of warm-up (5)
  --small         small data sets: shows whether it works, not how fast it is
  --profile       one more round each that looks where the time goes
  --gate          exit code 1 when a goal is missed in two of three tries
  --json          one line of JSON for each scenario instead of tables
  --no-results    keep nothing in bench/results
  --report        write the tables of bench/results/README.md from the newest results`

/**
 * A warm-up takes seconds because the engine takes seconds to compile code that a server then runs for
 * months.
 */
const DEFAULTS = { rounds: 5, seconds: 2, warm: 5 }
const QUICK = { rounds: 3, seconds: 1, warm: 2 }

/**
 * Reads the command line.
 * @throws Error for an unknown flag, or a number that is not above 0
 */
export function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      warm: { type: 'string' },
      quick: { type: 'boolean', default: false },
      small: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      gate: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      report: { type: 'boolean', default: false },
      'no-results': { type: 'boolean', default: false },
    },
  })
  const usual = values.quick ? QUICK : DEFAULTS
  return {
    scenarios: positionals,
    rounds: Math.round(positive('rounds', values.rounds, usual.rounds)),
    seconds: positive('seconds', values.seconds, usual.seconds),
    warmSeconds: positive('warm', values.warm, usual.warm),
    isQuick: values.quick,
    isSmall: values.small,
    isGate: values.gate,
    isProfiled: values.profile,
    isJson: values.json,
    isList: values.list,
    isReport: values.report,
    isKept: !values['no-results'],
  }
}

function positive(name: string, given: string | undefined, usual: number): number {
  const value = given === undefined ? usual : Number(given)
  if (!(value > 0)) throw new Error(`--${name} must be a number above 0`)
  return value
}
