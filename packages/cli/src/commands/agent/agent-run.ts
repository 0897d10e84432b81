import { join, resolve } from 'node:path'
import { type Log, Problem, readOwnConfig } from '@svc/core'
import { type Agent, startAgent } from '../../agent/agent.ts'
import { handlerFolders } from '../../agent/run/handler-folders.ts'
import { findHandlerUser, type HandlerUser, mayUse } from '../../agent/run/handler-user.ts'
import { allowsFirewall } from '../../agent/security/allowed.ts'
import type { ConnectOptions } from '../../connect/connect.ts'
import { keptLicenseKeyOf } from '../../connect/license-key.ts'
import { resumeApps } from '../../host-apps/resume-apps.ts'
import type { Handler } from '../../program/command-run.ts'
import { ownHandlers, version } from '../../shipped.ts'
import { EXIT } from '../../terminal/failure.ts'
import type { Io } from '../../terminal/io.ts'
import { openSmallLog } from '../../terminal/small-log.ts'
import { wholeNumber } from '../number-option.ts'
import { LOCAL_REPOSITORIES } from './local-repositories.ts'

/** Flags of `svc agent run`. */
export interface AgentRunOptions {
  readonly stateDir?: string
  readonly handlers?: string
  readonly handlerUser?: string
  readonly fingerprint?: string
  readonly concurrency?: string
  readonly pollSeconds?: string
  readonly once?: boolean
  readonly allow?: string
  readonly hostRoot?: string
}

/** A warning where the kernel does not let a process change its visible environment. */
export const KEY_SHOWN =
  'the license key stays in /proc, where other processes of this user can read it: give it by --key-file'

/** Runs the host agent until it is asked to end. */
export const runAgent: Handler<AgentRunOptions> = async ({ io, clock, options }) => {
  const { once, fingerprint, handlers } = options
  const stateDir = resolve(io.cwd, options.stateDir ?? stateFolder(io))
  const { logLevel } = readOwnConfig({ SERVICE_LOG_LEVEL: io.env.SERVICE_LOG_LEVEL }).service
  const log = openSmallLog(io, clock, logLevel)
  const licenseKey = await keptLicenseKeyOf(io, options, () => log.warn({}, KEY_SHOWN))
  if (licenseKey === undefined) {
    throw new Problem('license-key-required', {
      detail: 'an agent needs a license key (--key-file FILE, or SERVICE_LICENSE_KEY in the environment)',
    })
  }
  const pollSeconds = wholeNumber('--poll-seconds', options.pollSeconds)
  const handlerUser = await handlerUserOf(io, options)
  resumeApps(io, log, handlerFolders({ stateDir, handlerUser }).apps, handlerUser)
  const agent = startAgent({
    url: planeUrl(io, options.url),
    licenseKey,
    stateDir,
    ...(handlers === undefined ? ownHandlers(stateDir) : { handlersDir: handlers }),
    handlerUser,
    firewall: firewallOf(io, options),
    hostname: io.hostname,
    version: version(),
    log,
    clock,
    fingerprint,
    once,
    concurrency: wholeNumber('--concurrency', options.concurrency),
    environment: io.env,
    program: io.self,
    isTrial: io.isAttached,
    handlerEnvironment: localRepositories(io),
    timing: pollSeconds === undefined ? undefined : { pollMs: Math.max(1, pollSeconds) * 1000 },
  })
  const undo = stopOnSignals(io, agent, log)
  log.info({ ...(await agent.done.finally(undo)) }, 'the agent has ended')
}

const localRepositories = ({ env: { [LOCAL_REPOSITORIES]: allowed } }: Io): Record<string, string> =>
  allowed === '1' ? { [LOCAL_REPOSITORIES]: allowed } : {}

/** The agent itself may change nothing of its host unless it is allowed to. */
function firewallOf({ env, cwd, isRoot }: Io, { allow, hostRoot = '/' }: AgentRunOptions) {
  if (!allowsFirewall(allow ?? env.SERVICE_AGENT_ALLOW?.trim())) return undefined
  if (isRoot) return { root: resolve(cwd, hostRoot) }
  throw new Problem('invalid-input', { detail: 'the firewall needs root: start the agent as root' })
}

/**
 * Returns the address of the control plane.
 * @throws Problem `invalid-input` without one
 */
export function planeUrl({ env }: Io, flag: string | undefined): string {
  const url = flag ?? env.SERVICE_URL?.trim()
  if (url) return url
  throw new Problem('invalid-input', {
    detail: 'an agent needs the address of its control plane: --url, or SERVICE_URL in the environment',
  })
}

/**
 * The user for handlers that shall not read the license key. Refuses ways of giving the key that they could
 * read.
 */
export async function handlerUserOf(
  { env, cwd }: Io,
  { handlerUser, key, keyFile }: Pick<AgentRunOptions, 'handlerUser'> & ConnectOptions,
): Promise<HandlerUser | undefined> {
  const name = handlerUser ?? env.SERVICE_HANDLER_USER?.trim()
  if (!name) return undefined
  const user = await findHandlerUser(name)
  if (key !== undefined) {
    throw new Problem('invalid-input', {
      detail:
        'every user can read the arguments of a process: with --handler-user give the key by --key-file',
    })
  }
  if (keyFile === undefined || !(await mayUse(user, '-r', resolve(cwd, keyFile)))) return user
  throw new Problem('invalid-input', {
    detail: `${user.name} can read the key file ${keyFile}: make it the agent's alone (chmod 0600)`,
  })
}

/** Returns the state folder of an agent that names none. */
export const stateFolder = ({ isRoot, env, home }: Io): string =>
  isRoot
    ? '/var/lib/svc-agent'
    : join(env.XDG_STATE_HOME?.trim() || join(home, '.local', 'state'), 'svc-agent')

/** First signal: take nothing more, let running jobs end. Second: give them back. Third: end. */
function stopOnSignals(io: Io, agent: Agent, log: Log): () => void {
  let signals = 0
  const undoSignals = io.onStop((signal) => {
    signals += 1
    if (signals === 1) {
      log.info({ signal }, 'draining: no new jobs, running ones may end; once more gives them back')
      agent.drain().catch(() => {})
    } else if (signals === 2) {
      log.warn({ signal }, 'stopping: running jobs are given back')
      agent.stop().catch(() => {})
    } else io.exit(EXIT.failed)
  })
  const undoParent = io.onParentGone(() => {
    log.warn({}, 'the process that started this agent is gone: stopping')
    agent.stop().catch(() => {})
  })
  return () => {
    undoSignals()
    undoParent()
  }
}
