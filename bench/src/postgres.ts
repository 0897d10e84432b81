import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { treeCpuMicros } from './measure/process-cpu.ts'
import { type CountedStatement, type StatementTimes, timesOf } from './measure/statement-times.ts'

const HOST = new URL('../../test/postgres-host.js', import.meta.url)

/** Settings of a measured server: PostgreSQL's own, fully durable. */
export const DURABLE_SETTINGS = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  shared_preload_libraries: 'pg_stat_statements',
  // A checkpoint in the middle of one variant's round would be counted as its work.
  max_wal_size: '4GB',
} as const

/** Totals of a database server since its start; the difference of two totals is the work between them. */
export interface PostgresTotals {
  /** Undefined without `/proc`. */
  readonly cpuMicros: number | undefined
  readonly statements: number
  readonly walBytes: number
}

/** A PostgreSQL server of the bench's own. */
export interface Postgres extends AsyncDisposable {
  readonly version: string
  readonly folder: string
  /** Makes a database, empty or a copy of another, and returns its URL. */
  database(name: string, template?: string): Promise<string>
  totals(): Promise<PostgresTotals>
  /** Returns the time of each kind of statement since the server was started. */
  statementTimes(): Promise<StatementTimes>
  /** Runs a statement as its superuser. */
  query<Row>(text: string, params?: readonly unknown[]): Promise<Row[]>
}

/**
 * Starts a PostgreSQL in a temporary folder, or in one that is kept. `environment` is added to the
 * environment of the server's processes.
 */
export async function startPostgres(
  environment: Readonly<Record<string, string>> = {},
  kept?: string,
): Promise<Postgres> {
  const args = [HOST.pathname, JSON.stringify(DURABLE_SETTINGS), ...(kept === undefined ? [] : [kept])]
  const host = spawn(process.execPath, args, {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
    env: { ...process.env, ...environment },
  })
  const [line] = (await once(createInterface(host.stdout), 'line')) as [string]
  const { url, version, error } = JSON.parse(line) as { url?: string; version: string; error?: string }
  if (url === undefined) throw new Error(`PostgreSQL did not start: ${error}`)
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  await admin.query('create extension if not exists pg_stat_statements')
  const { rows } = await admin.query<{ data_directory: string }>('show data_directory')
  const folder = rows[0]?.data_directory ?? ''
  const pid = Number((await readFile(join(folder, 'postmaster.pid'), 'utf8')).split('\n')[0])
  const query = async <Row>(text: string, params: readonly unknown[] = []) =>
    (await admin.query(text, [...params])).rows as Row[]
  return {
    version,
    folder,
    query,
    database: async (name, template = 'template1') => {
      // Copying files spares the write-ahead log the pages of a large template.
      await admin.query(
        `create database ${admin.escapeIdentifier(name)} template ${admin.escapeIdentifier(template)} strategy file_copy`,
      )
      return Object.assign(new URL(url), { pathname: `/${name}` }).href
    },
    statementTimes: async () => timesOf(await query<CountedStatement>(EXECUTED)),
    totals: async () => ({ cpuMicros: treeCpuMicros(pid), ...(await countersOf(query)) }),
    [Symbol.asyncDispose]: async () => {
      await admin.end()
      host.stdin.end()
      await once(host, 'exit')
    },
  }
}

const EXECUTED = `select query, sum(total_exec_time * 1000)::float8 as micros from pg_stat_statements
  where query not like '%pg_stat_statements%' group by query`

async function countersOf(query: Postgres['query']): Promise<{ statements: number; walBytes: number }> {
  const [row] = await query<{ statements: number; wal: number }>(
    `select (select coalesce(sum(calls), 0) from pg_stat_statements)::float8 as statements,
      (pg_current_wal_lsn() - '0/0'::pg_lsn)::float8 as wal`,
  )
  return { statements: row?.statements ?? 0, walBytes: row?.wal ?? 0 }
}
