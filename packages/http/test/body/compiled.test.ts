import { describe, expect, it } from '@jest/globals'
import { Problem } from '@svc/core'
import fc from 'fast-check'
import { type Infer, mask, Struct, string } from 'superstruct'
import { compiled, MISMATCH } from '../../src/exchange/body/compiled.ts'
import { hotJsonBody } from '../../src/exchange/body/json-body.ts'
import type { Shape } from '../../src/exchange/body/shape.ts'
import { claimBody } from '../../src/routes/claim.ts'
import { logsBody } from '../../src/routes/job-logs.ts'
import { statusBody } from '../../src/routes/job-status.ts'
import { heartbeatBody } from '../../src/routes/telemetry.ts'

/** Reads a value with the struct: the oracle for every compiled reader. */
function byStruct(shape: Shape, value: unknown): unknown {
  try {
    return mask(value, shape as Struct<unknown, unknown>)
  } catch {
    return MISMATCH
  }
}

const scalar = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.constantFrom(
    'running',
    'failed',
    '',
    'x'.repeat(255),
    'x'.repeat(256),
    'x'.repeat(513),
    'x'.repeat(8193),
  ),
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constantFrom(null, Number.POSITIVE_INFINITY, -0, 2 ** 31, 2 ** 53),
)
const odd = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(fc.string(), scalar, { maxKeys: 3 }),
)
const either = <T>(good: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 6, arbitrary: good }, { weight: 1, arbitrary: odd })
const words = (max: number) => fc.string({ maxLength: max })
const count = fc.integer({ min: 0, max: 1000 })

const bodies: readonly (readonly [string, Shape, Record<string, fc.Arbitrary<unknown>>])[] = [
  ['claim', claimBody, { fingerprint: words(20) }],
  [
    'heartbeat',
    heartbeatBody,
    {
      fingerprint: words(20),
      hostname: words(300),
      version: words(130),
      state: words(70),
      boot_id: words(130),
      cpu_pct: fc.double(),
      mem_pct: fc.double(),
      disk_pct: count,
      disk_total_gb: count,
      backup_health: fc.record(
        { last_capture_at: either(count), success: either(fc.boolean()), more: odd },
        { requiredKeys: [] },
      ),
      restore_drill: fc.record({ last_at: either(count), pass: either(fc.boolean()) }, { requiredKeys: [] }),
      jobs: fc.array(fc.record({ id: either(words(70)), attempt: either(count), more: odd }), {
        maxLength: 66,
      }),
    },
  ],
  [
    'status',
    statusBody,
    {
      fingerprint: words(20),
      state: fc.constantFrom('pending', 'running', 'succeeded', 'failed', 'done'),
      exit_code: fc.integer(),
      error: words(50),
      attempt: count,
    },
  ],
  [
    'logs',
    logsBody,
    {
      lines: fc.array(fc.record({ ts: either(fc.double()), line: either(words(30)), more: odd }), {
        maxLength: 12,
      }),
      fingerprint: words(20),
      attempt: count,
      offset: count,
    },
  ],
]

describe('a compiled reader', () => {
  it.each(bodies)('reads %s bodies as the struct does', (_, shape, fields) => {
    const read = compiled(shape)
    const named = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, either(field)]))
    const body = fc.oneof(
      { weight: 9, arbitrary: fc.record({ ...named, more: odd, constructor: odd }, { requiredKeys: [] }) },
      { weight: 1, arbitrary: odd },
    )
    let taken = 0
    fc.assert(
      fc.property(body, (value) => {
        const expected = byStruct(shape, value)
        if (expected !== MISMATCH) taken += 1
        expect(read(value)).toEqual(expected)
      }),
      { numRuns: 2000 },
    )
    // Both outcomes occurred.
    expect(taken).toBeGreaterThan(100)
  })

  it('takes 10,000 and refuses 10,001 lines, as the struct does', () => {
    const lines = (length: number) => ({ lines: Array.from({ length }, (_, ts) => ({ ts, line: 'x' })) })
    expect(compiled(logsBody)(lines(10_000))).toEqual(byStruct(logsBody, lines(10_000)))
    expect(compiled(logsBody)(lines(10_001))).toBe(MISMATCH)
    expect(byStruct(logsBody, lines(10_001))).toBe(MISMATCH)
  })

  // superstruct walks a value some forty times as slowly as the compiled reader.
  it('asks the struct for bad bodies alone', () => {
    let asked = 0
    const { entries, refiner, coercer, validator } = logsBody
    const counted = new Struct({
      type: logsBody.type,
      schema: logsBody.schema,
      coercer,
      refiner,
      entries,
      validator: (value, context) => {
        asked += 1
        return validator(value, context)
      },
    })
    const body = hotJsonBody(counted)
    const lines = Array.from({ length: 10_000 }, (_, ts) => ({ ts, line: 'x' }))
    expect(body.accept({ lines })).toEqual({ lines })
    expect(asked).toBe(0)
    expect(() => body.accept({ lines: [...lines, { ts: 1, line: 'x' }] })).toThrow(Problem)
    expect(asked).toBeGreaterThan(0)
  })

  it('leaves the messages to the struct', () => {
    const body: Infer<typeof claimBody> = { fingerprint: '' }
    expect(() => hotJsonBody(claimBody).accept(body)).toThrow(Problem)
  })

  it('knows no structs but those of the core', () => {
    expect(() => compiled(string())).toThrow('a struct of type string cannot be compiled')
  })
})
