import type { Fault } from '../fault.ts'

const suites = ['packages/http/test/console/faults.test.ts']

export const faults: readonly Fault[] = [
  {
    name: 'fault pages: programs get a page too',
    file: 'packages/http/src/dispatch/request-pipeline.ts',
    find: 'match.resource.isPage) && wantsPage(req.headers.accept)',
    replace: 'match.resource.isPage)',
    suites,
  },
  {
    name: 'fault pages: a service that waits answers browsers with a document',
    file: 'packages/http/src/dispatch/request-pipeline.ts',
    find: 'match === undefined ? elsewhere !== undefined :',
    replace: 'match === undefined ? false :',
    suites,
  },
  {
    name: 'fault pages: the time to come again is lost',
    file: 'packages/http/src/exchange/fault-page.ts',
    find: '{ ...headers, ',
    replace: '{ ',
    suites,
  },
  {
    name: 'fault pages: their style is refused by their own policy',
    file: 'packages/http/src/exchange/fault-page.ts',
    find: '.update(STYLE)',
    replace: '.update(`${STYLE} `)',
    suites,
  },
  {
    name: 'fault pages: forms that are refused are documents',
    file: 'packages/http/src/dispatch/routing.ts',
    find: '].some((route) => route.isPage)',
    replace: '].every((route) => route.isPage && route.body === undefined)',
    suites,
  },
]
