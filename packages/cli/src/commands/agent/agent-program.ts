import { Problem, systemClock } from '@svc/core/client'
import type { Command } from 'commander'
import { HOST_APPS } from '../../host-apps/program-word.ts'
import { CommandRun, type CommonOptions } from '../../program/command-run.ts'
import { parseTo } from '../../program/parse-to.ts'
import { programOf } from '../../program/program-of.ts'
import { requiredNode } from '../../shipped.ts'
import { type Io, processIo } from '../../terminal/io.ts'
import type { Run } from '../declare.ts'
import { isAtLeast } from '../doctor/program-checks.ts'
import { declareAgentCommands } from './declare-agent.ts'

const connect = async (): Promise<never> => {
  throw new Problem('unavailable', { detail: 'the agent alone reaches no control plane as an operator' })
}

const runOf =
  (io: Io): Run =>
  (load) =>
  async (...received) => {
    const command = received.at(-1) as Command
    const handler = await load()
    const options = command.opts<Parameters<typeof handler>[0]['options'] & CommonOptions>()
    const parts = { io, clock: systemClock, connect, args: command.args, options }
    io.setExitCode((await handler(new CommandRun(parts))) ?? 0)
  }

/**
 * Runs the one-file agent to its end: the commands of `svc agent` alone. None of them asks a plane as an
 * operator does.
 */
export const runAgentProgram = (io: Io = processIo()): Promise<void> =>
  io.args[0] === HOST_APPS ? runHostApps(io) : runAgentCommand(io)

// An agent that waits for work never needs the code of hosted applications.
const runHostApps = async (io: Io): Promise<void> =>
  (await import('../../host-apps/logs-program.ts')).runHostProgram(io)

const runAgentCommand = (io: Io): Promise<void> =>
  parseTo(io, io.args, async () => {
    if (!isAtLeast(io.nodeVersion, requiredNode())) {
      throw new Problem('conflict', {
        detail: `the agent needs Node ${requiredNode()} or newer, this is ${io.nodeVersion}`,
      })
    }
    const program = programOf(io, 'svc-agent', 'The host agent of svc.')
    declareAgentCommands(program, runOf(io), 'node svc-agent.mjs')
    return program
  })
