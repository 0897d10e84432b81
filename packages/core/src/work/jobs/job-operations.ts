import { defaulted, optional } from 'superstruct'
import { present } from '../../kernel/present.ts'
import { ofLicense, ofTenant, type Scope } from '../../kernel/scope.ts'
import {
  flag,
  freeObject,
  instant,
  matching,
  oneOf,
  text,
  unixSecond,
  whole,
} from '../../kernel/validation.ts'
import type { Licenses } from '../../people/licenses/licenses.ts'
import type { Tenants } from '../../people/tenants/tenants.ts'
import { operationOf } from '../../platform/operations/operation.ts'
import { holds, type Operator } from '../../platform/operations/operator.ts'
import type { Agents } from '../agents/agents.ts'
import { isTerminal, JOB_KINDS, JOB_STATES, type Job } from './job.ts'
import { JOB_ANSWERS } from './job-answers.ts'
import { LogRoom, MAX_VIEW_CHARS, mayHaveMore, type StoredLine } from './job-log.ts'
import { deploymentView, jobView, listedJobView } from './job-view.ts'
import type { Jobs } from './jobs.ts'

/** The services that operations on jobs use. */
export interface JobUses {
  readonly jobs: Pick<
    Jobs,
    'cancel' | 'enqueue' | 'get' | 'logLength' | 'logs' | 'page' | 'retry' | 'warning' | 'why'
  >
  readonly agents: Pick<Agents, 'resolve'>
  readonly licenses: Pick<Licenses, 'list' | 'resolve' | 'within'>
  readonly tenants: Pick<Tenants, 'resolve'>
  readonly retention: {
    /** Whether the log of an ended job went because of its age, if it had one. */
    hasLogGone(job: Job): Promise<boolean>
    /** The log of such a job as the archive has it. */
    archivedLog(job: Job): Promise<readonly StoredLine[] | undefined>
  }
}

const operation = operationOf<JobUses>()

const job = text(1, 64)
const license = text(1, 512)
const host = text(1, 512)
const MAX_TIMEOUT_SECONDS = 7 * 86_400

const deploymentOf = (job: Job) =>
  job.deploymentId === undefined ? {} : { deployment: deploymentView(job.deploymentId, job) }

/** Says of an ended job without a line that its log is gone. */
async function goneOf({ retention }: JobUses, found: Job, lines: number) {
  return lines === 0 && isTerminal(found.state) && (await retention.hasLogGone(found))
    ? { log_gone: true }
    : {}
}

