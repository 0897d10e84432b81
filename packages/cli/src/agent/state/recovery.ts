import { outcomeOfAbandoned } from '../run/job-outcome.ts'
import { JobReporter } from '../run/job-reporter.ts'
import type { JobParts } from '../run/job-run.ts'
import { killStrays } from '../run/strays.ts'
import type { WorkFolder } from '../run/work-folder.ts'

/**
 * Ends the jobs' processes that outlived an agent that was killed. Local, so it comes before anything else.
 */
export async function endLeftovers(folders: readonly WorkFolder[], parts: JobParts): Promise<void> {
  const { log, options } = parts
  for (const folder of folders) {
    const { job } = folder
    const killed = await killStrays({ folder, user: options.handlerUser })
    if (killed > 0)
      log.warn({ job: job.id, attempt: job.attempt, killed }, 'ended the leftover work of an earlier agent')
  }
}

/**
 * Reports the jobs of an agent that ended without a word: the outcome it kept, if the work was done; else the
 * job is given back, or failed once its attempts are used up. The rest of the spooled log goes first. The
 * attempt fences it all: a job that was handed out again in the meantime answers 404 and is left alone.
 */
export async function reportLeftovers(
  folders: readonly WorkFolder[],
  parts: JobParts,
  signal: AbortSignal,
): Promise<void> {
  for (const folder of folders) {
    if (signal.aborted) return
    const { job } = folder
    const kept = await folder.outcome()
    const outcome = kept ?? outcomeOfAbandoned(job)
    const reporter = new JobReporter(parts, folder, () => {}, signal)
    if (!kept) reporter.push('[agent] the agent ended while this job ran; its work was ended too')
    const heard = await reporter.conclude(outcome)
    reporter.dispose()
    parts.log.info(
      { job: job.id, attempt: job.attempt, state: outcome.state, heard },
      'reported a leftover job',
    )
    if (heard !== 'unheard') await folder.remove()
  }
}
