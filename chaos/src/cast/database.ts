/** A row of a query of the harness. */
export type Row = Readonly<Record<string, unknown>>

/** Runs one statement of the harness. */
export type Query = <R extends Row>(text: string, params?: readonly unknown[]) => Promise<readonly R[]>

/** Faults that are possible only if the database is a server in a process of its own. */
export interface ServerFaults {
  /** Kills the postmaster with SIGKILL or SIGQUIT (an immediate stop). Resolves when the server is back. */
  crash(signal: 'SIGKILL' | 'SIGQUIT'): Promise<void>
  /** Takes every free connection for this time. */
  exhaust(milliseconds: number): Promise<void>
  /** Locks the table of jobs exclusively for this time. */
  lock(milliseconds: number): Promise<void>
  /** Ends every connection of the service. */
  disconnect(): Promise<void>
}

/** The database of a run: migrated, and with the tables of the witness. */
export interface ChaosDatabase extends AsyncDisposable {
  /** The number of servers that share the database. */
  readonly replicas: number
  /** A balancer before the servers, and the port that each of them has to listen at; absent: none. */
  readonly front?: { readonly ports: readonly number[]; readonly port: number }
  /** Environment variables of each server. */
  readonly env: Readonly<Record<string, string>>
  readonly serverFaults: ServerFaults | undefined
  /** Returns the data folder of a replica; with PostgreSQL it holds only the control socket. */
  dataDir(replica: number): string
  /** Runs `work` with a connection. A database in a folder must not be served at the same time. */
  examine<T>(work: (query: Query) => Promise<T>): Promise<T>
}
