import { unixSeconds } from '../../kernel/clock.ts'
import { listOf, shape, text, type ViewOf, whole } from '../../kernel/validation.ts'
import { appOf, named, operation } from './app-run-operations.ts'
import { loginFields, loginValue, loginVariable, registryField, registryOf } from './registry-login.ts'

const ANY = Number.POSITIVE_INFINITY
const word = text(0, 4096)
/** A registry that an app has a login for, in an answer. */
const REGISTRY = { registry: word, updated_at: whole(0, Number.MAX_SAFE_INTEGER) }
/** A registry that an app has a login for, as operators see it: never its user and password. */
export type AppRegistryView = ViewOf<typeof REGISTRY>

const list = operation({
  name: 'apps.registry-list',
  summary: 'list the registries that an app has a login for',
  permission: 'platform.read',
  scope: 'tenant',
  changes: false,
  input: named,
  answer: { id: word, app: word, registries: listOf(shape(REGISTRY), ANY) },
  run: async (services, given, operator) => {
    const app = await appOf(services, given, operator)
    const registries = (await services.apps.logins(app)).flatMap(({ name, updatedAt }) => {
      const registry = registryOf(name)
      return registry === undefined ? [] : [{ registry, updated_at: unixSeconds(updatedAt) }]
    })
    return { id: app.id, app: app.name, registries }
  },
})

const login = operation({
  name: 'apps.registry-login',
  summary: 'keep the user and password of a registry, sealed, for the images of an app',
  permission: 'platform.deploy',
  scope: 'tenant',
  changes: true,
  input: { ...named, registry: registryField, ...loginFields },
  answer: { id: word, app: word, registry: word },
  run: async (services, { registry, user, password, ...given }, operator) => {
    const app = await appOf(services, given, operator)
    await services.apps.setLogin(app, loginVariable(registry), loginValue({ user, password }))
    return { id: app.id, app: app.name, registry }
  },
})

const logout = operation({
  name: 'apps.registry-logout',
  summary: 'forget the user and password of a registry',
  permission: 'platform.deploy',
  scope: 'tenant',
  changes: true,
  input: { ...named, registry: registryField },
  answer: { id: word, app: word, removed: listOf(word, ANY) },
  run: async (services, { registry, ...given }, operator) => {
    const app = await appOf(services, given, operator)
    const removed = await services.apps.unsetVariables(app, [loginVariable(registry)])
    return { id: app.id, app: app.name, removed: removed.length === 0 ? [] : [registry] }
  },
})

/** Operations on the logins of apps at registries. */
export const appRegistryOperations = [list, login, logout]
