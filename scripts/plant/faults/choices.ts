import type { Fault } from '../fault.ts'

const suites = ['packages/http/test/console/choices.test.ts']

export const faults: readonly Fault[] = [
  {
    name: 'choices: a name of two hosts stands for one',
    file: 'packages/http/src/console/pages/choices.ts',
    find: 'isOne ? hostname : id',
    replace: 'hostname',
    suites,
  },
  {
    name: 'choices: all of a large fleet are listed',
    file: 'packages/http/src/console/pages/choices.ts',
    find: 'if (found.length === MOST) break',
    replace: '',
    suites,
  },
  {
    name: 'choices: capitals hide a thing',
    file: 'packages/http/src/console/pages/choices.ts',
    find: '.toLowerCase().includes(sought)',
    replace: '.includes(sought)',
    suites,
  },
  {
    name: 'choices: fields of tenants offer licenses',
    file: 'packages/http/src/console/fields.ts',
    find: "tenant: 'tenants'",
    replace: "tenant: 'licenses'",
    suites,
  },
]
