import type { Job } from '@svc/core'
import type { AccessSession } from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { MemoryJob } from '../../work/jobs/memory-job.ts'

const DAY_MS = 86_400_000

/** The listeners to the signals of one fake database. */
export class MemorySignals {
  readonly #heard = new Set<(text: string) => void>()
  /** Whether the tables send signals already. */
  isSending = false

  hear(heard: (text: string) => void): AsyncDisposable {
    const own = (text: string) => heard(text)
    this.#heard.add(own)
    return { [Symbol.asyncDispose]: async () => void this.#heard.delete(own) }
  }

  send(text: string): void {
    for (const heard of this.#heard) heard(text)
  }
}

/** Makes the tables send signals, as the triggers of the database do (migration 0038). */
export function sendSignals(tables: MemoryTables): void {
  const { signals } = tables
  if (signals.isSending) return
  signals.isSending = true
  const send = (text: string) => tables.undo.whenKept(() => signals.send(text))
  tables.jobs.onPut((row, before) => {
    const { job } = row
    if (isReleased(row, before)) send(jobSignal(row, before === undefined))
    const isAsked = job.cancel !== undefined && before !== undefined && before.job.cancel === undefined
    if (isAsked && job.claimedBy !== undefined && job.finishedAt === undefined)
      send(`host ${job.licenseId} ${job.claimedBy}`)
  })
  tables.agents.onPut(({ licenseId, fingerprint, drainedAt }, before) => {
    if (before !== undefined && (drainedAt === undefined) !== (before.drainedAt === undefined))
      send(`host ${licenseId} ${fingerprint}`)
  })
  tables
    .of<Pick<AccessSession, 'licenseId' | 'fingerprint'>>('accessSessions')
    .onPut(({ licenseId, fingerprint }, before) => {
      if (before === undefined) send(`access ${licenseId} ${fingerprint}`)
    })
}

const isReleased = ({ job, place }: MemoryJob, before: MemoryJob | undefined): boolean =>
  job.state === 'pending' &&
  place < Number.POSITIVE_INFINITY &&
  (before === undefined || before.job.state !== 'pending' || before.place === Number.POSITIVE_INFINITY)

function jobSignal({ job, place }: { job: Job; place: number }, isNew: boolean): string {
  const wait = isNew ? Math.ceil(place - job.createdAt.getTime()) : 0
  return `job ${job.licenseId} ${job.id} ${job.kind} ${Math.min(DAY_MS, Math.max(0, wait))} ${job.target}`
}
