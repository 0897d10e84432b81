import { createHash } from 'node:crypto'
import { OPERATIONS } from '@svc/core'
import { type Field, formFields } from '../../../packages/http/src/console/fields.ts'

const first = (prefix: string): string => `${prefix}_${'0'.repeat(26)}`
const DAY_SECONDS = 86_400

/** The license and the host of a year whose history is longest. */
export const FIRST_LICENSE: string = first('lic')
export const FIRST_HOST: string = createHash('sha256').update('host 0').digest('hex')

/** Values of filters and names of things, by the field. */
const VALUES: Readonly<Record<string, unknown>> = {
  license: FIRST_LICENSE,
  tenant: first('ten'),
  app: 'shop',
  host: `fp:${FIRST_HOST}`,
  job: first('job'),
  hook: first('hook'),
  conversation: first('chat'),
  endpoint: first('whe'),
  id: first('alr'),
  id_end: '000007',
  who: 'ann7@',
  operation: 'jobs.enqueue',
  limit: 50,
  since: Math.floor(Date.now() / 1000) - DAY_SECONDS,
}
/** Words of a choice that are tried. */
const MOST_WORDS = 3

/** One way to ask for a read of operators. */
export interface YearRead {
  readonly operation: string
  /** The operation and its filters. */
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  /** Whether no field is given. */
  readonly isBare: boolean
  readonly isPaged: boolean
}

type Given = readonly (readonly [name: string, value: unknown])[]

/** Returns an input for each filter and each pair of filters; undefined for an operation that needs more. */
function inputsOf(fields: readonly Field[]): readonly Given[] | undefined {
  const needed = fields.filter(({ isRequired }) => isRequired)
  if (needed.some(({ name }) => !(name in VALUES))) return undefined
  const base: Given = needed.map(({ name }) => [name, VALUES[name]])
  const filters = fields
    .filter(({ isRequired }) => !isRequired)
    .flatMap(
      ({ name, kind }): Given =>
        kind.type === 'choice'
          ? kind.words.slice(0, MOST_WORDS).map((word) => [name, word])
          : name in VALUES
            ? [[name, VALUES[name]]]
            : [],
    )
  const pairs = filters.flatMap((one, at) =>
    filters.slice(at + 1).flatMap((other) => (one[0] === other[0] ? [] : [[one, other]])),
  )
  return [[], ...filters.map((one) => [one]), ...pairs].map((given) => [...base, ...given])
}

/**
 * Every read of operators with each filter and each pair of filters, and the operations that need more than
 * a year has.
 */
export function yearReads(): { readonly reads: readonly YearRead[]; readonly lacking: readonly string[] } {
  const reads: YearRead[] = []
  const lacking: string[] = []
  for (const { name, changes, input } of OPERATIONS) {
    if (changes) continue
    const fields = formFields(input as never)
    const inputs = inputsOf(fields)
    if (inputs === undefined) lacking.push(name)
    for (const given of inputs ?? []) {
      const said = given.map(([field, value]) => `${field}=${String(value)}`).join(' ')
      reads.push({
        operation: name,
        name: `${name} ${said}`,
        input: Object.fromEntries(given),
        isBare: given.length === 0,
        isPaged: fields.some((field) => field.name === 'cursor'),
      })
    }
  }
  return { reads, lacking }
}
