import type { Log } from '@svc/core'
import {
  CHANNEL,
  type Control,
  hasChannels,
  SENT_SIGNALS,
  type SentSignal,
  wholeOf,
} from '../../relay/protocol.ts'
import type { RelayPeer } from '../../relay/relay-peer.ts'
import { connectToRelay } from '../../relay/relay-socket.ts'
import { type AccessPolicy, POLICY_FILE, type PolicyReading } from './access-policy.ts'
import { connectToSsh } from './host-connection.ts'
import type { HostEnd } from './host-end.ts'
import { type HostedApps, NOT_LISTED, startLogs, startRun, startUpload } from './host-logs.ts'
import { startCommand, startShell } from './host-program.ts'
import type { PendingSession } from './pending-session.ts'
import { SessionRefused, sessionUser } from './session-user.ts'

/** Dependencies of one session on this host. */
export interface HostSessionParts {
  readonly session: PendingSession
  /** Reads the host's policy: when the session begins, so that one taken away is good for none. */
  readonly policy: () => Promise<PolicyReading>
  /** Whether this host has as many sessions as it takes. */
  readonly isBusy: boolean
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly apps: HostedApps
  readonly log: Log
  /** Aborted when the agent ends. */
  readonly life: AbortSignal
}

/** Carries one session from its ticket to its end. Never throws. */
export async function runHostSession(parts: HostSessionParts): Promise<void> {
  const { session, log, environment } = parts
  const facts = { session: session.id, mode: session.mode, operator: session.operator }
  try {
    const peer = await connectToRelay(session.relayUrl, session.token, environment)
    log.info({ ...facts, reason: session.reason }, 'a session of an operator')
    const end = await carry(parts, peer)
    log.info({ ...facts, end }, 'the session has ended')
  } catch (error) {
    log.warn({ ...facts, error: (error as Error).message }, 'a session did not begin')
  }
}

async function carry(parts: HostSessionParts, peer: RelayPeer): Promise<string> {
  const { life } = parts
  const cut = () => peer.cut()
  life.addEventListener('abort', cut, { once: true })
  try {
    const began = await Promise.race([peer.ready, peer.ended])
    if ('code' in began) return began.reason ?? 'gone'
    const host = await startedOn(parts, peer)
    return host === undefined ? 'refused' : await joined(parts.session, peer, host)
  } finally {
    life.removeEventListener('abort', cut)
    peer.close()
  }
}

const NO_POLICY = `this host takes no sessions: its agent's state folder has no ${POLICY_FILE} that allows them`
const BAD_POLICY = `this host takes no sessions: its ${POLICY_FILE} cannot be used, and its agent's log says why`

async function startedOn(
  { session, policy: read, isBusy, apps }: HostSessionParts,
  peer: RelayPeer,
): Promise<HostEnd | undefined> {
  try {
    if (isBusy) throw new SessionRefused('busy', 'this host has as many sessions as it takes')
    const reading = await read()
    if (session.mode === 'logs' || session.mode === 'upload')
      return await forDeployers(session.mode, session, reading, apps)
    if (session.mode === 'run') return await run(session, reading, apps)
    return await start(session, policyOf(reading))
  } catch (error) {
    const code = error instanceof SessionRefused ? error.code : 'spawn_failed'
    peer.control({ t: 'error', code, message: (error as Error).message })
    return undefined
  }
}

function policyOf({ policy, fault }: PolicyReading): AccessPolicy {
  if (policy !== undefined) return policy
  throw new SessionRefused('declined', fault === undefined ? NO_POLICY : BAD_POLICY)
}

/**
 * A host that says nothing of sessions shows output of applications and takes their commits, too: those who
 * ask may deploy whatever they like already.
 */
function forDeployers(
  mode: 'logs' | 'upload',
  { command = '' }: PendingSession,
  reading: PolicyReading,
  apps: HostedApps,
): Promise<HostEnd> {
  if (reading.fault !== undefined) throw new SessionRefused('declined', BAD_POLICY)
  if (!reading.isAbsent && !reading.policy?.modes.includes(mode))
    throw new SessionRefused('declined', NOT_LISTED[mode])
  return mode === 'logs' ? startLogs(apps, command) : startUpload(apps, command)
}

/** A command of an application is a way in: the host has to allow it, but in a trial. */
function run({ mode, command }: PendingSession, reading: PolicyReading, apps: HostedApps): Promise<HostEnd> {
  const isOwn = apps.isTrial === true && reading.isAbsent === true
  if (!isOwn && !policyOf(reading).modes.includes(mode)) throw new SessionRefused('declined', noMode(mode))
  return startRun(apps, command ?? '')
}

const noMode = (mode: string): string => `this host takes no sessions of mode ${mode}`

async function start(session: PendingSession, policy: AccessPolicy): Promise<HostEnd> {
  const { mode, command, user } = session
  if (!policy.modes.includes(mode)) throw new SessionRefused('declined', noMode(mode))
  if (mode === 'tcp') return connectToSsh(policy.tcpPort)
  const as = await sessionUser(user, policy)
  return mode === 'exec' ? startCommand(as, command ?? '') : startShell(as, session)
}

async function joined({ mode }: PendingSession, peer: RelayPeer, host: HostEnd): Promise<string> {
  peer.listen({
    bytes: (data, done) => {
      // The first byte of a command's frame says that it is for standard input.
      const isForInput = !hasChannels(mode) || data[0] === CHANNEL.stdin
      if (isForInput) host.write(hasChannels(mode) ? data.subarray(1) : data, done)
      else done()
    },
    control: (control) => obey(host, control),
    drained: () => host.resume(),
  })
  host.start((data, channel) => {
    if (!peer.send(data, hasChannels(mode) ? channel : undefined)) host.pause()
  })
  const first = await Promise.race([host.ended, peer.ended])
  if ('reason' in first) {
    host.hangUp()
    return first.reason ?? 'gone'
  }
  await peer.flushed()
  const { code } = first
  const signal = 'signal' in first && first.signal ? { signal: first.signal } : {}
  peer.control({ t: 'exit', code, ...signal })
  return 'done'
}

function obey(host: HostEnd, control: Control): void {
  if (control.t === 'eof') host.eof()
  if (control.t === 'signal' && (SENT_SIGNALS as readonly unknown[]).includes(control.name))
    host.signal(control.name as SentSignal)
  if (control.t !== 'resize') return
  const [cols, rows] = [wholeOf(control.cols, 2, 500), wholeOf(control.rows, 2, 200)]
  if (cols !== undefined && rows !== undefined) host.resize(cols, rows)
}
