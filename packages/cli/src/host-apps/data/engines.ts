import { type Log, systemClock } from '@svc/core'
import { Databases } from './databases.ts'
import { Mariadb } from './mariadb.ts'
import { Postgres } from './postgres.ts'
import { Valkey } from './valkey.ts'

/** Opens the databases of this host, with the engines that it carries out. */
export const openDatabases = (folder: string, log: Log): Promise<Databases> =>
  Databases.open(folder, systemClock, log, ({ namesOf, passwordOf }) => {
    const postgres = new Postgres(() => namesOf('postgres'))
    const mariadb = new Mariadb(passwordOf)
    return { engines: { postgres, mariadb, valkey: new Valkey(passwordOf) }, drills: { postgres, mariadb } }
  })
