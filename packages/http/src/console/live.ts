import { Problem, type Scope, type SessionCaller } from '@svc/core'
import { LIVE_LISTS, type LIVE_THINGS, type LiveSubject, mayRun, operatorOf } from '@svc/core/adapters'
import type { GateRequest, Reply } from '../exchange/route.ts'
import { EventStream, SSE_HEADERS, SSE_TYPE } from '../exchange/sse.ts'
import { requireSetUp, signedIn } from '../gates/session.ts'
import { PAGES } from './pages.ts'
import { operationNamed } from './visit.ts'

type List = (typeof LIVE_LISTS)[number]
type Thing = Exclude<(typeof LIVE_THINGS)[number], 'session'>

/** The operation that a person has to be allowed to run who is told of a thing. */
const THINGS: Readonly<Record<Thing, string>> = {
  host: 'fleet.show',
  job: 'jobs.show',
  'license-jobs': 'jobs.list',
}
const LOGS = 'jobs.logs'
const MAX_SUBJECT_CHARS = 1024

/** Opens the event stream of a page, which is told when what the page shows has changed. */
export async function answerLive(request: GateRequest): Promise<Reply> {
  const caller = await signedIn(request)
  requireSetUp(caller)
  const { plane } = request
  const { scope } = operatorOf(caller)
  const shows = new URLSearchParams(request.search).getAll('show')
  const hasLogs = shows.includes('log')
  if (hasLogs) requireRight(caller, LOGS)
  const subjects = shows.filter((each) => each !== 'log').map((each) => subjectOf(each, caller, scope))
  const leaving = new AbortController()
  const gone = AbortSignal.any([leaving.signal, request.gone])
  const viewer = { user: caller.user, digest: caller.digest, scope }
  const events = await plane.livePages.open(viewer, { subjects, hasLogs }, gone)
  const content = new EventStream({ events, timers: plane.timers, leaving })
  const headers = { ...SSE_HEADERS, 'X-Content-Type-Options': 'nosniff' }
  return { status: 200, headers, stream: { type: SSE_TYPE, content } }
}

/** Reads `jobs`, or `job:ID`. @throws Problem `not-found`, `forbidden` */
function subjectOf(text: string, caller: SessionCaller, scope: Scope): LiveSubject {
  const [topic, ...rest] = text.slice(0, MAX_SUBJECT_CHARS).split(':')
  const key = rest.join(':')
  const list = LIVE_LISTS.find((each) => each === topic)
  if (list !== undefined && rest.length === 0) {
    if (!mayList(caller, list)) throw new Problem('forbidden')
    return { scope, topic: list }
  }
  const thing = (Object.keys(THINGS) as Thing[]).find((each) => each === topic)
  if (thing === undefined || key === '') throw new Problem('not-found')
  requireRight(caller, THINGS[thing])
  return { scope, topic: thing, key }
}

const may = (caller: SessionCaller, operation: string): boolean =>
  mayRun(operatorOf(caller), operationNamed(operation))

function requireRight(caller: SessionCaller, operation: string): void {
  if (!may(caller, operation)) throw new Problem('forbidden')
}

/** Whether a person may see a page that shows the list. */
const mayList = (caller: SessionCaller, list: List): boolean =>
  PAGES.some(({ operation }) => operation?.startsWith(`${list}.`) && may(caller, operation))
