import { Readable } from 'node:stream'
import { JOB_STATES, type LogLine } from '@svc/core'
import { finite, listOf, MAX_LINE_CHARS, membershipOf, oneOf, shape, text, whole } from '@svc/core/adapters'
import { JSON_TYPE, json, UNBOUNDED } from '../exchange/reply.ts'
import { type Reply, route } from '../exchange/route.ts'
import { session } from '../gates/session.ts'

const MAX_LINES = 10_000
const line = shape({ ts: finite(), line: text(0, MAX_LINE_CHARS) })

// A malformed number counts as absent: the spec has no 400 on this route.
function wholeOr(fallback: number, given: string | undefined, min: number, max: number): number {
  const number = given !== undefined && /^\d{1,9}$/.test(given) ? Number(given) : fallback
  return Math.min(Math.max(number, min), max)
}

async function* documentOf(state: string, pieces: AsyncIterable<readonly LogLine[]>): AsyncGenerator<string> {
  yield `{"state":${JSON.stringify(state)},"logs":[`
  let comma = ''
  for await (const lines of pieces) {
    yield comma + JSON.stringify(lines).slice(1, -1)
    comma = ','
  }
  yield ']}'
}

/**
 * Streams a log of any length: the lines are read as fast as the client takes them. If reading fails, the
 * connection is cut, so that a part of the log cannot pass for the whole.
 */
const streamed = (state: string, pieces: AsyncIterable<readonly LogLine[]>): Reply => ({
  status: 200,
  stream: { type: JSON_TYPE, content: Readable.from(documentOf(state, pieces), { objectMode: false }) },
})

/** Reading the log of a deployment, for people (spec, GET /api/deploy/{id}/logs). */
export const deployLogsRoute = route({
  name: 'jobs.deployment-log',
  method: 'GET',
  path: '/api/deploy/{id}/logs',
  summary: "A deployment's state and its log.",
  gate: session('platform.deploy'),
  queryShapes: { after: whole(0, Number.MAX_SAFE_INTEGER), limit: whole(1, 10_000) },
  query: {
    after: 'Lines to skip: those read before. Without `after` and `limit` the answer is the whole log.',
    limit:
      'Lines at most, 1 to 10000, 10000 with `after` alone; the answer also ends before its text is longer than 1,048,576 characters.',
  },
  replies: {
    200: {
      description: 'State and log lines.',
      body: shape({ state: oneOf(JOB_STATES), logs: listOf(line, UNBOUNDED) }),
      headers: { 'Svc-Log-Count': 'Lines that the log has by now.' },
    },
    404: { description: "No such deployment, or another tenant's." },
  },
  handle: async ({ plane, caller, params, query }) => {
    const deployment = await plane.deployments.visible(params.id, membershipOf(caller))
    const counted = (count: number) => ({ 'Svc-Log-Count': String(count) })
    if (query.after === undefined && query.limit === undefined) {
      const { count, pieces } = await plane.deployments.wholeLog(deployment)
      return { ...streamed(deployment.state, pieces), headers: counted(count) }
    }
    const after = wholeOr(0, query.after, 0, Number.MAX_SAFE_INTEGER)
    const view = await plane.deployments.log(deployment, after, wholeOr(MAX_LINES, query.limit, 1, MAX_LINES))
    return json({ state: deployment.state, logs: view.logs }, counted(view.count))
  },
})
