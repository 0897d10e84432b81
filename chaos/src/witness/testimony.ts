import type { Query } from '../cast/database.ts'
import type { Barring } from '../cast/operator.ts'
import { type Acknowledgement, type Breach, readJournal } from '../journal.ts'
import type { Host } from '../names.ts'
import { TESTIMONY_TABLES } from './witness-tables.ts'

/** The records that clients keep of a run; `journals` are paths. */
export interface Testimony {
  readonly journals: readonly string[]
  readonly barrings: readonly Barring[]
}

const ROWS = 5000
const COLUMNS = 'kind, sent, got, host, license, job, attempt, state, first, lines, seq'
const ADD = `insert into chaos_acks (${COLUMNS}) select ${COLUMNS} from json_populate_recordset(null::chaos_acks, $1::json)`

/** Writes the hosts of a run to `chaos_hosts`. */
export async function introduce(query: Query, hosts: readonly Host[]): Promise<void> {
  const rows = hosts.map(({ fingerprint, number, licenseId, kind }) => ({
    fingerprint,
    number,
    license_id: licenseId,
    kind,
  }))
  await query('insert into chaos_hosts select * from json_populate_recordset(null::chaos_hosts, $1::json)', [
    JSON.stringify(rows),
  ])
}

/**
 * Writes the acknowledgements of clients to the database. Returns the breaches that clients saw themselves.
 */
export async function testify(query: Query, { journals, barrings }: Testimony): Promise<readonly Breach[]> {
  for (const text of TESTIMONY_TABLES) await query(text)
  const breaches: Breach[] = []
  let rows: Acknowledgement[] = []
  const store = async () => {
    await query(ADD, [JSON.stringify(rows)])
    rows = []
  }
  for (const journal of journals) {
    for await (const entry of readJournal(journal)) {
      if (entry.kind === 'breach') breaches.push({ rule: entry.rule, evidence: entry.evidence })
      else if (rows.push(entry) === ROWS) await store()
    }
  }
  await store()
  await query('create index on chaos_acks (kind, job)')
  const barred = barrings.map(({ license, ...times }) => ({ license_id: license, ...times }))
  await query(
    'insert into chaos_barred select * from json_populate_recordset(null::chaos_barred, $1::json)',
    [JSON.stringify(barred)],
  )
  return breaches
}
