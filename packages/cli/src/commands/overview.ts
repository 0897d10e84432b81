import { HELP_COMMAND, HELP_OPTION, VERSION_OPTION, wrapped } from '../program/help-words.ts'
import { COMMANDS } from './commands.ts'

/** Description of the program. */
export const SUMMARY = 'A control plane for managed virtual servers.'
/** Text after the list of commands. */
export const FOOTER = `
Commands find the control plane by --url, --data-dir, SERVICE_URL, DATABASE_URL, SERVICE_DATA_DIR, ./.svc or the
current context of svc login, in this order.
Exit codes: 0 done, 1 failed, 2 usage or bad setting, 3 unreachable, 4 refused, 5 not found, 130 interrupted.
Example:
  $ svc up                     a control plane with one agent, on this machine
  $ svc jobs list --json`

const INDENT = 2

/**
 * Returns the help of the whole program in the form of commander: to load commander for it would take as long
 * as starting Node.js does.
 */
export function overviewText(columns: number): string {
  const commands = COMMANDS.map(
    ({ name, args, summary, isGroup }) =>
      [isGroup ? name : [name, '[options]', args].filter(Boolean).join(' '), summary] as const,
  )
  const listed = [VERSION_OPTION, HELP_OPTION, ...commands, HELP_COMMAND]
  const termColumns = Math.max(...listed.map(([term]) => term.length))
  const lines = (items: readonly (readonly [string, string])[]) =>
    items.map(([term, text]) => lineOf(term.padEnd(termColumns), text, columns)).join('\n')
  const parts = [
    'Usage: svc [options] [command]',
    wrapped(SUMMARY, columns, 0),
    `Options:\n${lines([VERSION_OPTION, HELP_OPTION])}`,
    `Commands:\n${lines([...commands, HELP_COMMAND])}`,
  ]
  return `${parts.join('\n\n')}\n${FOOTER}\n`
}

function lineOf(term: string, text: string, columns: number): string {
  const start = ' '.repeat(INDENT) + term + ' '.repeat(INDENT)
  return start + wrapped(text, columns, start.length)
}
