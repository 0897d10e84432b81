import { Problem } from '../../kernel/problem.ts'
import { canonicalExpected, setOf } from '../../platform/dns/dns-answer.ts'
import { hostOf, MAX_EXPECTED, MAX_VALUE_CHARS, type MonitorDefinition, resolversFault } from './monitor.ts'

/** A definition as an operator writes it; its numbers are within their bounds. */
export interface WrittenDefinition
  extends Pick<
    MonitorDefinition,
    'host' | 'type' | 'mode' | 'match' | 'intervalSeconds' | 'confirmations' | 'resolvers'
  > {
  readonly expected: readonly string[] | undefined
}

function expectationFault({ mode, match, expected = [] }: WrittenDefinition): string | undefined {
  if (mode === 'baseline') {
    if (expected.length > 0) return 'expected: a baseline takes the first good answer; use mode expect'
    return match === 'absent' ? 'match: absent needs mode expect' : undefined
  }
  if (expected.length === 0 && match !== 'absent') return 'expected: mode expect needs at least one value'
  const isBounded =
    expected.length <= MAX_EXPECTED && expected.every((each) => each.length <= MAX_VALUE_CHARS)
  return isBounded
    ? undefined
    : `expected: at most ${MAX_EXPECTED} values of at most ${MAX_VALUE_CHARS} characters`
}

const HOST_FAULT = 'host: expected a fully qualified name, not localhost, .local, .internal or .arpa'

/**
 * Returns the definition in its canonical form.
 * @throws Problem `invalid-input` with the faults by field
 */
export function readDefinition(written: WrittenDefinition): MonitorDefinition {
  const { type, expected = [] } = written
  const host = hostOf(written.host)
  const values = expected.map((each) => canonicalExpected(type, each))
  const known = values.filter((value) => value !== undefined)
  const faults = [
    host === undefined ? HOST_FAULT : undefined,
    expectationFault(written),
    known.length < values.length ? `expected: a value is not one of a ${type} record` : undefined,
    resolversFault(written.resolvers),
  ].filter((fault) => fault !== undefined)
  if (host === undefined || faults.length > 0) throw new Problem('invalid-input', { details: faults })
  return {
    ...written,
    host,
    expected: written.mode === 'baseline' ? undefined : setOf(known),
    resolvers: [...new Set(written.resolvers)],
  }
}

/** Changes of an operator to a definition. Absent fields keep their values. */
export type DefinitionChange = Partial<WrittenDefinition>

/** A changed definition, and whether the findings under the old one become void. */
export interface ChangedDefinition {
  readonly definition: MonitorDefinition
  readonly startsOver: boolean
}

/**
 * Applies a change to a definition. Another name, type or mode is another question, so all findings are
 * dropped. A baseline that becomes an expectation keeps its expected values unless new ones are given.
 * @throws Problem `invalid-input`
 */
export function changedDefinition(old: MonitorDefinition, change: DefinitionChange): ChangedDefinition {
  const mode = change.mode ?? old.mode
  const expected = change.expected ?? (mode === 'expect' ? old.expected : undefined)
  const definition = readDefinition({ ...old, ...change, mode, expected })
  const isSameQuestion =
    definition.host === old.host && definition.type === old.type && (mode === old.mode || mode === 'expect')
  const kept = mode === 'baseline' && isSameQuestion ? { ...definition, expected: old.expected } : definition
  return { definition: kept, startsOver: !isSameQuestion }
}
