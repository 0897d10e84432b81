import { createControlPlane, readConfig, type Storage } from '@svc/core'
import { secretDigest } from '@svc/core/ports'
import { createApp, listen } from '@svc/http'
import { memoryStorage } from '@svc/testing'
import { keepRequestsYoung } from '../../../packages/cli/src/commands/serve/young-requests.ts'
import { type Fleet, licenseId, licenseKey } from '../fleet.ts'
import type { StartPart } from '../part.ts'

/**
 * Options of the product over a storage that costs nothing, which shows the limit of everything around the
 * database.
 */
export interface WithoutDatabaseOptions {
  readonly fleet: Fleet
  readonly env: Readonly<Record<string, string>>
}

/**
 * Serves the product over a storage that knows the fleet's licenses and answers heartbeats at once, without
 * storing them.
 */
export const start: StartPart<WithoutDatabaseOptions> = async ({ fleet, env }) => {
  keepRequestsYoung()
  const config = readConfig({ NODE_ENV: 'production', ...env })
  const storage = storageOf(fleet)
  const plane = createControlPlane({ config, storage })
  const server = await listen(createApp(plane), { host: '127.0.0.1', port: 0 })
  return { url: server.url, stop: async () => void (await server.cut()) }
}

function storageOf({ licenses }: Fleet): Storage {
  const memory = memoryStorage()
  const ids = new Map<string, string>()
  for (let number = 0; number < licenses; number += 1) {
    ids.set(secretDigest(licenseKey(number)), licenseId(number))
  }
  return {
    ...memory,
    agents: {
      ...memory.agents,
      heartbeat: async () => ({ seq: 1, cancel: [], drained: false }),
    },
    licenses: { ...memory.licenses, usableId: async (digest) => ids.get(digest) },
  }
}
