import { type Log, systemClock } from '@svc/core'
import { Databases } from './databases.ts'
import { Postgres } from './postgres.ts'
import { Valkey } from './valkey.ts'

/** Opens the databases of this host, with the engines that it carries out. */
export const openDatabases = (folder: string, log: Log): Promise<Databases> =>
  Databases.open(folder, systemClock, log, ({ namesOf, passwordOf }) => {
    const postgres = new Postgres(() => namesOf('postgres'))
    const drill = (from: number) => postgres.drill(from)
    return { engines: { postgres, valkey: new Valkey(passwordOf) }, drill }
  })
