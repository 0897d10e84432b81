import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { Problem } from '@svc/core'

/** The user that handlers run as, if not the agent's own. */
export interface HandlerUser {
  readonly name: string
  readonly uid: number
  /** The only group of handlers: other groups of the user are dropped. */
  readonly gid: number
  readonly home: string
  readonly loginShell: string
}

/** The ids that a process is started with. */
export type ProcessOwner = Pick<HandlerUser, 'uid' | 'gid'>

const NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]*\$?$/
const run = promisify(execFile)

/**
 * Looks `NAME[:GROUP]` up in the user database of the host. Without a group the user's first one is taken.
 * @throws Problem `invalid-input`: there is no such user or group, or it is root's; or the agent is not root
 */
export async function findHandlerUser(text: string): Promise<HandlerUser> {
  demandRoot()
  const [name = '', group] = text.split(/:(.*)/s)
  const [login = '', , uid, firstGid, , home = '/', shell = ''] = await entryOf('passwd', name)
  const gid = group === undefined ? firstGid : (await entryOf('group', group))[2]
  const user = { name: login, uid: Number(uid), gid: Number(gid), home, loginShell: shell || '/bin/sh' }
  if (user.uid > 0 && user.gid > 0) return user
  throw refused(
    `the handler user ${text} is root or in the group of root: handlers would have the agent's rights`,
  )
}

/**
 * Root alone loses its capabilities as it becomes another user. Any other user would hand CAP_SETUID on to
 * handlers, and with it the way to root.
 * @throws Problem `invalid-input` when this process is not root's
 */
export function demandRoot(): void {
  if (process.geteuid?.() === 0) return
  throw refused(
    'only root can run handlers as another user: start the agent as root, or leave --handler-user out',
  )
}

async function entryOf(database: 'passwd' | 'group', name: string): Promise<string[]> {
  if (!NAME.test(name))
    throw refused(`'${name}' is not a name of a ${nounOf(database)}: say NAME or NAME:GROUP`)
  try {
    return (await run('getent', [database, name])).stdout.split('\n')[0]?.split(':') ?? []
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw refused('getent, which knows the users of this host, is not installed')
    throw refused(`there is no ${nounOf(database)} ${name} on this host: make it first`)
  }
}

const nounOf = (database: 'passwd' | 'group'): string => (database === 'passwd' ? 'user' : 'group')

const refused = (detail: string): Problem => new Problem('invalid-input', { detail })

/** Runs a program as the user to its end. Gives its exit code; undefined when a signal ended it. */
export async function runAs(
  owner: ProcessOwner,
  program: string,
  args: readonly string[],
): Promise<number | undefined> {
  const [code] = (await once(started(owner, program, args, 'ignore'), 'exit')) as [number | null]
  return code ?? undefined
}

/** Runs a program as the user to its end, and returns its output. */
export async function outputAs(
  owner: ProcessOwner,
  program: string,
  args: readonly string[],
): Promise<string> {
  const child = started(owner, program, args, 'pipe')
  const [output] = await Promise.all([child.stdout ? text(child.stdout) : '', once(child, 'exit')])
  return output
}

function started(
  { uid, gid }: ProcessOwner,
  program: string,
  args: readonly string[],
  stdout: 'ignore' | 'pipe',
): ChildProcess {
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin' }
  // The agent's own working folder may be closed to the user.
  return spawn(program, args, { uid, gid, env, cwd: '/', stdio: ['ignore', stdout, 'ignore'] })
}

/**
 * Whether the user may read, write or run a file, as the operators of `test` name it: `-r`, `-w`, `-x`.
 * @throws Problem `invalid-input` when no process can be started as the user
 */
export async function mayUse(user: HandlerUser, operator: string, path: string): Promise<boolean> {
  try {
    return (await runAs(user, 'test', [operator, path])) === 0
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw refused(
      `no process can be started as ${user.name} (${code}): the agent needs CAP_SETUID and CAP_SETGID`,
    )
  }
}
