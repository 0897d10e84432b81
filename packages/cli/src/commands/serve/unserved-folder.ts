import { resolve } from 'node:path'
import { Problem } from '@svc/core'
import { ownFolder } from '@svc/core/adapters'
import { folderHolder } from '@svc/core/sql'
import { controlSocketPath } from '../../connect/connect.ts'
import { controlClient } from '../../connect/control-client.ts'

/**
 * Checks that no service of another container serves a data folder, before its database is opened. Its lock
 * names a process, which nobody sees from another container; the control socket in the folder answers there.
 * @throws Problem `conflict` when a service answers, `forbidden` when the folder belongs to another user
 */
export async function demandUnserved(cwd: string, dataDir: string): Promise<void> {
  const folder = resolve(cwd, dataDir)
  await ownFolder(folder)
  // The lock of a process that can be seen names it, when the folder is opened.
  if ((await folderHolder(folder)) !== undefined) return
  const path = controlSocketPath(cwd, dataDir)
  if ((await controlClient(path, '')) === undefined) return
  throw new Problem('conflict', {
    detail: `${path} is in use by another process: stop the service that has the folder open`,
  })
}
