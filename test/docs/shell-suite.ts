import { execFileSync } from 'node:child_process'
import { describe } from '@jest/globals'

function hasTools(): boolean {
  try {
    for (const tool of ['bash', 'curl']) execFileSync(tool, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** `describe` for pages whose commands are run by bash and curl; skipped where they are absent. */
export const shellSuite: typeof describe.skip = hasTools() ? describe : describe.skip
