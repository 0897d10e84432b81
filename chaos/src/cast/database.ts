/** A row as the harness reads it. */
export type Row = Readonly<Record<string, unknown>>

/** Runs one statement of the harness's own. */
export type Query = <R extends Row>(text: string, params?: readonly unknown[]) => Promise<readonly R[]>

/** Faults that only a server in a process of its own can have. */
export interface ServerFaults {
  /**
   * kill -9 of the postmaster, or SIGQUIT (an immediate stop); it comes back by itself. Resolves when it has.
   */
  crash(signal: 'SIGKILL' | 'SIGQUIT'): Promise<void>
  /** Takes every connection that is left for so long. */
  exhaust(milliseconds: number): Promise<void>
  /** Locks the table of jobs against everybody for so long. */
  lock(milliseconds: number): Promise<void>
  /** Ends every connection of the service. */
  disconnect(): Promise<void>
}

/** The database of a run: migrated, and with the tables of the witness. */
export interface ChaosDatabase extends AsyncDisposable {
  /** How many servers may use it. */
  readonly replicas: number
  /** What a server is started with. */
  readonly env: Readonly<Record<string, string>>
  readonly serverFaults: ServerFaults | undefined
  /** The data folder of a replica: with PostgreSQL only its control socket is in there. */
  dataDir(replica: number): string
  /**
   * Runs `work` with a way to query; where only one process may have the folder, nobody may serve it
   * meanwhile.
   */
  examine<T>(work: (query: Query) => Promise<T>): Promise<T>
}
