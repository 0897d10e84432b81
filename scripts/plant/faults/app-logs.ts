import type { Fault } from '../fault.ts'

const APPS = 'packages/cli/src/host-apps'
const ACCESS = ['packages/core/test/hosts/access/access.test.ts']
const STORE = ['packages/core/test/hosts/access/access-sessions-store.test.ts']
const SESSIONS = ['packages/cli/test/relay/host-sessions.test.ts']
const RUNS = ['packages/core/test/work/apps/app-runs.test.ts']
const UPLOADS = ['packages/cli/test/process/apps-upload.test.ts']
const KEPT = ['packages/cli/test/host-apps/logs.test.ts']

/** Mistakes about the output of applications. */
export const faults: readonly Fault[] = [
  {
    name: 'app-logs: lines are passed over without a word when the files turned twice',
    file: `${APPS}/kept-output.ts`,
    find: 'former === undefined ? [present] : [former, present]',
    replace: 'former === undefined ? [present] : [present]',
    suites: KEPT,
  },
  {
    name: 'app-logs: who follows reads the former file twice',
    file: `${APPS}/kept-output.ts`,
    find: 'if (files[0]?.id === former.id) this.#close(files.shift())',
    replace: 'if (files[0]?.id === `${former.id} `) this.#close(files.shift())',
    suites: KEPT,
  },
  {
    name: 'app-logs: a process whose name begins alike is shown with another',
    file: `${APPS}/app-output.ts`,
    find: 'process === name ||',
    replace: 'name?.startsWith(process) ||',
    suites: KEPT,
  },
  {
    name: 'app-logs: output of an application commands the terminal that shows it',
    file: `${APPS}/logs-program.ts`,
    find: 'lines.map((line) => `${tameLine(line)}\\n`)',
    replace: 'lines.map((line) => `${line}\\n`)',
    suites: KEPT,
  },
  {
    name: 'app-logs: an agent that does not know the kind is handed sessions of it',
    file: 'packages/core/src/hosts/access/access.ts',
    find: '    requireMode(host, asked.mode)\n',
    replace: '',
    suites: ACCESS,
  },
  {
    name: 'app-logs: a follower is cut for typing nothing',
    file: 'packages/core/src/hosts/access/access.ts',
    find: "mode === 'logs' ? maxSeconds : config.relay.idleSeconds",
    replace: 'config.relay.idleSeconds',
    suites: ACCESS,
  },
  {
    name: 'app-logs: a session goes on after its API token was revoked',
    file: 'packages/core/src/hosts/access/access-statements-sql.ts',
    find: 'and t.revoked_at is null and (t.expires_at is null',
    replace: 'and (t.expires_at is null',
    suites: STORE,
  },
  {
    name: 'app-logs: the kinds of an older agent stay those of the one before',
    file: 'packages/core/src/hosts/access/access-statements-sql.ts',
    find: 'then $7::text[] else a.access_modes',
    replace: 'then coalesce($7::text[], a.access_modes) else a.access_modes',
    suites: STORE,
  },
  {
    name: 'app-logs: a host shows output although its access.json lists other kinds',
    file: 'packages/cli/src/agent/access/host-session.ts',
    find: '!reading.isAbsent && !reading.policy?.modes.includes(mode)',
    replace: '!reading.isAbsent && reading.policy === undefined',
    suites: SESSIONS,
  },
  {
    name: 'app-logs: output of a host commands the terminal of its operator',
    file: 'packages/cli/src/relay/tame-lines.ts',
    find: 'lines.map((line) => `${tameLine(line)}\\n`)',
    replace: 'lines.map((line) => `${line}\\n`)',
    suites: SESSIONS,
  },
  {
    name: 'app-logs: a command of an app runs on a host that does not list its kind',
    file: 'packages/cli/src/agent/access/host-session.ts',
    find: 'if (!isOwn && !policyOf(reading).modes.includes(mode))',
    replace: 'if (!isOwn && policyOf(reading).modes.length === 0)',
    suites: SESSIONS,
  },
  {
    name: 'app-logs: a command of an app runs on a host that says nothing of sessions',
    file: 'packages/cli/src/agent/access/host-session.ts',
    find: 'apps.isTrial === true && reading.isAbsent === true',
    replace: 'reading.isAbsent === true',
    suites: SESSIONS,
  },
  {
    name: 'app-logs: an upload ends with the right to a shell',
    file: 'packages/core/src/hosts/access/access-session.ts',
    find: "DEPLOY_MODES: readonly AccessMode[] = ['logs', 'upload']",
    replace: "DEPLOY_MODES: readonly AccessMode[] = ['logs']",
    suites: STORE,
  },
  {
    name: 'app-logs: a host takes commits without a look at their objects',
    file: `${APPS}/upload-program.ts`,
    find: "['receive.fsckObjects', 'true']",
    replace: "['receive.fsckObjects', 'false']",
    suites: UPLOADS,
  },
  {
    name: 'app-logs: a host takes as many bytes as are sent',
    file: `${APPS}/upload-program.ts`,
    find: "['receive.maxInputSize', maxBytes]",
    replace: "['receive.maxInputSize', '0']",
    suites: UPLOADS,
  },
  {
    name: 'app-logs: a rollback looks for an uploaded commit in the repository of the app',
    file: 'packages/core/src/work/apps/app-source.ts',
    find: "deployment?.source.type === 'upload' ? uploadSource(sha) :",
    replace: 'sha === undefined ? uploadSource(sha) :',
    suites: RUNS,
  },
  {
    name: 'app-logs: an app that was sent to its host gets none of its variables',
    file: 'packages/core/src/work/apps/app-source.ts',
    find: "if (type === 'upload') return true",
    replace: "if (type === 'upload') return false",
    suites: ['packages/core/test/work/apps/apps.test.ts'],
  },
  {
    name: 'app-logs: a start of an app that was sent to its host looks for it in the repository',
    file: 'packages/core/src/work/apps/app-source.ts',
    find: "if (deployment.source.type === 'upload') return uploadSource(sha)",
    replace: '',
    suites: RUNS,
  },
]
