import type { Answer } from '@svc/core'
import { isIdEnd, Problem } from '@svc/core/client'
import type { Connection } from './connect.ts'

/** A list that is searched for the end of an id. */
interface Listing {
  readonly operation: string
  /** The field of the answer that holds the rows. */
  readonly rows: string
  readonly input: (end: string) => Readonly<Record<string, unknown>>
}

/** Most candidates that an ambiguous end lists. */
const MAX_CANDIDATES = 12

const whole = (noun: string, rows = noun): Listing => ({
  operation: `${noun}.list`,
  rows,
  input: () => ({}),
})

/**
 * The fields of inputs that hold an id, and the list that knows it. The server itself resolves licenses and
 * hosts.
 */
const LISTINGS: Readonly<Record<string, Listing>> = {
  job: {
    operation: 'jobs.list',
    rows: 'jobs',
    input: (end) => ({ id_end: end, limit: MAX_CANDIDATES + 1 }),
  },
  monitor: whole('monitors'),
  token: whole('tokens'),
  conversation: whole('chat', 'conversations'),
}
// The newest alerts are looked at alone: a list shows these.
const ALERTS: Listing = { operation: 'alerts.list', rows: 'alerts', input: () => ({ limit: 500 }) }

/** A connection whose operations take the end of an id, as tables show it, in place of the id. */
export function withIdEnds(connection: Connection): Connection {
  const wholeId = async (listing: Listing, value: unknown): Promise<unknown> =>
    typeof value === 'string' && isIdEnd(value) ? found(connection, listing, value) : value
  return {
    run: async (name, input) => {
      const entries = Object.entries(input).map(async ([field, value]) => {
        const listing = listingOf(name, field)
        if (listing === undefined) return [field, value]
        const id = Array.isArray(value)
          ? await Promise.all(value.map((each) => wholeId(listing, each)))
          : await wholeId(listing, value)
        return [field, id]
      })
      return connection.run(name, Object.fromEntries(await Promise.all(entries)))
    },
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  }
}

const listingOf = (operation: string, field: string): Listing | undefined =>
  operation.startsWith('alerts.') && (field === 'id' || field === 'ids') ? ALERTS : LISTINGS[field]

/** The one id that ends like `end`; `end` itself if there is none, or if it is the name of a row. */
async function found(
  connection: Connection,
  { operation, rows, input }: Listing,
  end: string,
): Promise<string> {
  const answer: Answer = await connection.run(operation, input(end))
  const listed = answer[rows] as readonly { readonly id: string; readonly name?: string }[]
  if (listed.some(({ name }) => name === end)) return end
  const [only, ...others] = listed.filter(({ id }) => id.endsWith(end))
  if (others.length === 0) return only?.id ?? end
  throw new Problem('ambiguous', {
    detail: `${others.length === MAX_CANDIDATES ? 'many' : others.length + 1} ids end in ${end}: give more characters`,
    candidates: listed.filter(({ id }) => id.endsWith(end)).map(({ id }) => id),
  })
}
