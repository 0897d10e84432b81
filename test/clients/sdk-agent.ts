// An agent's loop with the functions of @hey-api/openapi-ts: node sdk-agent.js URL KEY. `sdk/` is generated.
import { client } from './sdk/client.gen'
import { fleetHeartbeat, jobsAppend, jobsClaim, jobsReport, licenseActivate } from './sdk/sdk.gen'
import type { ClaimedJob } from './sdk/types.gen'

const [, , baseUrl = '', key = ''] = process.argv
client.setConfig({ baseUrl, auth: () => key })
const fingerprint = 'sdk-agent'

/** The line that a job is answered with: each kind has a payload of its own. */
function lineOf(job: ClaimedJob): string {
  if (job.kind === 'deploy' && job.payload.source.type === 'git')
    return `${job.payload.app} from ${job.payload.source.repo_url}`
  if (job.kind === 'db') return `${job.payload.op} ${job.payload.engine}`
  return job.kind
}

async function work(job: ClaimedJob): Promise<void> {
  const { id, attempt } = job
  const path = { id }
  await jobsReport({ path, body: { fingerprint, attempt, state: 'running' } })
  const lines = [{ ts: Date.now() / 1000, line: lineOf(job) }]
  const appended = await jobsAppend({
    path,
    body: { fingerprint, attempt, offset: job.log.next_offset, lines },
  })
  if (appended.data?.accepted !== 1) throw new Error(appended.error?.error)
  const reported = await jobsReport({
    path,
    body: { fingerprint, attempt, state: 'succeeded', exit_code: 0 },
  })
  if (reported.data?.ok !== true) throw new Error(reported.error?.error)
}

const { data: activated } = await licenseActivate({ body: { key, fingerprint } })
const beat = await fleetHeartbeat({ body: { fingerprint, hostname: fingerprint } })
if (!activated?.token || !beat.data?.ack) throw new Error(beat.error?.error)
for (;;) {
  const { data, response } = await jobsClaim({ body: { fingerprint, kinds: ['deploy', 'db'] } })
  if (response?.status === 204 || !data) break
  await work(data.job)
}
const refused = await jobsReport({ path: { id: 'job_unknown' }, body: { fingerprint, state: 'running' } })
console.log(JSON.stringify({ status: refused.response?.status, error: refused.error?.error }))
