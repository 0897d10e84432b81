// Runs one agent in a process of its own, so that a test can kill it: `node agent-process.ts <options as
// JSON>`.
import { silentLog, systemClock } from '@svc/core'
import { startAgent } from '../../src/agent/agent.ts'

await startAgent({ ...JSON.parse(process.argv[2] ?? ''), log: silentLog, clock: systemClock }).done
