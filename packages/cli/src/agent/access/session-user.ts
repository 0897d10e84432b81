import { execFile } from 'node:child_process'
import { userInfo } from 'node:os'
import { promisify } from 'node:util'
import type { HostRefusal } from '../../relay/protocol.ts'
import type { AccessPolicy } from './access-policy.ts'

/** A user of the host as whom a session runs. */
export interface SessionUser {
  readonly name: string
  readonly uid: number
  readonly gid: number
  readonly home: string
  readonly shell: string
}

/** A session that the host does not take, and the words for its operator. */
export class SessionRefused extends Error {
  override readonly name = 'SessionRefused'
  readonly code: HostRefusal

  constructor(code: HostRefusal, message: string) {
    super(message)
    this.code = code
  }
}

const run = promisify(execFile)

/**
 * Returns the user of a session: the one that it names, else the first that the policy lists, else the
 * agent's own.
 * @throws SessionRefused
 */
export async function sessionUser(named: string | undefined, { users }: AccessPolicy): Promise<SessionUser> {
  const own = userInfo()
  const name = named ?? users[0] ?? own.username
  const isListed = users.length === 0 ? name === own.username : users.includes(name)
  if (!isListed) throw new SessionRefused('declined', `this host has no sessions for ${name}`)
  if (name !== own.username && own.uid !== 0)
    throw new SessionRefused('no_user', `the agent runs as ${own.username} and cannot become ${name}`)
  try {
    const { stdout } = await run('getent', ['passwd', name])
    const [login = '', , uid, gid, , home = '/', shell = ''] = stdout.trimEnd().split(':')
    return { name: login, uid: Number(uid), gid: Number(gid), home, shell: shell || '/bin/sh' }
  } catch {
    throw new SessionRefused('no_user', `there is no user ${name} on this host`)
  }
}

/** The environment of a session: nothing of the agent's, which may hold its license key. */
export const sessionEnvironment = (user: SessionUser, term?: string): Record<string, string> => ({
  PATH:
    user.uid === 0
      ? '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
      : '/usr/local/bin:/usr/bin:/bin',
  HOME: user.home,
  USER: user.name,
  LOGNAME: user.name,
  SHELL: user.shell,
  LANG: 'C.UTF-8',
  ...(term === undefined ? {} : { TERM: term }),
})

/**
 * Returns a program that runs `words` as the user, with all groups of the user, and gets `atDeath` when the
 * agent dies.
 */
export function asUser(
  user: SessionUser,
  words: readonly string[],
  atDeath: 'HUP' | 'KILL',
): readonly string[] {
  const isOther = user.uid !== process.geteuid?.()
  const ids = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--init-groups']
  return ['setpriv', ...(isOther ? ids : []), '--pdeathsig', atDeath, '--', ...words]
}
