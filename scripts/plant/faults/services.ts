import type { Fault } from '../fault.ts'

const NAMES = 'packages/core/src/work/agents/host-name.ts'
const NAMES_TEST = ['packages/core/test/work/agents/host-name.test.ts']
const AGENTS = 'packages/core/src/work/agents/agents.ts'
const HEARTBEAT_TEST = ['packages/core/test/work/agents/heartbeat.test.ts']
const DEPLOYMENTS = 'packages/core/src/work/deployments/deployments.ts'
const LOGS_TEST = ['packages/http/test/routes/deploy-logs.test.ts']
const ADDRESSES = 'packages/core/src/platform/net/public-address.ts'
const ADDRESSES_TEST = ['packages/core/test/platform/net/public-address.test.ts']

export const faults: readonly Fault[] = [
  {
    name: 'hosts: a fingerprint of any length is a name',
    file: NAMES,
    find: 'return name.length >= NAMING_CHARS && fingerprint === name',
    replace: 'return fingerprint === name',
    suites: NAMES_TEST,
  },
  {
    name: 'hosts: a fingerprint of 32 characters is no name',
    file: NAMES,
    find: 'name.length >= NAMING_CHARS',
    replace: 'name.length > NAMING_CHARS',
    suites: NAMES_TEST,
  },
  {
    name: 'hosts: the host whose fingerprint it is wins over others of that name',
    file: NAMES,
    find: 'if (others.length === 0) return only',
    replace: 'if (others.length === 0 || only.fingerprint === name) return only',
    suites: NAMES_TEST,
  },
  {
    name: 'hosts: those of every license are listed: the scope is left off',
    file: 'packages/core/src/work/agents/agents-store-sql.ts',
    find: '\n    .where(isOwned)',
    replace: '',
    suites: ['packages/core/test/platform/storage/scopes.test.ts'],
  },
  {
    name: 'hosts: jobs of a host are listed over licenses',
    file: 'packages/core/src/work/jobs/job-operations.ts',
    find: 'const narrowed = agent === undefined ? asked : ofLicense(agent.licenseId)',
    replace: 'const narrowed = asked',
    suites: NAMES_TEST,
  },
  {
    name: 'hosts: a license may have one more than it may',
    file: 'packages/core/src/work/agents/agents-store-sql.ts',
    find: 'and $3::bigint <\n',
    replace: 'and $3::bigint + 1 <\n',
    suites: ['packages/core/test/work/agents/agents-store.test.ts'],
  },
  {
    name: 'hosts: nobody asks whether there is room for a new one',
    file: AGENTS,
    find: 'if (seq === 1) await',
    replace: 'if (seq === 0) await',
    suites: ['packages/core/test/work/agents/host-limit.test.ts'],
  },
  {
    name: 'refresh: good for a tenth of its time',
    file: 'packages/core/src/work/agents/refresh.ts',
    find: 'REFRESH_SECONDS = 3 * 86_400',
    replace: 'REFRESH_SECONDS = 3 * 8_640',
    suites: HEARTBEAT_TEST,
  },
  {
    name: 'refresh: names no job that should stop',
    file: AGENTS,
    find: "tokenId: ids.next('tok'), seq, drained, cancel }",
    replace: "tokenId: ids.next('tok'), seq, drained, cancel: cancel.slice(0, 0) }",
    suites: HEARTBEAT_TEST,
  },
  {
    name: 'heartbeat: renews any attempt of the jobs that it lists',
    file: AGENTS,
    find: 'jobId: id, attempt, licenseId',
    replace: 'jobId: id, attempt: attempt && undefined, licenseId',
    suites: HEARTBEAT_TEST,
  },
  {
    name: 'tokens: a second key signs under the name of the first',
    file: 'packages/core/src/platform/signing/signed-token.ts',
    find: 'const known = headers.get(key) ??',
    replace: 'const known = (headers as { all?: Map<TokenType, string> }).all ??=',
    suites: ['packages/core/test/platform/signing/signed-token.test.ts'],
  },
  {
    name: 'deployments: those of licenses without a tenant are seen by every tenant',
    file: DEPLOYMENTS,
    find: 'license?.tenantId !== tenantId',
    replace: 'license?.tenantId !== undefined && license.tenantId !== tenantId',
    suites: ['packages/http/test/isolation.test.ts'],
  },
  {
    name: 'deployments: a redeploy makes none',
    file: 'packages/core/src/work/jobs/job-payload.ts',
    find: "DEPLOYING_KINDS: readonly JobKind[] = ['deploy', 'redeploy']",
    replace: "DEPLOYING_KINDS: readonly JobKind[] = ['deploy']",
    suites: ['packages/core/test/work/jobs/jobs.test.ts'],
  },
  {
    name: 'deployments: of a long log the beginning is all there is',
    file: DEPLOYMENTS,
    find: 'for (let read = 0; read < count; ) {',
    replace: 'for (let read = 0; read < Math.min(count, 1); ) {',
    suites: LOGS_TEST,
  },
  {
    name: 'deployments: a log that breaks off seems to be at its end',
    file: DEPLOYMENTS,
    find: 'if (lines.length === 0) throw new Error(`the log of ${jobId} is shorter than it was`)',
    replace: 'if (lines.length === 0) return',
    suites: LOGS_TEST,
  },
  {
    name: 'deployments: each piece of a long log names its attempt, or none does',
    file: DEPLOYMENTS,
    find: 'before = piece.at(-1)?.attempt',
    replace: 'before = piece.at(-1)?.attempt && undefined',
    suites: LOGS_TEST,
  },
  {
    name: 'jobs: a restore of nothing is taken',
    file: 'packages/core/src/work/jobs/job-payload.ts',
    find: "  if (kind === 'restore') requireImage(checked)\n",
    replace: '',
    suites: ['packages/core/test/work/jobs/job-payload.test.ts'],
  },
  {
    name: 'jobs: megabytes of lines are redacted whoever sends them',
    file: 'packages/core/src/work/jobs/log-append.ts',
    find: '> MAX_UNASKED_CHARS',
    replace: '> MAX_UNASKED_CHARS * 1024',
    suites: ['packages/core/test/work/jobs/log-append.test.ts'],
  },
  {
    name: 'fleet: instants of backups are rounded up',
    file: 'packages/core/src/work/agents/fleet.ts',
    find: 'last_capture_at: Math.floor(',
    replace: 'last_capture_at: Math.round(',
    suites: ['packages/http/test/routes/fleet.test.ts'],
  },
  {
    name: 'fleet: each reader of a license has a query of its own',
    file: 'packages/core/src/kernel/shared-reads.ts',
    find: 'reading.next ??=',
    replace: 'reading.next =',
    suites: ['packages/core/test/work/agents/fleet-reads.test.ts'],
  },
  {
    name: 'alerts: a note that is there already is written again',
    file: 'packages/core/src/watch/alerts/alerts-store-sql.ts',
    find: 'where not r.only_news or r.note',
    replace: 'where not r.only_news or true or r.note',
    suites: ['packages/core/test/watch/alerts/alerts-store.test.ts'],
  },
  {
    name: 'alerts: actions are as many as reads',
    file: 'packages/http/src/routes/alerts.ts',
    find: 'agentGate(ALERT_ACTS)',
    replace: 'agentGate(ALERT_READS)',
    suites: ['packages/http/test/gates/limits.test.ts'],
  },
  {
    name: 'outbound: a metadata address may be allowed',
    file: ADDRESSES,
    find: "  '192.0.0.192/32',\n",
    replace: '',
    suites: ADDRESSES_TEST,
  },
  {
    name: 'outbound: an allowed gateway reaches metadata addresses',
    file: ADDRESSES,
    find: 'if (this.#isBarred(address) || this.#isBarred(reached)) return undefined',
    replace: 'if (this.#isBarred(address)) return undefined',
    suites: ADDRESSES_TEST,
  },
  {
    name: 'deployments: an answer begins before anything of its log was read',
    file: 'packages/core/src/work/deployments/deployments.ts',
    find: 'pieces: resumed(await pieces.next(), pieces)',
    replace: 'pieces',
    suites: ['packages/http/test/routes/deploy-logs.test.ts'],
  },
]
