import fc from 'fast-check'
import type { Spelled } from './json-spelling.ts'

const MAX_LINES = 1000
const LINE_CHARS = 8192

const lines = (line: string): string => `[${Array(MAX_LINES).fill(`{"ts":1,"line":"${line}"}`).join()}]`

// Bodies of megabytes for the one route that takes them: the largest legal one, the costliest to read, and
// ones beyond the limit.
const HUGE = [
  () => lines('x'.repeat(LINE_CHARS)),
  () => lines('\\u0001'.repeat(LINE_CHARS / 4)),
  () => lines('\\\\'.repeat(LINE_CHARS / 2)),
  () => `[${'0,'.repeat(4_000_000)}0]`,
  () => `[${'{"ts":1,"line":""},'.repeat(400_000)}0]`,
  () => `[${'[],'.repeat(4_000_000)}0]`,
  () => lines('漢'.repeat(LINE_CHARS)),
  () => lines('x'.repeat(3 * LINE_CHARS + 1000)),
]

/** Returns such bodies as JSON, good and bad. */
export const hugeBodies = (): readonly string[] => HUGE.map((text) => `{"fingerprint":"f","lines":${text()}}`)

/** Changes a log request to have megabytes of lines. */
export const hugeLines: fc.Arbitrary<(value: Spelled) => Spelled> = fc
  .constantFrom(...HUGE)
  .map((text) => () => ({ fields: [['lines', { raw: text() }]] }))
