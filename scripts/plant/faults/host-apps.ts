import type { Fault } from '../fault.ts'

const APPS = 'packages/cli/src/host-apps'
const DEFINITION = ['packages/core/test/work/apps/definition.test.ts']
const RUNS = ['packages/cli/test/host-apps/supervisor.test.ts']
const DEPLOYS = ['packages/cli/test/host-apps/deploy.test.ts']

/** Mistakes about applications that a host keeps running. */
export const faults: readonly Fault[] = [
  {
    name: 'host-apps: an unknown key of a definition is ignored',
    file: 'packages/core/src/work/apps/definition.ts',
    find: "    ...keyFaults(value.stop, 'stop.', stopFields),\n",
    replace: '',
    suites: DEFINITION,
  },
  {
    name: 'host-apps: a Dockerfile is passed over',
    file: 'packages/core/src/work/apps/found-app.ts',
    find: '  if (container !== undefined)\n',
    replace: '  if (container === undefined && names.size === 0)\n',
    suites: DEFINITION,
  },
  {
    name: 'host-apps: the old instances end before their visitors are served',
    file: `${APPS}/generation.ts`,
    find: 'slot.open > 0 && performance.now() - began < grace',
    replace: 'slot.open > 1_000 && performance.now() - began < grace',
    suites: RUNS,
  },
  {
    name: 'host-apps: an instance that was never healthy is switched to',
    file: `${APPS}/generation.ts`,
    find: '    if (fault !== undefined) throw new Problem',
    replace: '    if (fault === undefined && faults.length > 99) throw new Problem',
    suites: RUNS,
  },
  {
    name: 'host-apps: a process that replaces the old one runs beside it',
    file: `${APPS}/running-app.ts`,
    find: 'replaced.includes(process)',
    replace: 'replaced.includes(`${process} of the old release`)',
    suites: RUNS,
  },
  {
    name: 'host-apps: instances outlive a supervisor that is killed',
    file: `${APPS}/instance.ts`,
    find: 'read -r _ <&3; kill -TERM 0; sleep 2; kill -KILL 0',
    replace: 'read -r _ <&3; exit 0',
    suites: DEPLOYS,
  },
  {
    name: 'host-apps: applications see the session of the console',
    file: `${APPS}/front.ts`,
    find: 'filter((cookie) => !OWN_COOKIE.test(cookie.trim()))',
    replace: 'filter((cookie) => cookie !== "")',
    suites: RUNS,
  },
  {
    name: 'host-apps: an application that was stopped comes back',
    file: `${APPS}/supervisor.ts`,
    find: '      if (!stopped) await app.resume(live)',
    replace: '      if (!stopped || name !== "") await app.resume(live)',
    suites: RUNS,
  },
  {
    name: 'host-apps: a build sees the variables of the application',
    file: `${APPS}/deploy-app.ts`,
    find: "runStep(parts, 'build', command, {}, say)",
    replace: "runStep(parts, 'build', command, await readEnvFile(parts.envFile ?? ''), say)",
    suites: DEPLOYS,
  },
  {
    name: 'host-apps: an upgrade starts an application that was there before',
    file: `${APPS}/deploy-app.ts`,
    find: "if (existsSync(freshMark(apps, app)) || !existsSync(join(apps, app, 'current'))) return false",
    replace: "if (existsSync(join(apps, app, 'releases'))) return false",
    suites: DEPLOYS,
  },
]
