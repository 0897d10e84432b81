import type { AppDatabase, NewAppDatabase } from './app-database.ts'

declare module '../../platform/storage/storage.ts' {
  interface Stores {
    readonly appDatabases: AppDatabasesStore
  }
}

/** Storage of the databases of hosts, each with the state of its newest job. They outlive apps. */
export interface AppDatabasesStore {
  find(licenseId: string, name: string): Promise<AppDatabase | undefined>
  /** The databases of a license by name. */
  list(licenseId: string): Promise<readonly AppDatabase[]>
  /** Stores a database in the place of the license's own of this name. */
  put(database: NewAppDatabase, now?: Date): Promise<void>
  remove(licenseId: string, name: string): Promise<boolean>
}
