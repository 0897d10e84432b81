import { PLATFORM } from '@svc/core'
import { buildId } from '../build-id.ts'
import { buildGitHook } from '../work/git/build-git-hook.ts'
import { idsOf, type ScopedRead } from './scoped-read.ts'

const hook: Required<Pick<ScopedRead, 'of' | 'add'>> = {
  of: 'license',
  add: async ({ gitHooks }, { licenseId }, now) =>
    (await gitHooks.add(buildGitHook({ licenseId, app: buildId('app') }), 99, now))?.id ?? '',
}

/** The reads of git hooks. */
export const gitReads: Readonly<Record<string, ScopedRead>> = {
  'gitHooks.get': {
    ...hook,
    read: async ({ gitHooks }, scope, { id }) => idsOf(await gitHooks.get(scope, id)),
  },
  'gitHooks.list': { ...hook, read: async ({ gitHooks }, scope) => idsOf(await gitHooks.list(scope, 999)) },
  'gitHooks.find by id': {
    ...hook,
    read: async ({ gitHooks }, scope, { id }) => idsOf(await gitHooks.find(scope, id)),
  },
  'gitHooks.find by app': {
    ...hook,
    read: async ({ gitHooks }, scope, { id }) => {
      const [found] = await gitHooks.find(PLATFORM, id)
      return idsOf(await gitHooks.find(scope, found?.app ?? ''))
    },
  },
}
