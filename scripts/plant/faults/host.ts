import type { Fault } from '../fault.ts'

const AGENT = 'packages/cli/src/agent'
const HANDLERS = 'packages/cli/handlers'
const TESTS = 'packages/cli/test/agent'

export const faults: readonly Fault[] = [
  {
    name: 'host: a handler killed by a signal has succeeded',
    file: `${AGENT}/run/job-outcome.ts`,
    find: 'if (end.code === 0)',
    replace: 'if ((end.code ?? 0) === 0)',
    suites: [`${TESTS}/handler-ends.test.ts`],
  },
  {
    name: 'host: only the first license key of a line is masked',
    file: `${AGENT}/run/license-key-mask.ts`,
    find: 'at = line.indexOf(key, from)',
    replace: 'at = -1',
    suites: [`${TESTS}/license-key-mask.test.ts`],
  },
  {
    name: 'host: the rest of an overlapping license key stays',
    file: `${AGENT}/run/license-key-mask.ts`,
    find: 'next >= 0 && next < from;',
    replace: 'next >= 0 && next < at;',
    suites: [`${TESTS}/license-key-mask.test.ts`],
  },
  {
    name: 'host: the last words of a handler keep the license key',
    file: `${AGENT}/run/handler-process.ts`,
    find: 'note(line)',
    replace: 'note(raw)',
    suites: [`${TESTS}/license-key-mask.test.ts`],
  },
  {
    name: 'host: answers to log lines are heard only when the job is gone',
    file: `${AGENT}/run/log-stream.ts`,
    find: '      hear(answer)',
    replace: '      if (answer.status === 404) hear(answer)',
    suites: [`${TESTS}/logs.test.ts`],
  },
  {
    name: 'host: the certificate is checked as the environment says',
    file: 'packages/cli/src/http-client.ts',
    find: '{ ...keeping, rejectUnauthorized: true }',
    replace: '{ ...keeping }',
    suites: ['packages/cli/test/process/agent-tls.test.ts'],
  },
  {
    name: 'host: a path with a line end is deployed',
    file: `${HANDLERS}/common.sh`,
    find: "-name '*[[:cntrl:]]*'",
    replace: "-name '*[[:cntrl:]]'",
    suites: [`${TESTS}/deploy-submodules.test.ts`],
  },
  {
    name: 'host: the git folders of submodules stay in the release',
    file: `${HANDLERS}/deploy`,
    find: 'find "$incoming" -name .git',
    replace: 'find "$incoming" -maxdepth 1 -name .git',
    suites: [`${TESTS}/deploy-submodules.test.ts`],
  },
  {
    name: 'host: a password in an address is an argument of git',
    file: `${HANDLERS}/common.sh`,
    find: '      remote=$repository',
    replace: '      remote=$SVC_REPO_URL',
    suites: [`${TESTS}/deploy-credentials.test.ts`],
  },
  {
    name: 'host: a password is given to any host that git is led to',
    file: `${HANDLERS}/deploy`,
    find: 'credential.$scheme://$host.helper',
    replace: 'credential.helper',
    suites: [`${TESTS}/deploy-credentials.test.ts`],
  },
  {
    name: 'host: handlers keep the user of the agent',
    file: `${AGENT}/run/handler-process.ts`,
    find: 'cwd, env, ...ids, stdio',
    replace: 'cwd, env, ...(ids && {}), stdio',
    suites: [`${TESTS}/handler-user.test.ts`],
  },
  {
    name: 'host: handlers keep the group of the agent',
    file: `${AGENT}/run/handler-process.ts`,
    find: '{ uid: owner.uid, gid: owner.gid }',
    replace: '{ uid: owner.uid }',
    suites: [`${TESTS}/handler-user.test.ts`],
  },
  {
    name: 'host: handlers may list the state folder',
    file: `${AGENT}/run/handler-folders.ts`,
    find: 'pass: 0o710',
    replace: 'pass: 0o750',
    suites: [`${TESTS}/handler-user.test.ts`],
  },
  {
    name: 'host: the folder of another user is removed by root',
    file: `${AGENT}/run/work-folder.ts`,
    find: 'if (!user) return rm(path,',
    replace: 'if (user) return rm(path,',
    suites: [`${TESTS}/handler-user.test.ts`],
  },
  {
    name: 'host: what another user left running is looked for by root',
    file: `${AGENT}/state/recovery.ts`,
    find: 'killStrays(folder, options.handlerUser)',
    replace: 'killStrays(folder, undefined)',
    suites: [`${TESTS}/systemd-unit.test.ts`],
  },
  {
    name: 'host: handlers may be in the group of root',
    file: `${AGENT}/run/handler-user.ts`,
    find: 'user.uid > 0 && user.gid > 0',
    replace: 'user.uid > 0',
    suites: [`${TESTS}/handler-user.test.ts`],
  },
  {
    name: 'host: a key file that handlers can read is taken',
    file: 'packages/cli/src/commands/agent/agent-run.ts',
    find: "mayUse(user, '-r',",
    replace: "mayUse(user, '-w',",
    suites: [`${TESTS}/handler-user.test.ts`],
  },
]
