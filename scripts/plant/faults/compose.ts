import type { Fault } from '../fault.ts'

const HOST_APPS = 'packages/cli/src/host-apps'
const READER = ['packages/cli/test/host-apps/compose.test.ts']
const RULES = ['packages/cli/test/host-apps/units.test.ts']
const ORDER = ['packages/cli/test/host-apps/service-order.test.ts']
const KEPT = ['packages/cli/test/host-apps/kept-images.test.ts']
const APPS = ['packages/core/test/work/apps/apps.test.ts']
const MACHINE = ['test/packed/compose.test.ts']

/** Mistakes about compose files. */
export const faults: readonly Fault[] = [
  {
    name: 'compose: a folder of the host is mounted',
    file: `${HOST_APPS}/compose/places.ts`,
    find: "plain === '..' || plain.startsWith('../') || ",
    replace: '',
    suites: READER,
  },
  {
    name: 'compose: privileged by a text is taken',
    file: `${HOST_APPS}/compose/service.ts`,
    find: '    if (REFUSED[key] !== undefined && !isHarmless)',
    replace: '    if (REFUSED[key] !== undefined && !isHarmless && value !== String(value))',
    suites: READER,
  },
  {
    name: 'compose: a capability of the host is added',
    file: `${HOST_APPS}/compose/service.ts`,
    find: '  if (odd !== undefined) found.fault(`${place}.cap_add`',
    replace: "  if (odd === 'ALL') found.fault(`${place}.cap_add`",
    suites: READER,
  },
  {
    name: 'compose: aliases have no bound',
    file: `${HOST_APPS}/compose/reading.ts`,
    find: 'if (filling.left < 0)',
    replace: 'if (filling.left < -1e9)',
    suites: READER,
  },
  {
    name: 'compose: every variable of the application is in every container',
    file: `${HOST_APPS}/compose/service.ts`,
    find: '      env: { ...files, ...own },',
    replace: '      env: { ...env, ...files, ...own },',
    suites: READER,
  },
  {
    name: 'compose: a database is replaced by every deploy',
    file: `${HOST_APPS}/kept-processes.ts`,
    find: '  const { after: _, source: _source, names: _names, ...own } = service',
    replace:
      '  const { after: _, source: _source, names: _names, ...own } = { ...service, at: Math.random() }',
    suites: ORDER,
  },
  {
    name: 'compose: a deploy that fails ends what was left running',
    file: `${HOST_APPS}/generation.ts`,
    find: '        .filter((slot) => isMine(slot.parts.process) && !this.#adopted.has(slot))\n        .map((slot) => slot.stop',
    replace: '        .filter((slot) => isMine(slot.parts.process))\n        .map((slot) => slot.stop',
    suites: MACHINE,
  },
  {
    name: 'compose: every user of the host is led to a service',
    file: `${HOST_APPS}/system/switch-rules.ts`,
    find: 'switch meta skuid ${uid} ip daddr ${address}',
    replace: 'switch ip daddr ${address}',
    suites: RULES,
  },
  {
    name: 'compose: services do not wait for what comes before',
    file: `${HOST_APPS}/start-order.ts`,
    find: '    return faults.find((fault) => fault !== undefined)\n  }\n  const ready',
    replace: '    return faults.find((fault) => fault === null)\n  }\n  const ready',
    suites: ORDER,
  },
  {
    name: 'compose: the address of a database is in every container',
    file: `${HOST_APPS}/linked-databases.ts`,
    find: 'Object.entries(all).filter(([name]) => isWanted(name))',
    replace: 'Object.entries(all).filter(([name]) => isWanted(name) || name)',
    suites: ORDER,
  },
  {
    name: 'images: a rollback goes to the live one',
    file: `${HOST_APPS}/kept-images.ts`,
    find: 'jobs.length > 1 && sha === live',
    replace: 'jobs.length > 99 && sha === live',
    suites: KEPT,
  },
  {
    name: 'images: a restart pulls the tag again',
    file: 'packages/core/src/work/apps/app-source.ts',
    find: "return { type: 'image', image, kept: [deployment.jobId] }",
    replace: "return { type: 'image', image }",
    suites: APPS,
  },
]