/** A part of a log that is gone, as the archive has it: none where there is no archive. */
async function archived(
  { retention }: JobUses,
  found: Job,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly StoredLine[]> {
  const lines = (await retention.archivedLog(found)) ?? []
  const room = new LogRoom(limit, MAX_VIEW_CHARS)
  return lines.slice(after, after + limit).filter((line) => room.takes(line))
}

/** The job as this operator may see it: only operators who may deploy see the secrets of payloads. */
const seenBy = (operator: Operator, found: Job) => jobView(found, holds(operator, 'platform.deploy'))

/** The answer of an operation that makes a job. */
export async function madeAnswer(
  { jobs }: { readonly jobs: Pick<Jobs, 'warning'> },
  operator: Operator,
  { job: made, created }: { readonly job: Job; readonly created: boolean },
) {
  const warning = await jobs.warning(made)
  return { job: seenBy(operator, made), ...deploymentOf(made), created, ...present('warning', warning) }
}

async function hostOf(scope: Scope, { agents }: JobUses, name: string | undefined) {
  return name === undefined ? undefined : agents.resolve(scope, name)
}

/** Returns the part of a scope that is a tenant's; undefined if a license of another stands for it. */
async function ofTenantWithin(scope: Scope, { licenses }: JobUses, tenantId: string) {
  if (scope.of !== 'license') return ofTenant(tenantId)
  const [license] = await licenses.list(scope)
  return license?.tenantId === tenantId ? scope : undefined
}

const enqueue = operation({
  name: 'jobs.enqueue',
  summary: 'give the hosts of a license a job',
  permission: 'platform.deploy',
  scope: 'tenant',
  changes: true,
  answer: JOB_ANSWERS.made,
  input: {
    kind: oneOf(JOB_KINDS),
    license,
    host: optional(host),
    payload: defaulted(freeObject(), () => ({})),
    urgent: optional(flag()),
    serial_key: optional(text(1, 128)),
    dedupe_key: optional(text(1, 128)),
    run_at: optional(instant()),
    max_attempts: optional(whole(1, 100)),
    timeout_seconds: optional(whole(1, MAX_TIMEOUT_SECONDS)),
  },
  run: async (services, input, operator) => {
    const licenseId = await services.licenses.resolve(operator.scope, input.license)
    const target = (await hostOf(ofLicense(licenseId), services, input.host))?.fingerprint
    const { job: made, created } = await services.jobs.enqueue({
      licenseId,
      kind: input.kind,
      payload: input.payload,
      target,
      urgent: input.urgent,
      serialKey: input.serial_key,
      dedupeKey: input.dedupe_key,
      runAt: input.run_at === undefined ? undefined : new Date(input.run_at),
      maxAttempts: input.max_attempts,
      timeoutSeconds: input.timeout_seconds,
      madeBy: operator.name,
    })
    return madeAnswer(services, operator, { job: made, created })
  },
})

const list = operation({
  name: 'jobs.list',
  summary: 'list jobs, newest first, without their payloads',
  permission: 'platform.read',
  scope: 'tenant',
  changes: false,
  answer: JOB_ANSWERS.list,
  input: {
    state: optional(oneOf(JOB_STATES)),
    kind: optional(oneOf(JOB_KINDS)),
    license: optional(license),
    tenant: optional(text(1, 128)),
    host: optional(host),
    app: optional(text(1, 128)),
    since: optional(unixSecond()),
    id_end: optional(matching(/^[0-9a-z]{4,26}$/, 'the end of an id')),
    limit: defaulted(whole(1, 1000), 100),
    cursor: optional(matching(/^job_[0-9a-z]{26}$/, 'the next_cursor of an earlier answer')),
  },
  run: async (services, { limit, license: named, tenant, host: hostName, since, ...input }, { scope }) => {
    const asked = await services.licenses.within(scope, named)
    const agent = await hostOf(asked, services, hostName)
    // A host is known by license and fingerprint: another license may have the same fingerprint.
    const narrowed = agent === undefined ? asked : ofLicense(agent.licenseId)
    const owner = tenant === undefined ? undefined : await services.tenants.resolve(scope, tenant)
    const within = owner === undefined ? narrowed : await ofTenantWithin(narrowed, services, owner.id)
    if (within === undefined) return { jobs: [] }
    const { jobs, next } = await services.jobs.page(within, {
      ...present('state', input.state),
      ...present('kind', input.kind),
      ...present('host', agent?.fingerprint),
      ...present('app', input.app),
      ...present('since', since === undefined ? undefined : new Date(since * 1000)),
      ...present('before', input.cursor),
      ...present('idEnd', input.id_end),
      limit,
    })
    return { jobs: jobs.map(listedJobView), ...present('next_cursor', next) }
  },
})

const show = operation({
  name: 'jobs.show',
  summary: 'show one job',
  permission: 'platform.read',
  scope: 'tenant',
  changes: false,
  answer: JOB_ANSWERS.show,
  input: { job },
  run: async (services, input, operator) => {
    const found = await services.jobs.get(operator.scope, input.job)
    const lines = await services.jobs.logLength(found.id)
    return {
      job: seenBy(operator, found),
      ...deploymentOf(found),
      log_lines: lines,
      ...(await goneOf(services, found, lines)),
    }
  },
})

const logs = operation({
  name: 'jobs.logs',
  summary: 'read the log of a job',
  permission: 'platform.read',
  scope: 'tenant',
  changes: false,
  answer: JOB_ANSWERS.logs,
  input: {
    job,
    /** Lines to skip: the `next` of the answer before, to follow. */
    after: defaulted(whole(0, 1_000_000), 0),
    limit: defaulted(whole(1, 10_000), 10_000),
  },
  run: async (services, input, { scope }) => {
    const { jobs } = services
    // The state is read first: if it is final, only late lines can follow the lines read after it.
    const found = await jobs.get(scope, input.job)
    const { state, error } = found
    const stored = await jobs.logs(input.job, input.after, input.limit, MAX_VIEW_CHARS)
    const gone = await goneOf(services, found, stored.length)
    const lines = gone.log_gone ? await archived(services, found, input) : stored
    const more = mayHaveMore(lines, input.limit)
    const done = isTerminal(state) && !more
    return {
      logs: lines,
      next: input.after + lines.length,
      more,
      state,
      done,
      ...gone,
      ...present('error', error),
    }
  },
})

const why = operation({
  name: 'jobs.why',
  summary: 'say why a job waits',
  permission: 'platform.read',
  scope: 'tenant',
  changes: false,
  answer: JOB_ANSWERS.why,
  input: { job },
  run: async ({ jobs }, input, operator) => {
    const { job: found, reasons } = await jobs.why(operator.scope, input.job)
    return { job: seenBy(operator, found), reasons }
  },
})

const retry = operation({
  name: 'jobs.retry',
  summary: 'do the work of a finished job again, as a new job',
  permission: 'platform.deploy',
  scope: 'tenant',
  changes: true,
  answer: JOB_ANSWERS.made,
  input: { job },
  run: async (services, input, operator) => {
    const made = await services.jobs.retry(operator.scope, input.job, operator.name)
    return madeAnswer(services, operator, made)
  },
})

const cancel = operation({
  name: 'jobs.cancel',
  summary: 'end a job that waits, or ask its host to stop it',
  permission: 'platform.deploy',
  scope: 'tenant',
  changes: true,
  answer: JOB_ANSWERS.cancel,
  input: { job, reason: defaulted(text(0, 512), 'operator') },
  run: async ({ jobs }, input, operator) => {
    const { job: found, effect } = await jobs.cancel(operator.scope, {
      jobId: input.job,
      fingerprint: undefined,
      reason: input.reason,
    })
    return { job: seenBy(operator, found), effect }
  },
})

/** Operations of operators on jobs. */
export const jobOperations = [enqueue, list, show, logs, why, retry, cancel]
