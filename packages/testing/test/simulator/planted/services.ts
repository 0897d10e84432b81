import { PLATFORM } from '@svc/core'
import type { LeaseAnswer } from '@svc/core/ports'
import type { PlantedBug } from './planted-bug.ts'

const SHARED_MS = 3000

/** Faults in how services use the answers of the stores. */
export const serviceBugs: readonly PlantedBug[] = [
  {
    name: 'service: hosts of a license share the answer to a claim',
    rules: ['I7 own jobs only'],
    seams: {
      plane: ({ jobs, clock }) => {
        const claim = jobs.claim.bind(jobs)
        const last = new Map<string, { answer: LeaseAnswer; atMs: number }>()
        jobs.claim = async (request) => {
          const known = last.get(request.licenseId)
          const atMs = clock.now().getTime()
          if (known?.answer.job !== undefined && atMs - known.atMs < SHARED_MS) return known.answer
          const answer = await claim(request)
          last.set(request.licenseId, { answer, atMs })
          return answer
        }
      },
    },
  },
  {
    name: 'service: a status that was refused is answered as if it had been taken',
    rules: ['I2 late writes are refused'],
    seams: {
      plane: ({ jobs }) => {
        const report = jobs.report.bind(jobs)
        jobs.report = (write) =>
          report(write).catch(async () => ({ effect: 'ignored', job: await jobs.get(PLATFORM, write.jobId) }))
      },
    },
  },
  {
    name: 'service: lines that were refused are answered as if they had been taken',
    rules: ['I2 late writes are refused'],
    seams: {
      plane: ({ jobs }) => {
        const append = jobs.appendLogs.bind(jobs)
        jobs.appendLogs = (write) =>
          append(write).catch(async () => {
            const next = (write.offset ?? 0) + write.lines.length
            const job = await jobs.get(PLATFORM, write.jobId)
            return { accepted: write.lines.length, stored: 0, next, job }
          })
      },
    },
  },
  {
    name: 'service: a job is done again before it has ended',
    rules: ['a retry follows an end'],
    seams: {
      plane: ({ jobs }) => {
        const get = jobs.get.bind(jobs)
        jobs.get = async (scope, id) => ({ ...(await get(scope, id)), state: 'failed' })
      },
    },
  },
]
