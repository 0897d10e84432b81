import { hash } from 'node:crypto'
import { Problem } from '@svc/core'
import type { Licensee } from '@svc/core/adapters'
import type { Gate } from '../exchange/route.ts'
import { licenseBearer } from './license-bearer.ts'
import { LIMITED, type RouteLimit, takeByLicense, takeFrom } from './limit.ts'

/** Requests of one host for its sessions. */
const ASKING: RouteLimit = { name: 'access-pending', limit: 60, windowSeconds: 60 }
/** Requests of a license that name hosts it does not have. */
const STRANGERS: RouteLimit = { name: 'access-stranger', limit: 60, windowSeconds: 60 }

/** A host that asks for its sessions. */
export interface AskingHost extends Licensee {
  /** Aborted when it has left. */
  readonly gone: AbortSignal
  /** Counts a request for a host that the license does not have. @throws Problem `rate-limited` */
  readonly countStranger: () => Promise<void>
}

/** Admits holders of a license key, within a rate limit per host. */
export const agentAccess: Gate<AskingHost> = {
  security: licenseBearer.security,
  replies: { ...licenseBearer.replies, ...LIMITED },
  admit: async (request) => {
    const licensee = await licenseBearer.admit(request)
    const fingerprint = request.query('fingerprint')
    // A host chooses its fingerprint, and a window is named by something short.
    const host = `${licensee.licenseId} ${hash('sha256', fingerprint ?? '')}`
    await takeFrom(request, ASKING, host)
    const countStranger = async () => void (await takeByLicense(request, STRANGERS, licensee.licenseId))
    return { ...licensee, gone: request.gone, countStranger }
  },
}

/** Whether an error says that the license has no such host. */
export const isStranger = (error: unknown): boolean =>
  error instanceof Problem && error.code === 'agent-not-owned'
