import { chmodSync } from 'node:fs'
import { test } from '@jest/globals'
import { AgentBench } from './agent-bench.ts'

export const isRoot = process.getuid?.() === 0

/** A test of handlers that run as another user. */
export const asRoot: typeof test.skip = isRoot ? test : test.skip
/** End of the titles of tests by `asRoot`, saying why they did not run. */
export const skipped = isRoot ? '' : ' (skipped: only root can run handlers as another user)'

/** A user of every Linux that owns nothing. */
export const NOBODY = 'nobody'

/** A bench whose folder another user can pass through. */
export async function openBench(): Promise<AgentBench> {
  const bench = await AgentBench.open()
  chmodSync(bench.folder, 0o711)
  return bench
}

/** A handler that has to be killed, and starts another process that leaves its group. */
export const STUBBORN = `
trap '' TERM
setsid sh -c 'echo $$ > "$SVC_STATE_DIR/stray"; exec sleep 60' &
echo $$ > "$SVC_STATE_DIR/child"
while :; do sleep 0.05; done`
