import { systemClock } from '@svc/core/client'
import { connect } from '../connect/connect.ts'
import { CommandRun, type CommandRunParts, type CommonOptions, type Handler } from '../program/command-run.ts'
import type { Io } from '../terminal/io.ts'
import type { ProgramParts } from './program.ts'

/** A command that was typed, not yet loaded. */
export interface TypedCommand<O> extends Pick<CommandRunParts<O & CommonOptions>, 'args' | 'options'> {
  readonly io: Io
  readonly parts: ProgramParts
  readonly load: () => Promise<Handler<O>>
}

/** Loads a command and runs it; its result becomes the exit code. */
export async function performRun<O>({ io, parts, args, options, load }: TypedCommand<O>): Promise<void> {
  const handler = await load()
  const clock = parts.clock ?? systemClock
  const run = new CommandRun<O>({ io, clock, connect: parts.connect ?? connect, args, options })
  const code = await handler(run)
  io.setExitCode(code ?? 0)
}
