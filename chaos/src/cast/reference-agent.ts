import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Host } from '../names.ts'

/**
 * A reference agent ends with this code when its license is suspended just as it starts; a supervisor starts
 * it again.
 */
export const REJECTED = 4

/** What reference agents run: what it prints says where each line belongs. */
const HANDLER = `#!/bin/sh
i=0
while [ $i -lt 40 ]; do
  echo "$i $SVC_JOB_ATTEMPT $CHAOS_HOST $SVC_JOB_ID"
  i=$((i + 1))
  case $i in 10|20|30) sleep 0.1 ;; esac
done
`

const TIMING = {
  pollMs: 300,
  heartbeatMs: 1000,
  heartbeatFloorMs: 1000,
  renewMs: 500,
  logIntervalMs: 150,
  killGraceMs: 300,
  requestTimeoutMs: 1000,
  retryFloorMs: 50,
  retryCeilingMs: 500,
}

/** Writes the handlers of all reference agents of a run. */
export async function writeHandlers(folder: string): Promise<void> {
  await mkdir(join(folder, 'handlers'))
  await writeFile(join(folder, 'handlers', 'prune'), HANDLER)
  await chmod(join(folder, 'handlers', 'prune'), 0o755)
}

/** The options of one, as its process is told them. */
export const referenceOrders = (host: Host, url: string, folder: string) => ({
  url,
  licenseKey: host.licenseKey,
  fingerprint: host.fingerprint,
  stateDir: join(folder, host.fingerprint),
  handlersDir: join(folder, 'handlers'),
  hostname: host.fingerprint,
  version: 'chaos',
  timing: TIMING,
  handlerEnvironment: { CHAOS_HOST: host.fingerprint },
})
