import { keepRequestsYoung } from '../../../packages/cli/src/commands/serve/young-requests.ts'
import type { StartPart } from '../part.ts'
import type { LoadRequest, Stream, StreamOutcome } from './load.ts'
import { type RequestSource, requestsOf } from './requests.ts'
import { StreamRun } from './stream-run.ts'

/**
 * The load generator. It keeps its position in each request plan, so that all hosts of a fleet take their
 * turn over the rounds.
 */
export const start: StartPart<null> = async () => {
  // The server on the same machine lacks the processor time that the load generator uses.
  keepRequestsYoung()
  const sources = new Map<string, RequestSource>()
  const sourceOf = ({ url, requests }: Stream): RequestSource => {
    const plan = JSON.stringify([url, requests])
    const source = sources.get(plan) ?? requestsOf(requests)
    sources.set(plan, source)
    return source
  }
  const run = ({ seconds, streams }: LoadRequest): Promise<readonly StreamOutcome[]> => {
    const runs = streams.map((stream) => new StreamRun(stream, sourceOf(stream)))
    return Promise.all(runs.map((each) => each.run(seconds)))
  }
  return { commands: { run }, stop: async () => {} }
}
