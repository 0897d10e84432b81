import { readFile } from 'node:fs/promises'
import type { Config } from '@svc/core'

/**
 * Open files other than the connections of clients and of the pool: log, modules, tables of an embedded
 * database.
 */
const OTHERS = 512

/**
 * Returns the highest number of open connections: the setting, else the number that the system's limit of
 * open files leaves. At that limit the system accepts connections and drops them silently, and the database
 * gets none either. At least half of the limit is for clients; undefined when no limit is known.
 */
export async function connectionLimit({ http, database }: Config): Promise<number | undefined> {
  if (http.maxConnections !== undefined) return http.maxConnections
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const openFiles = Number(/^Max open files +(\d+)/m.exec(limits)?.[1])
  if (Number.isNaN(openFiles)) return undefined
  return openFiles - Math.floor(Math.min(openFiles / 2, OTHERS + database.pool))
}
