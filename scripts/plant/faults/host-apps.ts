import type { Fault } from '../fault.ts'

const APPS = 'packages/cli/src/host-apps'
const DEFINITION = ['packages/core/test/work/apps/definition.test.ts']
const RUNS = ['packages/cli/test/host-apps/supervisor.test.ts']
const UNITS = ['packages/cli/test/host-apps/units.test.ts']
const HOSTING = ['test/packed/hosting.test.ts']
const DEPLOYS = ['packages/cli/test/host-apps/deploy.test.ts']
const SCHEDULES = [
  'packages/core/test/work/apps/cron-schedule.test.ts',
  'packages/cli/test/host-apps/crons.test.ts',
]

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
    find: 'env: { ...hostVariables(io.env), SVC_APP: app, SVC_SHA: sha, ...mark },',
    replace:
      "env: { ...hostVariables(io.env), ...(await readEnvFile(envFile ?? '')), SVC_APP: app, SVC_SHA: sha, ...mark },",
    suites: DEPLOYS,
  },
  {
    name: 'host-apps: an upgrade starts an application that was there before',
    file: `${APPS}/deploy-app.ts`,
    find: "if (existsSync(freshMark(apps, app)) || !existsSync(join(apps, app, 'current'))) return false",
    replace: "if (existsSync(join(apps, app, 'releases'))) return false",
    suites: DEPLOYS,
  },
  {
    name: 'host-apps: instances of two processes share a unit',
    file: `${APPS}/system/unit-text.ts`,
    find: '`svc-app@${app}:${process}:${number}:${release}.service`',
    replace: '`svc-app@${app}-${process}:x:${number}:${release}.service`',
    suites: UNITS,
  },
  {
    name: 'host-apps: a quote in a variable ends it',
    file: `${APPS}/system/unit-text.ts`,
    find: "text.replaceAll(\"'\", `'\\\\''`)",
    replace: 'text',
    suites: UNITS,
  },
  {
    name: 'host-apps: a share of processors is taken for a percentage',
    file: `${APPS}/system/unit-text.ts`,
    find: 'Math.round(cpus * 100)',
    replace: 'Math.round(cpus)',
    suites: UNITS,
  },
  {
    name: 'host-apps: output that was read is read again after a restart',
    file: `${APPS}/system/output-spool.ts`,
    find: 'this.#at = this.#remembered()',
    replace: 'this.#at = 0',
    suites: UNITS,
  },
  {
    name: 'host-apps: output stays on the disk',
    file: `${APPS}/system/output-spool.ts`,
    find: 'if (this.#at - this.#freed > FREE_BYTES) this.#free()',
    replace: '',
    suites: UNITS,
  },
  {
    name: 'host-apps: a port of another user counts as the own one',
    file: `${APPS}/system/listening.ts`,
    find: 'listeners.every((socket) => socket.uid === uid)',
    replace: 'listeners.every((socket) => socket.uid >= 0)',
    suites: UNITS,
  },
  {
    name: 'host-apps: the rules of an application that is gone stay',
    file: `${APPS}/system/switch-rules.ts`,
    find: "...['switch', 'guard', 'outside'].map((chain) => `flush chain inet ${TABLE} ${chain}`),",
    replace: '',
    suites: UNITS,
  },
  {
    name: 'host-apps: the proxy keeps connections to instances',
    file: `${APPS}/system/site-text.ts`,
    find: "block('transport http', ['keepalive off'])",
    replace: "block('transport http', [])",
    suites: UNITS,
  },
  {
    name: 'host-apps: a domain of another application is taken over',
    file: `${APPS}/system/domains.ts`,
    find: 'if (owner !== undefined && owner !== app)',
    replace: 'if (owner !== undefined && owner === "")',
    suites: HOSTING,
  },
  {
    name: 'host-apps: units of a supervisor that was killed stay',
    file: `${APPS}/system/system-runtime.ts`,
    find: 'await this.#sweep()',
    replace: '',
    suites: HOSTING,
  },
  {
    name: 'host-apps: a supervisor that fails at its start goes on to listen',
    file: `${APPS}/supervisor.ts`,
    find: '      await self[Symbol.asyncDispose]()\n      throw error',
    replace: '      throw error',
    suites: RUNS,
  },
  {
    name: 'host-apps: a time that comes twice is taken twice',
    file: 'packages/core/src/work/apps/cron-schedule.ts',
    find: 'this.#cron.match(found) && !this.#isSecond(found)',
    replace: 'this.#cron.match(found)',
    suites: SCHEDULES,
  },
  {
    name: 'host-apps: a time that does not exist moves to the next hour',
    file: 'packages/core/src/work/apps/cron-schedule.ts',
    find: 'this.#cron.match(found) && !this.#isSecond(found)',
    replace: '!this.#isSecond(found)',
    suites: SCHEDULES,
  },
  {
    name: 'host-apps: two runs of a command go on at a time',
    file: `${APPS}/crons.ts`,
    find: 'if (run !== undefined && this.#going.has(key)) {',
    replace: 'if (run !== undefined && this.#going.size > 100) {',
    suites: SCHEDULES,
  },
  {
    name: 'host-apps: the runs of an earlier supervisor are started again',
    file: `${APPS}/crons.ts`,
    find: 'if (run !== undefined && run.endedAt === undefined) this.#start(app, cron, run)',
    replace: 'if (run !== undefined && run.endedAt === undefined) this.#start(app, cron, run, false)',
    suites: SCHEDULES,
  },
  {
    name: 'host-apps: a release command is repeated by the next attempt',
    file: `${APPS}/once.ts`,
    find: 'if (job !== undefined && begun?.job === job)',
    replace: 'if (job === undefined && begun?.job === job)',
    suites: RUNS,
  },
  {
    name: 'host-apps: the time limit of a command counts for nothing',
    file: `${APPS}/child-task.ts`,
    find: 'pause(timeoutS * 1000, true, { signal: either })',
    replace: 'pause(86_400_000, true, { signal: either })',
    suites: RUNS,
  },
  {
    name: 'host-apps: the exit code of a task is not looked at',
    file: `${APPS}/system/unit-task.ts`,
    find: "if (result === 'success' && status === '0') return undefined",
    replace: "if (code === 'exited') return undefined",
    suites: HOSTING,
  },
  {
    name: 'host-apps: entries of a refused heartbeat count as told',
    file: 'packages/cli/src/agent/wire/observed-apps.ts',
    find: 'return firstOf([...gone, ...fresh])',
    replace: 'this.taken(fresh); return firstOf([...gone, ...fresh])',
    suites: ['packages/cli/test/agent/observed-apps.test.ts'],
  },
  {
    name: 'host-apps: the time since when an app is down begins anew with each heartbeat',
    file: 'packages/core/src/work/apps/observed-apps-store-sql.ts',
    find: 'since = case when o.state = excluded.state then o.since else excluded.since end',
    replace: 'since = excluded.since',
    suites: ['packages/core/test/work/apps/observed-apps-store.test.ts'],
  },
  {
    name: 'host-apps: an app with a failed command is no trouble',
    file: 'packages/core/src/work/apps/observed-app.ts',
    find: 'failedCrons(detail).length > 0',
    replace: 'failedCrons(detail).length > 1',
    suites: ['packages/core/test/work/apps/observed-apps-store.test.ts'],
  },
]
