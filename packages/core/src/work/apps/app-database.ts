import type { JobState } from '../jobs/job.ts'
import type { DatabaseOp, Engine } from './database.ts'

/** An app that gets the address of a database, and the variable that has it. */
export interface DatabaseLink {
  readonly app: string
  readonly as: string
}

/** A database of a license, with the newest job for it. */
export interface AppDatabase {
  readonly id: string
  readonly licenseId: string
  readonly name: string
  readonly engine: Engine
  /** The links that are wanted. */
  readonly links: readonly DatabaseLink[]
  /** The order of its newest job. */
  readonly op: DatabaseOp
  readonly jobId: string
  /** The one who gave that order, as the audit log names operators. */
  readonly madeBy: string
  readonly createdAt: Date
  readonly updatedAt: Date
  /** The state of its newest job, the error that it ended with, and the host that it is for. */
  readonly jobState: JobState
  readonly jobError: string | undefined
  readonly jobTarget: string
}

/** A database to be stored. */
export type NewAppDatabase = Omit<
  AppDatabase,
  'id' | 'createdAt' | 'updatedAt' | 'jobState' | 'jobError' | 'jobTarget'
>

/** The id of a database's row: a license has one of a name. */
export const appDatabaseId = (licenseId: string, name: string): string => `${licenseId}.${name}`

/** Most databases of a license. */
export const MAX_DATABASES = 500

/** States of a database, as far as its newest job tells. */
export const DATABASE_STATES = ['pending', 'ready', 'failed', 'dropping'] as const

type ByJob = Pick<AppDatabase, 'op' | 'jobState'>

/** Whether a host has dropped the database, so that the row says nothing any more. */
export const isDropped = ({ op, jobState }: ByJob): boolean => op === 'drop' && jobState === 'succeeded'

/** Returns the state of a database that is not dropped. */
export function databaseState({ op, jobState }: ByJob): (typeof DATABASE_STATES)[number] {
  if (jobState === 'failed') return 'failed'
  if (op === 'drop') return 'dropping'
  return jobState === 'succeeded' ? 'ready' : 'pending'
}
