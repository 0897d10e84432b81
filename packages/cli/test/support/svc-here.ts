import type { Environment } from '@svc/core'
import { RecordingIo } from '../../../../test/support/recording-io.ts'
import '../../../../test/support/standard-input.ts'
import { runProgram } from '../../src/commands/program.ts'
import { documentOf, refuseLeaks } from './svc-process.ts'

/**
 * Runs a command with `--json` in the process of the test, which saves the start of another, and reads its
 * document: for commands that prepare a test.
 */
export async function jsonHere<D>(
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Environment },
): Promise<D> {
  const io = new RecordingIo({
    args: [...args, '--json'],
    cwd,
    env: { PATH: process.env.PATH, ...env },
    home: cwd,
  })
  await runProgram(io)
  const said = { out: io.out.text, err: io.err.text }
  refuseLeaks(args, env, said)
  return documentOf({ code: io.exitCode, ...said })
}
