import { keepRequestsYoung } from '../../../packages/cli/src/commands/serve/young-requests.ts'
import type { StartPart } from '../part.ts'
import type { LoadRequest, Stream, StreamOutcome } from './load.ts'
import { type RequestSource, requestsOf } from './requests.ts'
import { StreamRun } from './stream-run.ts'

/** The load generator: keeps the place in each plan, so that a fleet takes its turns over all rounds. */
export const start: StartPart<null> = async () => {
  // What load costs is missing to the server beside it.
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
