import { systemClock } from '@svc/core'
import { connect } from '../connect/connect.ts'
import type { Io } from '../io.ts'
import { Call, type CallParts, type CommonOptions, type Handler } from './call.ts'
import type { ProgramParts } from './program.ts'

/** A command that was typed, not yet loaded. */
export interface TypedCommand<O> extends Pick<CallParts<O & CommonOptions>, 'args' | 'options'> {
  readonly io: Io
  readonly parts: ProgramParts
  readonly load: () => Promise<Handler<O>>
}

/** Loads a command and runs it; its result becomes the exit code. */
export async function performCall<O>({ io, parts, args, options, load }: TypedCommand<O>): Promise<void> {
  const handler = await load()
  const clock = parts.clock ?? systemClock
  const call = new Call<O>({ io, clock, connect: parts.connect ?? connect, args, options })
  const code = await handler(call)
  io.setExitCode(code ?? 0)
}
