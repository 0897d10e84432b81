import { secretDigest } from '@svc/core/ports'
import {
  type LeaseItem,
  NO_WORK,
  type ProbeResult,
  probe,
} from '../../../packages/core/src/work/jobs/job-probe-sql.ts'
import { type Fleet, licenseId, licenseKey } from '../fleet.ts'
import type { StartPart } from '../part.ts'
import { BareBatch } from './bare-batch.ts'
import { answerJson, answerNothing, bareHttp } from './bare-http.ts'
import { bareLanes } from './bare-lanes.ts'

/** The database of licenses and jobs, and the fleet. */
export interface BareLookOptions {
  readonly databaseUrl: string
  readonly fleet: Fleet
}

const BEARER = 'Bearer '

/**
 * Runs the product's look for work in batches, the license check included: no rate limit, no metric, no log,
 * and no check of the request. The license of each key is known beforehand.
 */
export const start: StartPart<BareLookOptions> = async ({ databaseUrl, fleet }) => {
  const { rows, close } = bareLanes(databaseUrl)
  const licenses = new Map(
    Array.from({ length: fleet.licenses }, (_, number) => [
      secretDigest(licenseKey(number)),
      licenseId(number),
    ]),
  )
  const batch = new BareBatch<LeaseItem, ProbeResult>(async (items) => {
    const found = await probe(items, rows)
    return items.map((item) => found.get(item) ?? NO_WORK)
  })
  return bareHttp(async ({ fingerprint }, response) => {
    const keyDigest = secretDigest(response.req.headers.authorization?.slice(BEARER.length) ?? '')
    const request = {
      licenseId: licenses.get(keyDigest) ?? '',
      keyDigest,
      fingerprint: String(fingerprint),
      leaseSeconds: 300,
      claimKey: undefined,
    }
    const { licensed, promising } = await batch.ask({ request, now: undefined })
    if (licensed && !promising) answerNothing(response)
    else answerJson(response, licensed ? 501 : 401, {})
  }, close)
}
