// The reference agent in a process of its own. It reads its options as a line of JSON on standard input, and
// stops when standard input ends.
import { createInterface } from 'node:readline'
import { Problem, silentLog, systemClock } from '@svc/core'
import { startAgent } from '../../../packages/cli/src/agent/agent.ts'
import { REJECTED } from './reference-agent.ts'

const lines = createInterface({ input: process.stdin })
lines.once('line', async (line) => {
  const agent = startAgent({
    ...JSON.parse(line),
    log: silentLog,
    clock: systemClock,
    environment: process.env,
  })
  lines.once('close', () => agent.stop().catch(() => {}))
  await agent.done.catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'license-rejected') process.exit(REJECTED)
    throw error
  })
  process.exit(0)
})
