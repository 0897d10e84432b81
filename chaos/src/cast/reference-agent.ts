import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Host } from '../names.ts'

/** Exit code of a reference agent whose license is suspended while it starts; a supervisor restarts it. */
export const REJECTED = 4

/**
 * The handler of reference agents: each line that it prints says which host, job and attempt it belongs to.
 */
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

/** Writes the handlers that all reference agents of a run share. */
export async function writeHandlers(folder: string): Promise<void> {
  await mkdir(join(folder, 'handlers'))
  await writeFile(join(folder, 'handlers', 'prune'), HANDLER)
  await chmod(join(folder, 'handlers', 'prune'), 0o755)
}

/** Returns the options of a reference agent, as its process reads them from standard input. */
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
