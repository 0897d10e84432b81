import type { Fault } from '../fault.ts'

const CORE = 'packages/core/src/hosts/node-security'
const AGENT = 'packages/cli/src/agent/security'
const SETTINGS = ['packages/core/test/hosts/node-security/security-settings.test.ts']
const SERVICE = ['packages/core/test/hosts/node-security/node-security.test.ts']
const STORE = ['packages/core/test/hosts/node-security/node-security-store.test.ts']
const DRIFT = ['packages/core/test/hosts/node-security/drift.test.ts']
const JOBS = ['packages/core/test/work/jobs/jobs-store.test.ts']
const ROUTES = ['packages/http/test/routes/node-security.test.ts']
const RULES = ['packages/cli/test/agent/security/firewall-rules.test.ts']
const HOST = ['packages/cli/test/agent/security/host-security.test.ts']
const SHIPPED = ['packages/cli/test/agent/security/firewall-agent.test.ts']

/** Mistakes about the firewall and hardening of hosts. */
export const faults: readonly Fault[] = [
  {
    name: 'node-security: quotation marks in comments are taken',
    file: `${CORE}/security-settings.ts`,
    find: '[ !#-[',
    replace: '[ -[',
    suites: SETTINGS,
  },
  {
    name: 'node-security: an empty list of sources is taken',
    file: `${CORE}/security-settings.ts`,
    find: 'from: optional(someOf(range, 50))',
    replace: 'from: optional(listOf(range, 50))',
    suites: SETTINGS,
  },
  {
    name: 'node-security: ssh open by udp counts as a way in',
    file: `${CORE}/lock-out.ts`,
    find: "allow.some((rule) => rule.proto === 'tcp' && ",
    replace: 'allow.some((rule) => ',
    suites: SERVICE,
  },
  {
    name: 'node-security: an equal document is a new revision',
    file: `${CORE}/node-security.ts`,
    find: 'current.desired.sha256 === sha256)',
    replace: "current.desired.sha256 === '')",
    suites: SERVICE,
  },
  {
    name: 'node-security: the revision that the writer saw is not compared',
    file: `${CORE}/node-security.ts`,
    find: 'ifRevision !== undefined && ifRevision !== revision',
    replace: 'ifRevision !== undefined && ifRevision > revision',
    suites: ROUTES,
  },
  {
    name: 'node-security: hosts of other licenses are found',
    file: `${CORE}/node-security.ts`,
    find: 'agents.list(ofLicense(licenseId))',
    replace: 'agents.list(PLATFORM)',
    suites: ROUTES,
  },
  {
    name: 'node-security: a superseded job says how the host is',
    file: `${CORE}/node-security-store-sql.ts`,
    find: " and j.error is distinct from '${SUPERSEDED_ERROR}'",
    replace: '',
    suites: STORE,
  },
  {
    name: 'node-security: the job of any document counts',
    file: `${CORE}/node-security-store-sql.ts`,
    find: " and n.sha256 = j.payload ->> 'sha256'",
    replace: '',
    suites: STORE,
  },
  {
    name: 'drift: of a host with several revisions any counts as the newest',
    file: `${CORE}/node-security-store-sql.ts`,
    find: 'order by license_id, fingerprint, revision desc) r',
    replace: 'order by license_id, fingerprint, revision) r',
    suites: STORE,
  },
  {
    name: 'drift: a failed attempt at the newest revision counts as waiting',
    file: `${CORE}/applied-security.ts`,
    find: "state === 'failed' || state === 'rolled_back' ? state : 'waiting'",
    replace: "state === 'rolled_back' ? state : 'waiting'",
    suites: DRIFT,
  },
  {
    name: 'drift: a host that was forgotten is counted',
    file: 'packages/core/src/watch/health/gauges.ts',
    find: 'standings.filter((each) => known.has(keyOf(each)))',
    replace: 'standings',
    suites: DRIFT,
  },
  {
    name: 'drift: an alert opens while its host is offline',
    file: 'packages/core/src/watch/alerts/rules/alert-rules-security.ts',
    find: "const isStale = agentState(agent, at) === 'offline'",
    replace: 'const isStale = false',
    suites: DRIFT,
  },
  {
    name: 'drift: an alert opens before its time',
    file: 'packages/core/src/watch/alerts/rules/alert-rules-security.ts',
    find: 'holdSeconds: driftMinutes * 60',
    replace: 'holdSeconds: driftMinutes',
    suites: DRIFT,
  },
  {
    name: 'drift: the host of another license has the alert',
    file: 'packages/core/src/watch/alerts/rules/alert-rules-security.ts',
    find: 'byKey.get(`${standing.licenseId} ${standing.fingerprint}`)',
    replace: 'facts.hosts.find(({ fingerprint }) => fingerprint === standing.fingerprint)',
    suites: DRIFT,
  },
  {
    name: 'jobs: a job that a host holds is superseded',
    file: 'packages/core/src/work/jobs/job-supersede-sql.ts',
    find: "state = 'pending'",
    replace: "state <> 'none'",
    suites: JOBS,
  },
  {
    name: 'firewall: connections from before are cut',
    file: `${CORE}/firewall-rules.ts`,
    find: '...(host.pickup ? [PICKUP] : []),',
    replace: '...(host.pickup ? [] : [PICKUP]),',
    suites: RULES,
  },
  {
    name: 'firewall: ports are those of containers',
    file: `${CORE}/firewall-json.ts`,
    find: 'prio: -110',
    replace: 'prio: -90',
    suites: RULES,
  },
  {
    name: 'firewall: the rate limit of ssh stands behind its rule',
    file: `${CORE}/firewall-rules.ts`,
    find: '    ...rateLimit(ssh_rate_limit, host.sshPorts),\n    ...allow.flatMap(opened),',
    replace: '    ...allow.flatMap(opened),\n    ...rateLimit(ssh_rate_limit, host.sshPorts),',
    suites: RULES,
  },
  {
    name: 'firewall: an attempt stays without its confirmation',
    file: `${AGENT}/host-security.ts`,
    find: 'if (why !== undefined) return why',
    replace: 'if (why === undefined) return why',
    suites: HOST,
  },
  {
    name: 'firewall: no timer undoes the attempt of a dead agent',
    file: `${AGENT}/undo-timer.ts`,
    find: '`sleep ${seconds}; ${RUN_IF_THERE}`',
    replace: '`sleep ${seconds}; exit`',
    suites: HOST,
  },
  {
    name: 'firewall: files are not put back',
    file: `${AGENT}/undo-script.ts`,
    find: 'rm -f "$2" || failed=1',
    replace: ': "$2"',
    suites: HOST,
  },
  {
    name: 'firewall: keys of users who may not sign in count',
    file: `${AGENT}/sshd.ts`,
    find: ' || !(allowed?.includes(login.name) ?? true)) continue',
    replace: ') continue',
    suites: HOST,
  },
  {
    name: 'firewall: a document by hand is applied',
    file: `${AGENT}/firewall-job.ts`,
    find: ' || newest.sha256 !== asked.sha256',
    replace: '',
    suites: SHIPPED,
  },
  {
    name: 'firewall: an undone attempt is given back instead of failed',
    file: `${AGENT}/security-duty.ts`,
    find: "await folder?.keepOutcome({ state: 'failed', error: AGENT_ENDED })",
    replace: 'void [folder, AGENT_ENDED]',
    suites: SHIPPED,
  },
  {
    name: 'node-security: halves are no whole',
    file: 'packages/core/src/hosts/node-security/address-range.ts',
    find: '  return isWhole ? rangeOf(one.family, shared) : undefined',
    replace: '  return isWhole && shared.length > 24 ? rangeOf(one.family, shared) : undefined',
    suites: ['packages/core/test/hosts/node-security/lock-out.test.ts'],
  },
  {
    name: 'node-security: all who may reach ssh may be denied',
    file: 'packages/core/src/hosts/node-security/lock-out.ts',
    find: 'return [...closed, ...everybody, ...shut]',
    replace: 'return [...closed, ...everybody, ...shut.slice(1)]',
    suites: ['packages/core/test/hosts/node-security/lock-out.test.ts'],
  },
  {
    name: 'node-security: one of two who may reach ssh is all of them',
    file: 'packages/core/src/hosts/node-security/lock-out.ts',
    find: 'from?.every(isDenied) === true',
    replace: 'from?.some(isDenied) === true',
    suites: ['packages/core/test/hosts/node-security/lock-out.test.ts'],
  },
  {
    name: 'node-security: a confirmation has milliseconds for seconds',
    file: `${AGENT}/confirmation.ts`,
    find: 'AbortSignal.timeout(Math.ceil(left * 1000))',
    replace: 'AbortSignal.timeout(Math.ceil(left))',
    suites: ['packages/cli/test/agent/security/confirmation.test.ts'],
  },
  {
    name: 'node-security: an interface keeps its own word about redirects',
    file: `${AGENT}/host-files.ts`,
    find: "  'net.ipv6.conf.*.accept_redirects': 0,\n",
    replace: '',
    suites: ['packages/cli/test/agent/security/exceptions.test.ts'],
  },
  {
    name: 'node-security: what Match says is not looked at',
    file: `${AGENT}/exceptions.ts`,
    find: 'if (/^match$/i.test(keyword)) match = value',
    replace: 'if (/^Match$/.test(keyword)) match = around',
    suites: ['packages/cli/test/agent/security/exceptions.test.ts'],
  },
  {
    name: 'node-security: a file that the kernel reads last counts for nothing',
    file: `${AGENT}/exceptions.ts`,
    find: "...later.map(([, file]) => file), '/etc/sysctl.conf']",
    replace: '...later.map(([, file]) => file).slice(0, 1)]',
    suites: ['packages/cli/test/agent/security/exceptions.test.ts'],
  },
]
