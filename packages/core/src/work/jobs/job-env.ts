import { withoutEnvValues } from '../../kernel/redaction/visible-payload.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { placeOf } from '../../platform/secrets/secrets-store.ts'
import type { Job } from './job.ts'
import type { Payload } from './job-payload.ts'
import type { NewJob } from './jobs-store.ts'

const placeIn = (jobId: string): string => placeOf('jobEnvs', jobId)

/**
 * A job as it is stored: the values of its `env` are sealed for its id, and the payload keeps their names.
 * Without data keys it is stored as it is.
 */
export function withSealedEnv(keyring: Keyring, job: NewJob): NewJob {
  const { env } = job.payload
  if (env === undefined || !keyring.isConfigured) return job
  const sealedEnv = keyring.seal(JSON.stringify(env), placeIn(job.id))
  return { ...job, payload: withoutEnvValues(job.payload), sealedEnv }
}

/**
 * The payload of a stored job with its `env` at its place.
 * @throws Problem `secrets-not-configured` when it cannot be opened
 */
export function payloadWithEnv(
  keyring: Keyring,
  { id, payload, sealedEnv }: Pick<Job, 'id' | 'payload' | 'sealedEnv'>,
): Payload {
  if (sealedEnv === undefined) return payload
  const env: unknown = JSON.parse(keyring.open(sealedEnv, placeIn(id)))
  return { ...payload, env }
}
