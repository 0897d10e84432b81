import type { Fault } from '../fault.ts'

const AGENTS = 'packages/core/src/work/agents/agents.ts'
const VIEW = 'packages/core/src/work/agents/host-view.ts'
const SQL = 'packages/core/src/work/agents/agents-store-sql.ts'
const COMMANDS = ['packages/cli/test/commands/operators.test.ts']
const STORE = ['packages/core/test/work/agents/agents-store.test.ts']

/** Mistakes about one host: its view, and taking it off the list. */
export const faults: readonly Fault[] = [
  {
    name: 'fleet: a host that is online is forgotten',
    file: AGENTS,
    find: 'isForced ? undefined : OFFLINE_SECONDS',
    replace: 'isForced ? OFFLINE_SECONDS : undefined',
    suites: COMMANDS,
  },
  {
    name: 'fleet: a host that is kept counts as forgotten',
    file: AGENTS,
    find: 'if (!isThere) return',
    replace: 'if (isThere) return',
    suites: COMMANDS,
  },
  {
    name: 'fleet: the refusal proposes to drain a drained host',
    file: AGENTS,
    find: 'agent.drainedAt === undefined ? `; svc fleet drain',
    replace: 'agent.drainedAt !== undefined ? `; svc fleet drain',
    suites: COMMANDS,
  },
  {
    name: 'fleet: the jobs of a host are those of its whole license',
    file: AGENTS,
    find: 'storage.jobs.list(ofLicense(licenseId), { state, host: fingerprint, limit: MOST_JOBS })',
    replace: 'storage.jobs.list(ofLicense(licenseId), { state, limit: MOST_JOBS })',
    suites: COMMANDS,
  },
  {
    name: 'fleet: a silent host is never forgotten',
    file: SQL,
    find: '        or last_heartbeat < ${at',
    replace: '        or last_heartbeat > ${at',
    suites: STORE,
  },
  {
    name: 'fleet: a host is forgotten at the last second of being online',
    file: SQL,
    find: 'last_heartbeat < ${at',
    replace: 'last_heartbeat <= ${at',
    suites: STORE,
  },
  {
    name: 'fleet: the view of a host lacks its fingerprint',
    file: VIEW,
    find: 'fingerprint: agent.fingerprint,',
    replace: "fingerprint: '',",
    suites: COMMANDS,
  },
  {
    name: 'fleet: the view of a host says nothing of what it runs',
    file: VIEW,
    find: "present('kinds', agent.kinds)",
    replace: "present('kinds', undefined as typeof agent.kinds)",
    suites: COMMANDS,
  },
]
