import { openSync, writeSync } from 'node:fs'
import { readConfig } from '@svc/core'
import { migrate } from '@svc/core/sql'
import { startService } from '../../../packages/cli/src/commands/serve/running-service.ts'
import { Output, processIo } from '../../../packages/cli/src/terminal/io.ts'
import { openLog } from '../../../packages/cli/src/terminal/log.ts'
import type { StartPart } from '../part.ts'

/** Options of the served product. */
export interface ProductOptions {
  /** Settings in addition to production's. */
  readonly env: Readonly<Record<string, string>>
}

/** A seed, base64url; its key signs refreshes here and nothing elsewhere. */
const PRIVATE_KEY = Buffer.alloc(32, 9).toString('base64url')

/** The whole product as `svc serve` starts it, on a free port, its log at `info` and thrown away. */
export const start: StartPart<ProductOptions> = async ({ env }) => {
  const settings = {
    NODE_ENV: 'production',
    PORT: '0',
    SERVICE_LICENSE_PRIVKEY: PRIVATE_KEY,
    SERVICE_LOG_LEVEL: 'info',
    // A tick now and then would be noise in the figures.
    SERVICE_TICK_SECONDS: '0',
    ...env,
  }
  const config = readConfig(settings)
  if (config.database.url !== undefined) await migrate(config.database.url)
  const nowhere = openSync('/dev/null', 'w')
  const err = new Output({ write: (text) => writeSync(nowhere, text) })
  const io = { ...processIo(), env: settings, err }
  const log = openLog(io, config.service.logLevel)
  const service = await startService({ io, config, log, onLost: (_, sentence) => fail(sentence) })
  return { url: service.url, stop: async () => service[Symbol.asyncDispose]() }
}

function fail(sentence: string): never {
  throw new Error(sentence)
}
