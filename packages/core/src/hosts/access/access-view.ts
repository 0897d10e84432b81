import { unixSeconds } from '../../kernel/clock.ts'
import { present, presentSeconds } from '../../kernel/present.ts'
import { agentId } from '../../work/agents/agent.ts'
import type { AccessSession } from './access-session.ts'

/** Returns a session as operators see it; instants in unix seconds. */
export const accessView = (session: AccessSession) => ({
  id: session.id,
  state: session.state,
  mode: session.mode,
  host: { id: agentId(session.fingerprint), hostname: session.hostname },
  license_id: session.licenseId,
  operator: session.operatorLabel,
  ...present('user', session.user),
  ...present('command', session.shownCommand),
  ...present('reason', session.reason || undefined),
  ...present('ip', session.ip || undefined),
  created_at: unixSeconds(session.createdAt),
  ...presentSeconds('connected_at', session.connectedAt),
  ...presentSeconds('ended_at', session.endedAt),
  ...present('end_reason', session.endReason),
  ...present('exit_code', session.exitCode),
  bytes_in: session.bytesIn,
  bytes_out: session.bytesOut,
})
/** A session as operators see it. */
export type AccessView = ReturnType<typeof accessView>
