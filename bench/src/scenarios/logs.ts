import type { Scenario } from '../scenario.ts'
import { LOG_WAYS, logAppend, logRead } from './log-parts.ts'

const QUICKER = { 1: 3.2, 20: 2.5, 200: 2.2 } as const

const append = (lines: keyof typeof QUICKER): Scenario => ({
  name: `logs-${lines}`,
  question: `Appending ${lines} ${lines === 1 ? 'line' : 'lines'} of 80 characters a request, 32 writers, redaction included`,
  variants: [
    logAppend('rows', lines),
    logAppend('svc', lines),
    logAppend('append', lines),
    logAppend('writes', lines),
    logAppend('bare', lines),
  ],
  baseline: LOG_WAYS.rows,
  gates: [
    {
      goal: `append-${lines}`,
      figure: 'perSecond',
      of: LOG_WAYS.svc,
      over: LOG_WAYS.rows,
      pieces: LOG_WAYS.append,
      atLeast: QUICKER[lines],
    },
  ],
})

const large = append(200)

/** Output of jobs, written and read. */
export const logs: readonly Scenario[] = [
  append(1),
  { ...append(20), isQuick: true },
  {
    ...large,
    gates: [
      ...large.gates,
      { goal: 'disk', figure: 'diskBytesPerLine', of: LOG_WAYS.svc, over: LOG_WAYS.rows, atMost: 0.25 },
    ],
  },
  {
    name: 'logs-read',
    question: 'Reading a log of 100,000 lines',
    variants: [logRead('rows', 100_000, 5000), logRead('svc', 100_000, 5000)],
    baseline: LOG_WAYS.rows,
    gates: [{ goal: 'read', figure: 'perSecond', of: LOG_WAYS.svc, over: LOG_WAYS.rows, atLeast: 1.7 }],
  },
]
