import type { Fault } from '../fault.ts'

const INSTALL = 'packages/cli/src/agent/install'
const QUICK = ['packages/cli/test/agent/install.test.ts']

export const faults: readonly Fault[] = [
  {
    name: 'packaging: a password in the address gets into the unit',
    file: `${INSTALL}/unit.ts`,
    find: "url.username !== '' || url.password !== '' || ",
    replace: "url.username !== '' || ",
    suites: QUICK,
  },
  {
    name: 'packaging: systemd expands what stands in an address',
    file: `${INSTALL}/unit.ts`,
    find: ".replaceAll('%', '%%')",
    replace: '',
    suites: QUICK,
  },
  {
    name: 'packaging: the agent or its handlers may be root',
    file: `${INSTALL}/unit.ts`,
    find: "USER_NAME.test(text) && text !== 'root'",
    replace: 'USER_NAME.test(text)',
    suites: QUICK,
  },
  {
    name: 'packaging: the group of handlers is forgotten',
    file: `${INSTALL}/unit.ts`,
    find: 'user === group ? user : `${user}:${group}`',
    replace: 'user',
    suites: QUICK,
  },
  {
    name: 'packaging: the group of the agent may read the key',
    file: `${INSTALL}/installation.ts`,
    find: 'mode: 0o600, folderMode',
    replace: 'mode: 0o640, folderMode',
    suites: QUICK,
  },
  {
    name: 'packaging: a key that others can read stays as it is',
    file: `${INSTALL}/placed-file.ts`,
    find: 'found === undefined || (found.mode & 0o777) !== mode',
    replace: 'found === undefined',
    suites: QUICK,
  },
  {
    name: 'packaging: an open folder of the key stays open',
    file: `${INSTALL}/placed-file.ts`,
    find: 'if (file.folderMode !== undefined) await chmod(dirname(path), file.folderMode)',
    replace: '',
    suites: QUICK,
  },
  {
    name: 'packaging: uninstalling removes an empty folder of the system',
    file: `${INSTALL}/placed-file.ts`,
    find: '!keepFolder && ',
    replace: '',
    suites: QUICK,
  },
  {
    name: 'packaging: the log of the agent writes one level too much',
    file: 'packages/cli/src/terminal/small-log.ts',
    find: 'LEVELS.indexOf(level) < LEVELS.indexOf(lowest)',
    replace: 'LEVELS.indexOf(level) < LEVELS.indexOf(lowest) - 1',
    suites: ['packages/cli/test/program/log.test.ts'],
  },
  {
    name: 'packaging: installing once more takes the wall around handlers down',
    file: 'packages/cli/src/commands/agent/agent-install.ts',
    find: "ownerIn((await placedText(root, PLACES.addition)) ?? '')",
    replace: "ownerIn('')",
    suites: ['test/packed/install.test.ts'],
  },
  {
    name: 'packaging: installing once more restarts an agent that has not changed',
    file: `${INSTALL}/steps.ts`,
    find: 'else if (changes.any || isNew) steps.push',
    replace: 'else steps.push',
    suites: ['test/packed/install-machine.test.ts'],
  },
  {
    name: 'packaging: the agent loads all of Node at its start',
    file: 'scripts/one-file-agent.ts',
    find: 'plugins: [lateNode],',
    replace: '',
    suites: ['test/packed/agent.test.ts'],
  },
  {
    name: 'packaging: the handlers of the agent cannot be run',
    file: 'packages/cli/src/own-handlers.ts',
    find: "name.includes('.') ? 0o644 : 0o755",
    replace: "name.includes('.') ? 0o644 : 0o655",
    suites: ['test/packed/agent.test.ts'],
  },
  {
    name: 'packaging: a package leads to sources that it does not hold',
    file: 'scripts/pack/stage.ts',
    find: 'condition !== SOURCE_CONDITION',
    replace: "condition !== 'types'",
    suites: ['test/packed/packages.test.ts'],
  },
  {
    name: 'packaging: declarations name inner files of a dependency',
    file: 'packages/core/src/validation.ts',
    find: '(fields: S): ShapeOf<S> {',
    replace: '(fields: S, _?: ShapeOf<S>) {',
    suites: ['test/packed/packages.test.ts'],
  },
]
