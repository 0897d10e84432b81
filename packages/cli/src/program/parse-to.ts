import { type Command, CommanderError } from 'commander'
import type { Io } from '../terminal/io.ts'

/**
 * Runs the command that the arguments name; every failure becomes a sentence on stderr, or a
 * document with `--json`, and an exit code.
 */
export async function parseTo(io: Io, args: readonly string[], build: () => Promise<Command>): Promise<void> {
  try {
    const program = await build()
    await program.parseAsync([...args], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has written its own sentence. A bare `svc jobs` has shown its help, which the caller did
      // not ask for.
      io.setExitCode(error.exitCode === 0 ? 0 : 2)
      return
    }
    const { failureJson, failureOf, failureText } = await import('../terminal/failure.ts')
    const failure = failureOf(error)
    io.err.write(args.includes('--json') ? failureJson(failure) : failureText(failure))
    io.setExitCode(failure.exitCode)
  }
}
