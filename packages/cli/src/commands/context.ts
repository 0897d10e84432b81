import { Problem } from '@svc/core/client'
import type { Command } from 'commander'
import { listContexts, type RemoteContext, removeContext, useContext } from '../connect/contexts.ts'
import type { CommandRun, Handler } from '../program/command-run.ts'
import { type Page, table } from '../terminal/render.ts'
import { examples, type Run } from './declare.ts'

/** `svc context …` */
export function declareContext(program: Command, run: Run): void {
  const context = program.command('context')
  const json = (command: Command) => command.option('--json', 'print one JSON document')
  const list = json(
    context.command('list').description('list the control planes that you have signed in to'),
  ).action(run(async () => listHere))
  examples(list, 'svc context list')
  const use = json(
    context
      .command('use [name]')
      .description('choose the one that commands go to when nothing else names a control plane')
      .option('--none', 'choose none of them'),
  ).action(run(async () => choose))
  examples(use, 'svc context use svc.example.com', 'svc context use --none')
  const remove = json(
    context
      .command('remove <name>')
      .description('forget one of them and its session here; svc logout ends the session there too'),
  ).action(run(async () => removeHere))
  examples(remove, 'svc context remove svc.example.com')
}

/** A context as it is printed: without its session. */
interface ContextView {
  readonly name: string
  readonly url: string
  readonly email: string | null
  readonly signed_in: boolean
  readonly current: boolean
}

const viewOf = ({ name, url, email, session, isCurrent }: RemoteContext): ContextView => ({
  name,
  url,
  email: email ?? null,
  signed_in: session !== undefined,
  current: isCurrent,
})

const contextTable = (contexts: readonly ContextView[], page: Page): string =>
  table(
    [
      { title: '', text: ({ current }) => (current ? '*' : '') },
      { title: 'NAME', text: ({ name }) => name },
      { title: 'URL', text: ({ url }) => url },
      { title: 'AS', text: ({ email }) => email ?? '-' },
      { title: 'SESSION', text: ({ signed_in }) => (signed_in ? 'kept' : 'none') },
    ],
    contexts,
    page,
  )

async function printContexts(run: CommandRun): Promise<void> {
  const contexts = (await listContexts(run.io)).map(viewOf)
  run.print({ contexts }, (page) => contextTable(contexts, page))
  if (contexts.length === 0) run.hint('No contexts yet: svc login --url URL --email EMAIL makes one.')
}

/** Lists the contexts of this user. */
export const listHere: Handler<object> = async (run) => {
  await printContexts(run)
}

/** Chooses the current context, and lists all. */
export const choose: Handler<{ readonly none?: boolean }> = async (run) => {
  const [name] = run.args
  if ((name === undefined) !== (run.options.none === true))
    throw new Problem('invalid-input', { detail: 'name one context, or say --none' })
  await useContext(run.io, name)
  await printContexts(run)
}

/** Removes a context, and lists the others. */
export const removeHere: Handler<object> = async (run) => {
  await removeContext(run.io, run.arg(0))
  await printContexts(run)
}
