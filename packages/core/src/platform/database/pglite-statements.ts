import { type messages, type PGlite, parse, protocol } from '@electric-sql/pglite'
import type { LaneClient } from './lanes.ts'
import type { Statement } from './session.ts'

const { serialize } = protocol

type Messages = Parameters<typeof parse.parseDescribeStatementResults>[0]
type Message = Messages[number]

interface Column {
  readonly name: string
  readonly read: (text: string) => unknown
}

/** Types of a statement's parameters and columns, asked for once. */
interface Prepared {
  readonly write: readonly ((value: unknown) => string)[]
  readonly columns: readonly Column[]
}

const AS_IN_LANES = serialize.query('set plan_cache_mode = force_generic_plan; set enable_seqscan = off')
const AS_BEFORE = serialize.query('reset plan_cache_mode; reset enable_seqscan')

/**
 * Hot statements of PGlite, each parsed and planned once. PGlite's own `query` parses and plans every time,
 * in six pieces, and copies its table of some 600 types for every answer. Values are written and read by that
 * same table. The settings of the lanes hold for these statements alone where all others share the connection
 * (`isShared`); else the connection's own hold.
 */
export function pgliteStatements(pglite: PGlite, isShared = true): LaneClient {
  const prepared = new Map<string, Prepared>()

  const send = (parts: readonly Uint8Array[]): Promise<Messages> =>
    pglite.execProtocolStream(Buffer.concat(parts))

  const prepare = async ({ name, text }: Statement): Promise<Prepared> => {
    const asked = [serialize.parse({ name, text }), serialize.describe({ type: 'S', name }), serialize.sync()]
    const answer = await send(asked)
    const { serializers, parsers } = pglite
    const found = {
      write: parse.parseDescribeStatementResults(answer).map((type) => serializers[type] ?? String),
      columns: answer.filter(isDescription).flatMap(({ fields }) =>
        fields.map(({ name: column, dataTypeID }) => {
          const parser = parsers[dataTypeID]
          return { name: column, read: (value: string) => (parser ? parser(value, dataTypeID) : value) }
        }),
      ),
    }
    prepared.set(name, found)
    return found
  }

  const rowsOf = async (statement: Statement, params: readonly unknown[]): Promise<unknown[]> => {
    const { write, columns } = prepared.get(statement.name) ?? (await prepare(statement))
    const values = params.map((value, index) => (value == null ? null : (write[index]?.(value) ?? null)))
    const bind = serialize.bind({ statement: statement.name, values })
    const run = [bind, serialize.execute({})]
    // The message that ends the transaction goes by itself: sent together with a statement that makes
    // PostgreSQL panic, it would still be processed, and wait for ever. See pglite-panic.ts.
    try {
      const answer = await send(isShared ? [AS_IN_LANES, ...run] : run)
      await send([serialize.sync()])
      return answer.filter(isRow).map((row) => rowOf(row, columns))
    } catch (error) {
      await send([serialize.sync()]).catch(() => {})
      throw error
    } finally {
      if (isShared) await send([AS_BEFORE]).catch(() => {})
    }
  }

  const forget = (): Promise<unknown> => {
    prepared.clear()
    return pglite.exec('deallocate all')
  }

  return {
    query: async (asked) => {
      if (typeof asked === 'string') return { rows: await pglite.exec(asked) }
      // Behind whole transactions, as PGlite's own `query` waits for them.
      const rows = await pglite._runExclusiveTransaction(() =>
        pglite._runExclusiveQuery(() => rowsOf(asked, asked.values)),
      )
      return { rows }
    },
    // There is only one connection: instead of being closed it prepares its statements anew.
    release: (destroy = false) => void (destroy && forget().catch(() => {})),
  }
}

const isRow = (message: Message): message is messages.DataRowMessage => message.name === 'dataRow'

const isDescription = (message: Message): message is messages.RowDescriptionMessage =>
  message.name === 'rowDescription'

const rowOf = ({ fields }: messages.DataRowMessage, columns: readonly Column[]): object =>
  Object.fromEntries(
    columns.map(({ name, read }, index) => {
      const field = fields[index] ?? null
      return [name, field === null ? null : read(field)]
    }),
  )
