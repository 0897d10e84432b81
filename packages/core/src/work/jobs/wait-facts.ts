import { ofLicense } from '../../kernel/scope.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import type { Job, JobState } from './job.ts'
import type { WaitFacts } from './job-wait.ts'

/** Most jobs that hosts hold, of each state, that an explanation looks at. */
const MOST_HELD = 1000

/** Reads the facts that explain why a job waits. */
export async function waitFacts(storage: Storage, job: Job): Promise<Omit<WaitFacts, 'now'>> {
  const { licenseId } = job
  const heldIn = (state: JobState) => storage.jobs.list(ofLicense(licenseId), { state, limit: MOST_HELD })
  const [license, holder, hosts, lastClaim, claimed, running] = await Promise.all([
    storage.licenses.get(licenseId),
    storage.jobs.serialHolder(job),
    storage.agents.list(ofLicense(licenseId)),
    storage.jobs.lastClaim(licenseId),
    heldIn('claimed'),
    heldIn('running'),
  ])
  return { job, license, holder, hosts, held: [...claimed, ...running], lastClaim }
}
