// An agent's loop with the types of openapi-typescript: node fetch-agent.ts URL KEY. `types.ts` is generated.
import createClient from 'openapi-fetch'
import type { components, paths } from './types.ts'

const [, , baseUrl = '', key = ''] = process.argv
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } })
const fingerprint = 'fetch-agent'

type Job = components['schemas']['ClaimedJob']

/** The line that a job is answered with: each kind has a payload of its own. */
function lineOf(job: Job): string {
  if (job.kind === 'deploy' && job.payload.source.type === 'git')
    return `${job.payload.app} from ${job.payload.source.repo_url}`
  if (job.kind === 'db') return `${job.payload.op} ${job.payload.engine}`
  return job.kind
}

async function work(job: Job): Promise<void> {
  const { id, attempt } = job
  const params = { path: { id } }
  await client.POST('/v1/jobs/{id}/status', { params, body: { fingerprint, attempt, state: 'running' } })
  const lines = [{ ts: Date.now() / 1000, line: lineOf(job) }]
  const log = { fingerprint, attempt, offset: job.log.next_offset, lines }
  const appended = await client.POST('/v1/jobs/{id}/logs', { params, body: log })
  if (appended.data?.accepted !== 1) throw new Error(appended.error?.error)
  const done = { fingerprint, attempt, state: 'succeeded' as const, exit_code: 0 }
  const reported = await client.POST('/v1/jobs/{id}/status', { params, body: done })
  if (reported.data?.ok !== true) throw new Error(reported.error?.error)
}

const { data: activated } = await client.POST('/v1/license/activate', { body: { key, fingerprint } })
const beat = await client.POST('/v1/telemetry/heartbeat', { body: { fingerprint, hostname: fingerprint } })
if (!activated?.token || !beat.data?.ack) throw new Error(beat.error?.error)
for (;;) {
  const claimed = await client.POST('/v1/jobs/claim', { body: { fingerprint, kinds: ['deploy', 'db'] } })
  if (claimed.data === undefined) break
  await work(claimed.data.job)
}
const refused = await client.POST('/v1/jobs/{id}/status', {
  params: { path: { id: 'job_unknown' } },
  body: { fingerprint, state: 'running' },
})
console.log(JSON.stringify({ status: refused.response.status, error: refused.error?.error }))
