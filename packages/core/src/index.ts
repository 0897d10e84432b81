/** `@svc/core`: the control plane without a framework. Never reaches the ORM; storage is on the subpath `./sql`. */
export { type Clock, systemClock } from './clock.ts'
export { type Ids, randomIds, spellId } from './ids.ts'
export { type Log, type LogFields, silentLog } from './log.ts'
export { Problem, type ProblemCode, type ProblemData } from './problem.ts'
