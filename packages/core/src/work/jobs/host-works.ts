import { RecentMap } from '../../kernel/recent-map.ts'
import type { Base } from '../../platform/base.ts'
import type { HostWork } from '../agents/agents-store.ts'
import { JOB_KINDS, type JobKind } from './job.ts'
import type { LeaseRequest } from './jobs-store.ts'

/** A host that asks for work. */
export interface Claim extends Omit<LeaseRequest, 'leaseSeconds' | 'kinds'> {
  /** Kinds of jobs that the host runs; unknown ones are ignored. Absent: all. */
  readonly kinds?: readonly string[] | undefined
  /** How many jobs the host runs at a time; absent: not said. */
  readonly concurrency?: number | undefined
}

/**
 * The known kinds among `kinds`, each once and in one order, since hosts that run the same kinds share
 * statements.
 */
export const knownKinds = (kinds: readonly string[] | undefined): readonly JobKind[] | undefined =>
  kinds && JOB_KINDS.filter((kind) => kinds.includes(kind))

/** The filter of a claim; undefined when the host runs every kind. */
export const filterOf = (kinds: readonly JobKind[] | undefined): readonly JobKind[] | undefined =>
  kinds?.length === JOB_KINDS.length ? undefined : kinds

/** How long a host is believed to be stored as it was stored last, in milliseconds. */
const BELIEVED_MS = 600_000
/** Hosts that are remembered at least. */
const HOSTS = 50_000

interface Noted {
  readonly work: string
  readonly at: number
}

/**
 * Stores the work that hosts say they do when they ask for some, for `jobs why` and `fleet show`. A statement
 * runs when a host says something new, and again after ten minutes, since the host may have been forgotten or
 * have asked another replica meanwhile. A host that never says anything costs none.
 */
export class HostWorks {
  readonly #parts: Pick<Base, 'storage' | 'clock'>
  readonly #noted = new RecentMap<Noted>(HOSTS)
  readonly #seen = new RecentMap<number>(HOSTS)

  constructor(parts: Pick<Base, 'storage' | 'clock'>) {
    this.#parts = parts
  }

  /** Whether the host has reported to the plane; one statement in ten minutes. */
  async isKnown({ licenseId, fingerprint }: Pick<Claim, 'licenseId' | 'fingerprint'>): Promise<boolean> {
    const { storage, clock } = this.#parts
    const host = `${licenseId} ${fingerprint}`
    const at = clock.now().getTime()
    const seen = this.#noted.get(host)?.at ?? this.#seen.get(host)
    if (seen !== undefined && Math.abs(at - seen) < BELIEVED_MS) return true
    const isKnown = await storage.agents.isKnown(licenseId, fingerprint)
    if (isKnown) this.#seen.set(host, at)
    return isKnown
  }

  async note({ licenseId, fingerprint }: Pick<Claim, 'licenseId' | 'fingerprint'>, said: HostWork) {
    const { storage, clock } = this.#parts
    const host = `${licenseId} ${fingerprint}`
    const noted = this.#noted.get(host)
    const saysNothing = said.kinds === undefined && said.concurrency === undefined
    if (saysNothing && noted === undefined) return
    const work = `${said.kinds?.join(' ')} ${said.concurrency}`
    const at = clock.now().getTime()
    if (noted?.work === work && Math.abs(at - noted.at) < BELIEVED_MS) return
    const isKnown = await storage.agents.noteWork(licenseId, fingerprint, said)
    if (isKnown && !saysNothing) this.#noted.set(host, { work, at })
    else this.#noted.delete(host)
  }
}
