import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { migrate } from '@svc/core/sql'
import type { ChaosDatabase, Query } from '../cast/database.ts'
import { withClient } from '../cast/postgres-database.ts'
import { WITNESS_TABLES } from '../witness/witness-tables.ts'
import type { Cluster } from './cluster.ts'
import { revoked } from './page.ts'

/** The database of a cluster, for replicas behind its HAProxy, which agents reach through it too. */
export async function clusterDatabase(cluster: Cluster, folder: string): Promise<ChaosDatabase> {
  const owner = cluster.urlOf('svc_owner')
  await migrate(owner)
  const examine = <T>(work: (query: Query) => Promise<T>) => withClient(owner, work)
  await examine(async (query) => {
    await query(revoked())
    for (const text of WITNESS_TABLES) await query(text)
  })
  const { replicas, service } = cluster.ports
  const dataDir = (replica: number) => join(folder, `replica${replica}`)
  for (const replica of replicas.keys()) await mkdir(dataDir(replica), { mode: 0o700 })
  return {
    replicas: replicas.length,
    front: { ports: replicas, port: service },
    env: { DATABASE_URL: cluster.urlOf('svc_app'), SERVICE_DRAIN_DELAY_SECONDS: '5' },
    serverFaults: undefined,
    dataDir,
    examine,
    [Symbol.asyncDispose]: async () => {},
  }
}
