import { PLATFORM } from '@svc/core'
import { buildId } from '../build-id.ts'
import { buildApp } from '../work/apps/build-app.ts'
import { idsOf, type ScopedRead } from './scoped-read.ts'

const app: Required<Pick<ScopedRead, 'of' | 'add'>> = {
  of: 'license',
  add: async ({ apps }, { licenseId }, now) =>
    (await apps.add(buildApp({ licenseId, name: buildId('app') }), 99, now))?.id ?? '',
}

/** Reads of apps. */
export const appReads: Readonly<Record<string, ScopedRead>> = {
  'apps.get': { ...app, read: async ({ apps }, scope, { id }) => idsOf(await apps.get(scope, id)) },
  'apps.list': { ...app, read: async ({ apps }, scope) => idsOf(await apps.list(scope, 999)) },
  'apps.find by id': { ...app, read: async ({ apps }, scope, { id }) => idsOf(await apps.find(scope, id)) },
  'apps.find by name': {
    ...app,
    read: async ({ apps }, scope, { id }) => {
      const [found] = await apps.find(PLATFORM, id)
      return idsOf(await apps.find(scope, found?.name ?? ''))
    },
  },
}
