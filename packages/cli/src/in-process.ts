import { createControlPlane, readConfig } from '@svc/core'
import { openStorage, type StorageSource } from '@svc/core/sql'
import type { Connection } from './connect.ts'
import { docsFolder } from './docs-folder.ts'
import type { Io } from './io.ts'

/** Runs operations in this process, on the database itself. */
export async function openPlane(io: Io, source: StorageSource): Promise<Connection> {
  const config = readConfig(io.env)
  const storage = await openStorage(source)
  const plane = createControlPlane({ config, storage, docsDir: docsFolder() })
  return {
    run: (name, input) => plane.operations.run(name, input, io.actor),
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  }
}
