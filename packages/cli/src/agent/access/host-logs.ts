import { userInfo } from 'node:os'
import { type AppLogsWish, type Environment, readAppLogsWish, readAppRun, readAppUpload } from '@svc/core'
import { hostVariables } from '../../host-apps/apps-folder.ts'
import type { HandlerUser } from '../run/handler-user.ts'
import type { HostEnd } from './host-end.ts'
import { startProgram } from './host-program.ts'
import { SessionRefused, type SessionUser } from './session-user.ts'

/** The applications of a host, as sessions reach them. */
export interface HostedApps {
  /** The words that start this program; undefined: it keeps no applications running. */
  readonly program: readonly string[] | undefined
  /** Their folder. */
  readonly folder: string
  /** The user that they run as; undefined: the agent's own. */
  readonly user: HandlerUser | undefined
  /** The agent's own variables: applications see some of them. */
  readonly environment?: Environment | undefined
  /** Whether the host is that of a trial, whose person sits at it. */
  readonly isTrial?: boolean | undefined
}

/** Words of a host that does for those who may deploy what its file does not list. */
export const NOT_LISTED = {
  logs: 'this host shows no output of applications: its access.json says so',
  upload: 'this host takes no uploads of applications: its access.json says so',
} as const

/**
 * Starts the reading of the output of an application, with arguments of known forms alone: no shell, and no
 * word of the operator that could be an option.
 * @throws SessionRefused
 */
export async function startLogs({ program, folder, user }: HostedApps, given: string): Promise<HostEnd> {
  const words = [
    ...demanded(program),
    'host-apps',
    'logs',
    '--apps',
    folder,
    ...argumentsOf(known(() => readAppLogsWish(JSON.parse(given)))),
  ]
  return startProgram(userOf(user), words)
}

/**
 * Starts one command in the live release of an application, with its variables and as its user.
 * @throws SessionRefused
 */
export async function startRun(
  { program, folder, user, environment = {} }: HostedApps,
  given: string,
): Promise<HostEnd> {
  const { app, command } = known(() => readAppRun(JSON.parse(given)))
  const words = ['host-apps', 'run', '--apps', folder, `--app=${app}`, `--command=${command}`]
  const as = userOf(user)
  const own = { ...hostVariables(environment), HOME: as.home, USER: as.name, LOGNAME: as.name }
  return startProgram(as, [...demanded(program), ...words], own)
}

/**
 * Starts git, which takes commits of an application into a repository of this host.
 * @throws SessionRefused
 */
export async function startUpload(
  { program, folder, user, environment = {} }: HostedApps,
  given: string,
): Promise<HostEnd> {
  const { app, sha } = known(() => readAppUpload(JSON.parse(given)))
  const as = userOf(user)
  const own = { ...hostVariables(environment), HOME: as.home, USER: as.name, LOGNAME: as.name }
  const words = ['host-apps', 'upload', '--apps', folder, `--app=${app}`, `--sha=${sha}`]
  return startProgram(as, [...demanded(program), ...words], own)
}

function demanded(program: HostedApps['program']): readonly string[] {
  if (program !== undefined) return program
  throw new SessionRefused('declined', 'the agent of this host keeps no applications running')
}

function known<T>(read: () => T): T {
  try {
    return read()
  } catch {
    throw new SessionRefused(
      'declined',
      'the agent of this host does not know a part of this wish: upgrade it',
    )
  }
}

const argumentsOf = ({ app, process, since, lines, follow }: AppLogsWish): readonly string[] => [
  `--app=${app}`,
  ...(process === undefined ? [] : [`--process=${process}`]),
  ...(since === undefined ? [] : [`--since=${since}`]),
  ...(lines === undefined ? [] : [`--lines=${lines}`]),
  ...(follow === true ? ['--follow'] : []),
]

function userOf(user: HandlerUser | undefined): SessionUser {
  if (user !== undefined) return { ...user, shell: user.loginShell }
  const { username: name, uid, gid, homedir: home, shell } = userInfo()
  return { name, uid, gid, home, shell: shell ?? '/bin/sh' }
}
