import type { Command } from 'commander'
import { OPERATION_SUMMARIES, type OperationName } from '../connect/operation-summaries.ts'
import type { Handler } from '../program/command-run.ts'

/** Turns a handler that is loaded when it is needed into an action of commander. */
export type Run = <O>(load: () => Promise<Handler<O>>) => (...received: unknown[]) => Promise<void>

/** Adds examples to a command's help text. */
export const examples = (command: Command, ...lines: readonly string[]): Command =>
  command.addHelpText('after', `\nExample:\n${lines.map((line) => `  $ ${line}`).join('\n')}`)

/** Adds the options of every command that asks a control plane something. */
export const reaching = (command: Command): Command =>
  command
    .option('--data-dir <dir>', 'data folder of the control plane (SERVICE_DATA_DIR; ./.svc when it exists)')
    .option('--url <url>', 'address of a remote control plane (SERVICE_URL; else the current context)')
    .option('--json', 'print one JSON document')

/** Adds how a license key is named. A key among arguments can be read by everybody on the machine. */
export const keyed = (command: Command): Command =>
  command
    .option('--key-file <file>', 'file whose first line is the license key')
    .option('--key <key>', 'license key; visible to other users: prefer the file or SERVICE_LICENSE_KEY')

/**
 * Declares the command of an operation below its noun: the verb and the summary are the operation's. `args`
 * are the arguments as commander writes them.
 */
export const operating = (noun: Command, operation: OperationName, args = ''): Command => {
  const verb = operation.slice(operation.indexOf('.') + 1)
  return reaching(noun.command(`${verb} ${args}`.trimEnd()).description(OPERATION_SUMMARIES[operation]))
}
