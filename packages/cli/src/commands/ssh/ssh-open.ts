import { Problem, shellWord } from '@svc/core/client'
import { type CommandRun, given, type Handler } from '../../program/command-run.ts'
import { carrySession, type OpenedSession, TRANSPORT_FAILED } from '../../relay/operator-session.ts'
import { RelayRefused } from '../../relay/relay-socket.ts'
import { failureOf, failureText } from '../../terminal/failure.ts'
import { plain } from '../../terminal/terminal.ts'

/** Flags of `svc ssh HOST`. */
export interface SshOptions {
  readonly user?: string
  readonly reason?: string
  readonly license?: string
  readonly stdio?: boolean
}

/** The answer of `ssh.open`. */
interface Opened {
  readonly token: string
  readonly relay_url: string
  readonly mode: OpenedSession['mode']
  readonly host: { readonly id: string; readonly hostname: string }
}

/**
 * Opens a session on a host and carries it. Everything that fails on the way ends with 255, as with
 * OpenSSH.
 */
export const openSsh: Handler<SshOptions> = async (run) => {
  if (run.args.length === 0)
    throw new Problem('invalid-input', { detail: 'name a host: svc fleet servers shows them' })
  return carryOpened(run, 'ssh.open', () => askedBy(run))
}

/**
 * Opens a session by an operation, and carries it. Returns the exit code of the host's program; 255 after a
 * sentence about anything else.
 */
export async function carryOpened(
  run: CommandRun<object>,
  operation: 'ssh.open' | 'apps.logs' | 'apps.run',
  input: () => object,
): Promise<number> {
  try {
    const { token, relay_url: relayUrl, mode, host } = await run.operate<Opened>(operation, input())
    return await carrySession(run.io, { token, relayUrl, mode, host: host.hostname || host.id })
  } catch (error) {
    const text =
      error instanceof RelayRefused ? `svc: ${plain(error.message)}\n` : failureText(failureOf(error))
    run.io.err.write(text)
    return TRANSPORT_FAILED
  }
}

function askedBy(run: CommandRun<SshOptions>): object {
  const [host, ...words] = run.args
  const { user, reason, license, stdio } = run.options
  if (stdio && words.length > 0)
    throw new Problem('invalid-input', { detail: 'with --stdio the command is for ssh, not for svc' })
  const size = run.io.rawTerminal().size()
  const screen = words.length > 0 || stdio ? {} : { ...(size && within(size)), term: termOf(run.io.env.TERM) }
  const [mode, command] = stdio ? ['tcp'] : words.length > 0 ? ['exec', commandOf(words)] : ['shell']
  return given({ host, mode, command, user, reason, license, ...screen })
}

/**
 * One word is a line for the shell, as it is; several are a program with arguments, which the shell must
 * not split.
 */
export const commandOf = (words: readonly string[]): string =>
  words.length === 1 ? (words[0] ?? '') : words.map(shellWord).join(' ')

const termOf = (term: string | undefined): string | undefined =>
  term !== undefined && /^[A-Za-z0-9._+-]{1,32}$/.test(term) ? term : undefined

const within = ({ cols, rows }: { cols: number; rows: number }) => ({
  cols: Math.min(Math.max(cols, 2), 500),
  rows: Math.min(Math.max(rows, 2), 200),
})
