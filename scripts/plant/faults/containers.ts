import type { Fault } from '../fault.ts'

const SYSTEM = 'packages/cli/src/host-apps/system'
const TEXTS = ['packages/cli/test/host-apps/containers.test.ts']
const DEFINITION = ['packages/core/test/work/apps/definition.test.ts']
const APPS = ['packages/core/test/work/apps/apps.test.ts']
const MACHINE = ['test/packed/containers.test.ts']

/** Mistakes about applications that run in containers. */
export const faults: readonly Fault[] = [
  {
    name: 'containers: a Dockerfile is passed over',
    file: 'packages/core/src/work/apps/found-app.ts',
    find: '  if (names.has(DOCKERFILE)) return',
    replace: '  if (names.has(`${DOCKERFILE}.app`)) return',
    suites: DEFINITION,
  },
  {
    name: 'containers: a capability of the host is taken',
    file: 'packages/core/src/work/apps/container.ts',
    find: "  'SYS_CHROOT',\n",
    replace: "  'SYS_CHROOT',\n  'SYS_ADMIN',\n",
    suites: DEFINITION,
  },
  {
    name: 'containers: capabilities of podman stay',
    file: `${SYSTEM}/container-text.ts`,
    find: '--cap-drop=all ',
    replace: '',
    suites: TEXTS,
  },
  {
    name: 'containers: a value of several lines goes by the file that cuts it',
    file: `${SYSTEM}/container-text.ts`,
    find: '!/[\\r\\n]/.test(value)',
    replace: '!/[\\0]/.test(value)',
    suites: TEXTS,
  },
  {
    name: 'containers: variables reach podman itself',
    file: `${SYSTEM}/container-text.ts`,
    find: 'copied.find(([name]) => OF_PODMAN.test(name))',
    replace: 'copied.find(([name]) => name === OF_PODMAN.source)',
    suites: TEXTS,
  },
  {
    name: 'containers: the namespace ends with the first instance',
    file: `${SYSTEM}/container-text.ts`,
    find: '\nWants=${keeperUnit(user)}',
    replace: '',
    suites: TEXTS,
  },
  {
    name: 'containers: images stay when their application is removed',
    file: `${SYSTEM}/podman.ts`,
    find: 'for (const folder of [podmanHome(user), ',
    replace: 'for (const folder of [',
    suites: MACHINE,
  },
  {
    name: 'containers: builds go on without a supervisor',
    file: `${SYSTEM}/podman.ts`,
    find: "    await ran('systemctl', 'stop', userUnit('*')).catch(() => {})\n",
    replace: '',
    suites: MACHINE,
  },
  {
    name: 'containers: any image is given the variables of an app',
    file: 'packages/core/src/work/apps/app-source.ts',
    find: "if (type !== 'image') return url === repoUrl",
    replace: 'if (url === repoUrl) return true',
    suites: APPS,
  },
  {
    name: 'containers: passwords of registries are listed among variables',
    file: 'packages/core/src/work/apps/apps.ts',
    find: 'registryOf(name) === undefined)',
    replace: "registryOf(name) !== 'none')",
    suites: APPS,
  },
  {
    name: 'containers: the application is given the passwords of its registries',
    file: 'packages/core/src/work/apps/registry-login.ts',
    find: 'if (registry === undefined) env[name] = value',
    replace: 'if (registry !== name) env[name] = value',
    suites: APPS,
  },
]
