import { secretDigest } from '@svc/core'
import { type LeaseAsked, look } from '../../../packages/core/src/jobs/job-look-sql.ts'
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

type Looked = Awaited<ReturnType<typeof look>>[number]

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
  const batch = new BareBatch<LeaseAsked, Looked>((asked) => look(rows, asked))
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
