import { PENDING_SECONDS, type Proof, type SecondFactor, type SecondFactorsStore } from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import type { MemorySession } from '../sessions/sessions-store-memory.ts'

/** A second factor as the fake stores it. */
export type MemorySecondFactor = SecondFactor & { readonly userId: string; readonly begunAt: Date }

const proves = (factor: SecondFactor, proof: Proof): boolean =>
  factor.confirmedAt !== undefined &&
  factor.secret === proof.secret &&
  (proof.step === undefined ? factor.recovery.includes(proof.recovery) : factor.lastStep < proof.step)

const spent = (factor: MemorySecondFactor, { step, recovery }: Proof): MemorySecondFactor => ({
  ...factor,
  lastStep: Math.max(factor.lastStep, step ?? 0),
  recovery: factor.recovery.filter((each) => each !== recovery),
})

/** Second factors in memory. */
export function memorySecondFactorsStore(
  tables: MemoryTables,
  run: Run,
  time: () => Date,
): SecondFactorsStore {
  const secondFactors = tables.of<MemorySecondFactor>('secondFactors')
  const sessions = tables.of<MemorySession>('sessions')
  const waits = ({ confirmedAt, begunAt }: MemorySecondFactor, now: Date) =>
    confirmedAt === undefined && now.getTime() < begunAt.getTime() + PENDING_SECONDS * 1000
  const endSessions = (userId: string, now: Date, kept?: string): number => {
    const live = sessions
      .all()
      .filter((each) => each.userId === userId && each.digest !== kept && each.revokedAt === undefined)
      .filter((each) => each.expiresAt > now)
    for (const session of live) sessions.put(session.digest, { ...session, revokedAt: now })
    return live.length
  }
  return {
    begin: (userId, secret, now = time()) =>
      run(() => {
        if (secondFactors.get(userId)?.confirmedAt !== undefined) return false
        const fresh = { userId, secret, begunAt: now, confirmedAt: undefined, lastStep: 0, recovery: [] }
        secondFactors.put(userId, fresh)
        return true
      }),
    find: (userId, now = time()) =>
      run(() => {
        const row = secondFactors.get(userId)
        if (row === undefined || (row.confirmedAt === undefined && !waits(row, now)))
          return { at: now, factor: undefined }
        const { userId: _user, begunAt: _begun, ...factor } = row
        return { at: now, factor }
      }),
    confirm: ({ userId, secret, step, recovery, keptSession }, now = time()) =>
      run(() => {
        const row = secondFactors.get(userId)
        if (row === undefined || row.secret !== secret || !waits(row, now)) return false
        secondFactors.put(userId, { ...row, confirmedAt: now, lastStep: step, recovery })
        endSessions(userId, now, keptSession)
        return true
      }),
    spend: (userId, proof) =>
      run(() => {
        const row = secondFactors.get(userId)
        if (row?.confirmedAt === undefined) return true
        if (proof === undefined || !proves(row, proof)) return false
        secondFactors.put(userId, spent(row, proof))
        return true
      }),
    remove: (userId, proof) =>
      run(() => {
        const row = secondFactors.get(userId)
        if (row === undefined || !proves(row, proof)) return false
        secondFactors.put(userId, undefined)
        return true
      }),
    reset: (userId, now = time()) =>
      run(() => {
        const removed = secondFactors.get(userId) !== undefined
        secondFactors.put(userId, undefined)
        return { removed, ended: endSessions(userId, now) }
      }),
    backs: (userId, digest) =>
      run(() => {
        const session = sessions.get(digest)
        const isMinted = session?.userId === userId && session.minted === true
        return isMinted || secondFactors.get(userId)?.confirmedAt !== undefined
      }),
    confirmed: () =>
      run(() =>
        secondFactors
          .all()
          .filter(({ confirmedAt }) => confirmedAt !== undefined)
          .map(({ userId }) => userId),
      ),
  }
}
