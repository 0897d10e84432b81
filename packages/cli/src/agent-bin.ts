import { Problem, systemClock } from '@svc/core'
import type { Command } from 'commander'
import { declareAgentCommands } from './commands/agent/declare-agent.ts'
import type { Run } from './commands/declare.ts'
import { isAtLeast } from './commands/doctor/program-checks.ts'
import { processIo } from './io.ts'
import { CommandRun, type CommonOptions } from './program/command-run.ts'
import { parseTo } from './program/parse-to.ts'
import { programOf } from './program/program-of.ts'
import { requiredNode } from './version.ts'

// The program of the one-file agent: the commands of `svc agent` alone. None of them asks a plane as an
// operator does.
const io = processIo()

const connect = async (): Promise<never> => {
  throw new Problem('unavailable', { detail: 'the agent alone reaches no control plane as an operator' })
}

const run: Run =
  (load) =>
  async (...received) => {
    const command = received.at(-1) as Command
    const handler = await load()
    const options = command.opts<Parameters<typeof handler>[0]['options'] & CommonOptions>()
    const parts = { io, clock: systemClock, connect, args: command.args, options }
    io.setExitCode((await handler(new CommandRun(parts))) ?? 0)
  }

await parseTo(io, io.args, async () => {
  if (!isAtLeast(io.nodeVersion, requiredNode())) {
    throw new Problem('conflict', {
      detail: `the agent needs Node ${requiredNode()} or newer, this is ${io.nodeVersion}`,
    })
  }
  const program = programOf(io, 'svc-agent', 'The host agent of svc.')
  declareAgentCommands(program, run, 'node svc-agent.mjs')
  return program
})
