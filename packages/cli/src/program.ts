/** `@svc/cli`: the `svc` command. */

import type { Clock } from '@svc/core'
import { Command, CommanderError } from 'commander'
import type { CommonOptions, Connect, Handler } from './call.ts'
import { declareAgent } from './commands/agent.ts'
import { declareAlerts } from './commands/alerts.ts'
import { declareAudit } from './commands/audit.ts'
import { declareChat } from './commands/chat.ts'
import type { Run } from './commands/declare.ts'
import { declareDoctor } from './commands/doctor.ts'
import { declareFleet } from './commands/fleet.ts'
import { declareJobs } from './commands/jobs.ts'
import { declareLicenses } from './commands/licenses.ts'
import { declareLogin } from './commands/login.ts'
import { declareMigrate } from './commands/migrate.ts'
import { declareMintKey } from './commands/mint-key.ts'
import { declareMonitors } from './commands/monitors.ts'
import { declareServe } from './commands/serve.ts'
import { declareSessions } from './commands/sessions.ts'
import { declareTenants } from './commands/tenants.ts'
import { declareUp } from './commands/up.ts'
import { declareUsers } from './commands/users.ts'
import type { Io } from './io.ts'
import { version } from './version.ts'

/** Every command, in the order of the help text. */
const COMMANDS: readonly ((program: Command, run: Run) => void)[] = [
  declareUp,
  declareServe,
  declareMigrate,
  declareMintKey,
  declareLicenses,
  declareTenants,
  declareUsers,
  declareSessions,
  declareLogin,
  declareJobs,
  declareFleet,
  declareAlerts,
  declareMonitors,
  declareChat,
  declareAudit,
  declareDoctor,
  declareAgent,
]

/** What tests put in the place of the machine's own. */
export interface ProgramParts {
  readonly clock?: Clock
  readonly connect?: Connect
}

const OVERVIEW = `
Commands find the control plane by --data-dir, DATABASE_URL, SERVICE_DATA_DIR or ./.svc, in this order.
Exit codes: 0 done, 1 failed, 2 usage or bad setting, 3 unreachable, 4 refused, 5 not found.
Example:
  $ svc up                     a control plane with one agent, on this machine
  $ svc jobs list --json`

/** The program over `io`. Nothing is loaded but commander until a command runs: `--help` is quick. */
export function buildProgram(io: Io, parts: ProgramParts = {}): Command {
  const program = new Command('svc')
    .description('A control plane for managed virtual servers.')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'say how it is used')
    .helpCommand('help [command]', 'say how a command is used')
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => io.out.write(text),
      writeErr: (text) => io.err.write(text),
      outputError: (text, write) => write(text.replace(/^error: /, 'svc: ')),
      getOutHelpWidth: () => io.out.columns,
      getErrHelpWidth: () => io.err.columns,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText('after', OVERVIEW)
  const run = runner(io, parts)
  for (const declare of COMMANDS) declare(program, run)
  return program
}

function runner(io: Io, parts: ProgramParts): Run {
  return <O>(load: () => Promise<Handler<O>>) =>
    async (...received: unknown[]) => {
      const command = received.at(-1) as Command
      const { performCall } = await import('./perform-call.ts')
      const options = command.opts<O & CommonOptions>()
      await performCall({ io, parts, args: command.args, options, load })
    }
}

/** Runs the program to its end; every failure becomes a sentence on stderr and an exit code. */
export async function runProgram(io: Io, parts: ProgramParts = {}): Promise<void> {
  try {
    await buildProgram(io, parts).parseAsync([...io.args], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has written its own sentence; a bare `svc jobs` has shown its help, which is not what was asked for.
      io.setExitCode(error.exitCode === 0 ? 0 : 2)
      return
    }
    const { failureOf, failureText } = await import('./failure.ts')
    const failure = failureOf(error)
    io.err.write(failureText(failure))
    io.setExitCode(failure.exitCode)
  }
}
